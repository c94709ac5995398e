package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

var (
	// running is a line that says whose output follows.
	running = regexp.MustCompile(`^=== (RUN|CONT|NAME|PAUSE)\s+(\S+)$`)
	// ending is a line with the outcome of a test.
	ending = regexp.MustCompile(`^\s*--- (PASS|FAIL|SKIP): (\S+) \([\d.]+s\)$`)
	// place is where a message of a test comes from.
	place = regexp.MustCompile(`^\s*[\w.-]+\.go:\d+: `)
)

// longestFailure is what is kept of a failure's text.
const longestFailure = 8 << 10

// tests reads what a Go test program printed with -test.v. crashed says that it did not end as
// tests do: then whatever had begun failed.
func tests(output string, crashed bool) report.Tests {
	texts := map[string]*strings.Builder{}
	outcomes := map[string]string{}
	var order []string
	current := ""
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		if m := running.FindStringSubmatch(line); m != nil {
			if current = m[2]; texts[current] == nil {
				texts[current] = &strings.Builder{}
				order = append(order, current)
			}
			continue
		}
		if m := ending.FindStringSubmatch(line); m != nil {
			outcomes[m[2]] = m[1]
			current = ""
			continue
		}
		if b := texts[current]; b != nil {
			b.WriteString(line + "\n")
		}
	}
	var t report.Tests
	for i, name := range order {
		if parent(order[i+1:], name) && outcomes[name] != "FAIL" {
			continue // its parts are counted
		}
		text := strings.TrimRight(texts[name].String(), "\n")
		switch outcomes[name] {
		case "PASS":
			t.Passed++
		case "SKIP":
			t.Skipped++
			skip(&t, name, text)
		case "FAIL":
			if parent(order[i+1:], name) && text == "" {
				continue // a part failed
			}
			t.Failed++
			t.Failures = append(t.Failures, report.Failure{Name: name, Text: shorten(text)})
		default:
			if !crashed {
				continue
			}
			t.Failed++
			t.Failures = append(t.Failures, report.Failure{Name: name,
				Text: "it did not end\n" + shorten(text)})
		}
	}
	return t
}

func parent(later []string, name string) bool {
	return slices.ContainsFunc(later, func(n string) bool { return strings.HasPrefix(n, name+"/") })
}

// reason is the message of a skip without the place.
func reason(text string) string {
	text = strings.TrimSpace(place.ReplaceAllString(text, ""))
	if text == "" {
		return "no reason was given"
	}
	return strings.Join(strings.Fields(text), " ")
}

// skip adds a test to those with its reason.
func skip(t *report.Tests, name, text string) {
	why := reason(text)
	i := slices.IndexFunc(t.Skips, func(s report.Skip) bool { return s.Reason == why })
	if i < 0 {
		i = len(t.Skips)
		t.Skips = append(t.Skips, report.Skip{Reason: why})
	}
	t.Skips[i].Tests = append(t.Skips[i].Tests, name)
}

// shorten keeps the beginning and the end of a long text.
func shorten(text string) string {
	if len(text) <= longestFailure {
		return text
	}
	half := longestFailure / 2
	return strings.ToValidUTF8(text[:half], "") + "\n...\n" +
		strings.ToValidUTF8(text[len(text)-half:], "")
}

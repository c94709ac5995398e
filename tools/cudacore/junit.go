package main

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// suite is what pytest reports of a file.
type suite struct {
	cases []testCase
}

type testCase struct {
	name    string
	outcome outcome
	message string // the first line
}

type outcome int

const (
	passed outcome = iota
	failed
	inError
	skipped
)

// counts returns how many cases have each outcome.
func (s suite) counts() (n [4]int) {
	for _, c := range s.cases {
		n[c.outcome]++
	}
	return n
}

// crashed is the suite of a file whose process ended without a report.
func crashed(why string) suite {
	return suite{[]testCase{{name: "(the whole file)", outcome: inError, message: why}}}
}

// parseJUnit reads what pytest --junitxml writes. A case that failed and whose clean-up failed too
// is two cases there, and one failure here.
func parseJUnit(data []byte) (suite, error) {
	type problem struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	var doc struct {
		Suites []struct {
			Cases []struct {
				Name    string   `xml:"name,attr"`
				Class   string   `xml:"classname,attr"`
				Failure *problem `xml:"failure"`
				Error   *problem `xml:"error"`
				Skipped *problem `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(data, &doc); err != nil {
		return suite{}, fmt.Errorf("junit: %w", err)
	}
	var s suite
	for _, part := range doc.Suites {
		for _, c := range part.Cases {
			t := testCase{name: c.Name}
			if i := strings.LastIndex(c.Class, ".Test"); i >= 0 {
				t.name = c.Class[i+1:] + "." + c.Name
			}
			switch {
			case c.Failure != nil:
				t.outcome, t.message = failed, firstLine(c.Failure.Message)
			case c.Error != nil:
				t.outcome, t.message = inError, reason(c.Error.Message, c.Error.Text)
			case c.Skipped != nil:
				t.outcome, t.message = skipped, firstLine(c.Skipped.Message)
			}
			if n := len(s.cases) - 1; n >= 0 && s.cases[n].name == t.name &&
				s.cases[n].outcome == failed {
				continue
			}
			s.cases = append(s.cases, t)
		}
	}
	return s, nil
}

// reason returns the message of an error. That of a file which can't be imported is in its text.
func reason(message, text string) string {
	if message != "collection failure" {
		return firstLine(message)
	}
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "E "); ok {
			return "not imported: " + firstLine(strings.TrimSpace(rest))
		}
	}
	return message
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

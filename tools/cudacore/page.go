package main

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// knownReason explains the failures whose test and message match.
type knownReason struct {
	Reason  string
	Test    string // a pattern for FILE::TEST
	Message string // a pattern for the message

	test, message *regexp.Regexp
}

func parseReasons(text string) ([]knownReason, error) {
	var doc struct{ Reason []knownReason }
	if _, err := toml.Decode(text, &doc); err != nil {
		return nil, fmt.Errorf("reasons: %w", err)
	}
	for i := range doc.Reason {
		r := &doc.Reason[i]
		var err error
		if r.test, err = regexp.Compile(r.Test); err != nil {
			return nil, fmt.Errorf("reasons: %w", err)
		}
		if r.message, err = regexp.Compile(r.Message); err != nil {
			return nil, fmt.Errorf("reasons: %w", err)
		}
	}
	return doc.Reason, nil
}

// explain returns the reason for a failure, and whether it is a known one.
func explain(known []knownReason, test, message string) (string, bool) {
	for _, r := range known {
		if r.test.MatchString(test) && r.message.MatchString(message) {
			return r.Reason, true
		}
	}
	return message, false
}

type page struct {
	commit, library string
	environments    []environment
}

func (p page) markdown(known []knownReason) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# NVIDIA's own tests on the simulator

Written by `+"`make cuda-core`"+`, see tools/cudacore. The tests are those of cuda.core and
cuda.bindings in github.com/NVIDIA/cuda-python at commit %s,
each file in a process of its own, on the profile %s of the simulator.
Those of cuda.bindings run with
the newest bindings alone, which they are for.

Left out, because they do not test libcuda:

`, cmp.Or(p.commit, "unknown"), filepath.Base(p.library))
	for _, name := range slices.Sorted(maps.Keys(leftOut)) {
		fmt.Fprintf(&b, "- `%s` %s\n", name, leftOut[name])
	}
	b.WriteString("\n| packages | files | passed | failed | errors | skipped |\n" +
		"|---|--:|--:|--:|--:|--:|\n")
	for _, e := range p.environments {
		n := e.counts()
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d |\n", strings.Join(e.packages, ", "),
			len(e.files), n[passed], n[failed], n[inError], n[skipped])
	}
	for _, e := range p.environments {
		fmt.Fprintf(&b, "\n## %s\n\n", e.packages[min(2, len(e.packages)-1)])
		e.write(&b, known)
	}
	return b.String()
}

func (e environment) counts() (sum [4]int) {
	for _, f := range e.files {
		for i, n := range f.suite.counts() {
			sum[i] += n
		}
	}
	return sum
}

func (e environment) write(b *strings.Builder, known []knownReason) {
	b.WriteString("| file | passed | failed | errors | skipped |\n|---|--:|--:|--:|--:|\n")
	for _, f := range e.files {
		n := f.suite.counts()
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d |\n", f.name, n[passed], n[failed], n[inError],
			n[skipped])
	}
	type group struct {
		reason string
		tests  []string
	}
	groups := map[bool]map[string]*group{true: {}, false: {}}
	for _, f := range e.files {
		for _, c := range f.suite.cases {
			if c.outcome != failed && c.outcome != inError {
				continue
			}
			test := f.name + "::" + c.name
			why, ok := explain(known, test, c.message)
			g := groups[ok][why]
			if g == nil {
				g = &group{reason: why}
				groups[ok][why] = g
			}
			g.tests = append(g.tests, test)
		}
	}
	for _, part := range []struct {
		known bool
		title string
	}{{true, "Failures with a known reason"}, {false, "Other failures"}} {
		all := slices.SortedFunc(maps.Values(groups[part.known]), func(a, b *group) int {
			return cmp.Or(cmp.Compare(len(b.tests), len(a.tests)), cmp.Compare(a.reason, b.reason))
		})
		if len(all) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n### %s\n\n| reason | tests | which |\n|---|--:|---|\n", part.title)
		for _, g := range all {
			fmt.Fprintf(b, "| %s | %d | %s |\n", cell(g.reason), len(g.tests),
				cell(strings.Join(brief(g.tests), ", ")))
		}
	}
	if e.cut > 0 {
		fmt.Fprintf(b, "\n%d processes were killed while they wrote what they had called, so the lists "+
			"below lack that.\n", e.cut)
	}
	if len(e.lacking) > 0 {
		b.WriteString("\n### Functions called that are not simulated\n\n| | times |\n|---|--:|\n")
	}
	for _, name := range slices.Sorted(maps.Keys(e.lacking)) {
		fmt.Fprintf(b, "| %s | %d |\n", cell(name), e.lacking[name])
	}
}

// brief names tests without their parameters, each once, with their number.
func brief(tests []string) []string {
	var names []string
	times := map[string]int{}
	for _, t := range tests {
		t, _, _ = strings.Cut(t, "[")
		t = filepath.Base(t)
		if times[t]++; times[t] == 1 {
			names = append(names, t)
		}
	}
	for i, name := range names {
		if n := times[name]; n > 1 {
			names[i] = fmt.Sprintf("%s ×%d", name, n)
		}
	}
	return names
}

// cell escapes text for a table, and shortens it.
func cell(s string) string {
	s = strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;", "`", "'").Replace(s)
	if r := []rune(s); len(r) > 2000 {
		s = string(r[:2000]) + " …"
	}
	return s
}

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// event is a line of go test -json, as "go doc test2json" describes it.
type event struct {
	Action, Package, Test, Output, ImportPath, FailedBuild string
	Elapsed                                                float64
}

// report collects the events of a run. Packages run beside each other, so the output of each is
// kept until it ends.
type report struct {
	out      io.Writer
	packages map[string]*packageRun
	builds   map[string][]string // output of the compiler, by import path
	skips    map[string]*skip    // by reason
	failures []string            // lines about what failed, shown at the end
	passed   int
	failed   int
}

type packageRun struct {
	output map[string][]string // by test, "" for the package's own
	order  []string            // of tests, as they began
	result map[string]string   // "pass", "fail" or "skip", by test
}

// skip is a reason and the tests that were skipped for it.
type skip struct {
	reason string
	tests  []string
}

func newReport(out io.Writer) *report {
	return &report{out: out, packages: map[string]*packageRun{}, builds: map[string][]string{},
		skips: map[string]*skip{}}
}

// add takes a line of the run. What is no event is shown as it is.
func (r *report) add(line []byte) {
	var e event
	if json.Unmarshal(line, &e) != nil || e.Action == "" {
		fmt.Fprintf(r.out, "%s", line)
		return
	}
	switch e.Action {
	case "build-output":
		r.builds[e.ImportPath] = append(r.builds[e.ImportPath], e.Output)
		return
	case "build-fail":
		return // its package fails as well
	}
	p := r.packages[e.Package]
	if p == nil {
		p = &packageRun{output: map[string][]string{}, result: map[string]string{}}
		r.packages[e.Package] = p
	}
	switch e.Action {
	case "run":
		p.order = append(p.order, e.Test)
	case "output":
		p.output[e.Test] = append(p.output[e.Test], e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			r.end(p, e)
			return
		}
		p.result[e.Test] = e.Action
		switch e.Action {
		case "pass":
			r.passed++
			delete(p.output, e.Test)
		case "fail":
			r.failed++
		case "skip":
			r.skipped(e.Package, e.Test, p.output[e.Test])
		}
	}
}

// end shows in a line how a package ended, and keeps the output of failed tests for finish.
func (r *report) end(p *packageRun, e event) {
	delete(r.packages, e.Package)
	if e.Action == "skip" {
		return // it has no tests
	}
	if e.Action == "pass" {
		cached := ""
		if strings.Contains(strings.Join(p.output[""], ""), "\t(cached)") {
			cached = "  (cached)"
		}
		fmt.Fprintf(r.out, "ok    %6.1fs  %s%s\n", e.Elapsed, e.Package, cached)
		return
	}
	failed := fmt.Sprintf("FAIL  %6.1fs  %s", e.Elapsed, e.Package)
	fmt.Fprintln(r.out, failed)
	r.failures = append(r.failures, failed)
	if e.FailedBuild != "" {
		r.keep(r.builds[e.FailedBuild])
	}
	for _, test := range p.order {
		if result := p.result[test]; result != "pass" && result != "skip" {
			if result == "" { // it was running when the process ended
				r.failures = append(r.failures, "      "+test+" did not end")
			}
			r.keep(p.output[test])
		}
	}
	r.keep(p.output[""])
}

// noise is what go test prints about the course of tests.
var noise = regexp.MustCompile(
	`^(=== (RUN|PAUSE|CONT|NAME)\s|FAIL\s*$|FAIL\t|PASS\s*$|exit status )`)

// keep adds output to the failures.
func (r *report) keep(output []string) {
	for _, line := range output {
		if !noise.MatchString(line) {
			r.failures = append(r.failures, "      "+strings.TrimSuffix(line, "\n"))
		}
	}
}

// logged is a line that a test logged, with the place.
var logged = regexp.MustCompile(`^\s*[\w.]+\.go:\d+: (.*)\n?$`)

// skipped notes the reason of a skip: the last thing that the test logged.
func (r *report) skipped(pkg, test string, output []string) {
	reason := "no reason given"
	for _, line := range output {
		if m := logged.FindStringSubmatch(line); m != nil && m[1] != "" {
			reason = m[1]
		}
	}
	s := r.skips[reason]
	if s == nil {
		s = &skip{reason: reason}
		r.skips[reason] = s
	}
	s.tests = append(s.tests, pkg[strings.LastIndex(pkg, "/")+1:]+"."+test)
}

// finish shows the skips, then the failures, then the sums: the end of the output is the part that
// a terminal still shows.
func (r *report) finish() {
	for _, name := range slices.Sorted(maps.Keys(r.packages)) {
		r.end(r.packages[name], event{Action: "fail", Package: name})
		r.failures = append(r.failures, "      the package's tests did not end")
	}
	skips := slices.SortedFunc(maps.Values(r.skips), func(a, b *skip) int {
		return cmp.Or(cmp.Compare(len(b.tests), len(a.tests)), cmp.Compare(a.reason, b.reason))
	})
	n := 0
	if len(skips) > 0 {
		fmt.Fprintln(r.out, "\nskipped:")
	}
	for _, s := range skips {
		n += len(s.tests)
		more := ""
		if len(s.tests) > 1 {
			more = ", ..."
		}
		fmt.Fprintf(r.out, "%4d  %s  (%s%s)\n", len(s.tests), s.reason, s.tests[0], more)
	}
	if len(r.failures) > 0 {
		fmt.Fprintln(r.out, "\nfailed:")
		for _, line := range r.failures {
			fmt.Fprintln(r.out, line)
		}
	}
	fmt.Fprintf(r.out, "\n%d passed, %d failed, %d skipped\n", r.passed, r.failed, n)
}

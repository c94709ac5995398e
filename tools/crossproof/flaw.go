package main

import (
	"regexp"
	"strings"
)

var (
	startLine  = regexp.MustCompile(`^=== (?:RUN|CONT|NAME)\s+(\S+)`)
	failLine   = regexp.MustCompile(`^\s*--- FAIL: (\S+)`)
	logLine    = regexp.MustCompile(`^\s+\S+\.go:\d+: `)
	removeLine = regexp.MustCompile(
		`^\s+testing\.go:\d+: TempDir RemoveAll cleanup: .*: Invalid function\.\s*$`)
)

// unremovable finds the tests that failed only because their temporary folder could not be removed:
// wine before 9 lacks the system call that Go's runtime does it with. A test that logged anything
// else is none of them.
func unremovable(out string) (names []string, all bool) {
	cleanups, others := map[string]int{}, map[string]int{}
	current := ""
	var failed []string
	for line := range strings.Lines(out) {
		switch m := startLine.FindStringSubmatch(line); {
		case m != nil:
			current = m[1]
		case failLine.MatchString(line):
			failed = append(failed, failLine.FindStringSubmatch(line)[1])
		case removeLine.MatchString(line):
			cleanups[current]++
		case logLine.MatchString(line), strings.HasPrefix(line, "panic:"):
			others[current]++
		}
	}
	excused := func(name string) bool { return cleanups[name] > 0 && others[name] == 0 }
	for _, name := range failed {
		if excused(name) {
			names = append(names, name)
			continue
		}
		sub := false // a parent fails with its subtests
		for _, other := range failed {
			if strings.HasPrefix(other, name+"/") {
				sub = true
			}
		}
		if !sub || others[name] > 0 {
			return names, false
		}
	}
	return names, len(names) > 0
}

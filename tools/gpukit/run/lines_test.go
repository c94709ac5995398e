package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

func TestTestsAreCounted(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		output  string
		crashed bool
		want    report.Tests
	}{
		"parts of a test": {`=== RUN   TestDevice
=== RUN   TestDevice/stream/sync
=== RUN   TestDevice/stream/wait
    kit.go:7: the target has no second device
        of its backend
=== RUN   TestDevice/event/peer
    a_test.go:12: the target has no second device of its backend
=== RUN   TestDevice/event/own
--- FAIL: TestDevice (0.10s)
    --- PASS: TestDevice/stream/sync (0.00s)
    --- SKIP: TestDevice/stream/wait (0.00s)
    --- SKIP: TestDevice/event/peer (0.00s)
    --- FAIL: TestDevice/event/own (0.00s)
FAIL
`, false, report.Tests{Passed: 1, Failed: 1, Skipped: 2,
			Failures: []report.Failure{{Name: "TestDevice/event/own"}},
			Skips: []report.Skip{{Reason: "the target has no second device of its backend",
				Tests: []string{"TestDevice/stream/wait", "TestDevice/event/peer"}}}}},
		"as they end": {`=== RUN   TestA
=== RUN   TestA/x
    a_test.go:3: wrong
--- FAIL: TestA/x (0.00s)
=== NAME  TestA
    a_test.go:9: all in all
--- FAIL: TestA (0.00s)
=== RUN   TestB
--- PASS: TestB (1.23s)
FAIL
`, false, report.Tests{Passed: 1, Failed: 2, Failures: []report.Failure{
			{Name: "TestA", Text: "    a_test.go:9: all in all"},
			{Name: "TestA/x", Text: "    a_test.go:3: wrong"}}}},
		"a crash": {`=== RUN   TestA
--- PASS: TestA (0.00s)
=== RUN   TestB
about to fall
`, true, report.Tests{Passed: 1, Failed: 1, Failures: []report.Failure{
			{Name: "TestB", Text: "it did not end\nabout to fall"}}}},
		"a skip without a word": {"=== RUN   TestA\n--- SKIP: TestA (0.00s)\nPASS\n", false,
			report.Tests{Skipped: 1, Skips: []report.Skip{{Reason: "no reason was given",
				Tests: []string{"TestA"}}}}},
		"nothing": {"testing: warning: no tests to run\nPASS\n", false, report.Tests{}},
	} {
		assert.Equal(t, x.want, tests(x.output, x.crashed), name)
	}
}

func TestLongFailuresAreShortened(t *testing.T) {
	t.Parallel()
	long := "begin" + strings.Repeat("x", 3*longestFailure) + "end"
	got := shorten(long)
	assert.Less(t, len(got), longestFailure+10)
	assert.True(t, strings.HasPrefix(got, "begin") && strings.HasSuffix(got, "end"))
	assert.Equal(t, "short", shorten("short"))
}

func TestOutputIsBounded(t *testing.T) {
	t.Parallel()
	var b bounded
	for i := range 12 {
		n, err := b.Write([]byte(strings.Repeat(string(rune('a'+i)), much/2)))
		assert.NoError(t, err)
		assert.Equal(t, much/2, n)
	}
	got := b.String()
	assert.True(t, strings.HasPrefix(got, "aa") && strings.HasSuffix(got, "ll"))
	assert.Contains(t, got, "bytes left out")
	assert.LessOrEqual(t, len(got), 3*much+100)
}

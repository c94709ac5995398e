package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func reported(lines ...string) string {
	var out strings.Builder
	r := newReport(&out)
	for _, line := range lines {
		r.add([]byte(line + "\n"))
	}
	r.finish()
	return out.String()
}

func TestReport(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		lines []string
		want  string
	}{
		"a package that passes is one line": {
			[]string{
				`{"Action":"run","Package":"m/a","Test":"TestA"}`,
				`{"Action":"output","Package":"m/a","Test":"TestA","Output":"    a_test.go:1: hello\n"}`,
				`{"Action":"pass","Package":"m/a","Test":"TestA","Elapsed":1}`,
				`{"Action":"pass","Package":"m/a","Elapsed":1.5}`,
			},
			"ok       1.5s  m/a\n\n1 passed, 0 failed, 0 skipped\n",
		},
		"a cached one says so": {
			[]string{
				`{"Action":"output","Package":"m/a","Output":"ok  \tm/a\t(cached)\n"}`,
				`{"Action":"pass","Package":"m/a","Elapsed":0}`,
			},
			"ok       0.0s  m/a  (cached)\n\n0 passed, 0 failed, 0 skipped\n",
		},
		"a package without tests is not mentioned": {
			[]string{`{"Action":"skip","Package":"m/a","Elapsed":0}`},
			"\n0 passed, 0 failed, 0 skipped\n",
		},
		"what failed is shown, what passed beside it is not": {
			[]string{
				`{"Action":"run","Package":"m/a","Test":"TestA"}`,
				`{"Action":"output","Package":"m/a","Test":"TestA","Output":"=== RUN   TestA\n"}`,
				`{"Action":"run","Package":"m/a","Test":"TestA/x"}`,
				`{"Action":"output","Package":"m/a","Test":"TestA/x","Output":"    a_test.go:2: bad\n"}`,
				`{"Action":"fail","Package":"m/a","Test":"TestA/x"}`,
				`{"Action":"run","Package":"m/a","Test":"TestA/y"}`,
				`{"Action":"output","Package":"m/a","Test":"TestA/y","Output":"    a_test.go:3: fine\n"}`,
				`{"Action":"pass","Package":"m/a","Test":"TestA/y"}`,
				`{"Action":"output","Package":"m/a","Test":"TestA","Output":"--- FAIL: TestA (0.00s)\n"}`,
				`{"Action":"fail","Package":"m/a","Test":"TestA"}`,
				`{"Action":"output","Package":"m/a","Output":"FAIL\n"}`,
				`{"Action":"fail","Package":"m/a","Elapsed":0.1}`,
			},
			"FAIL     0.1s  m/a\n\nfailed:\n" +
				"FAIL     0.1s  m/a\n      --- FAIL: TestA (0.00s)\n          a_test.go:2: bad\n" +
				"\n1 passed, 2 failed, 0 skipped\n",
		},
		"a panic is shown with the test that ran": {
			[]string{
				`{"Action":"run","Package":"m/a","Test":"TestA"}`,
				`{"Action":"output","Package":"m/a","Test":"TestA","Output":"panic: oh\n"}`,
				`{"Action":"fail","Package":"m/a","Elapsed":0.1}`,
			},
			"FAIL     0.1s  m/a\n\nfailed:\n" +
				"FAIL     0.1s  m/a\n      TestA did not end\n      panic: oh\n" +
				"\n0 passed, 0 failed, 0 skipped\n",
		},
		"a build failure is shown": {
			[]string{
				`{"ImportPath":"m/a [m/a.test]","Action":"build-output","Output":"a.go:1:1: no\n"}`,
				`{"ImportPath":"m/a [m/a.test]","Action":"build-fail"}`,
				`{"Action":"fail","Package":"m/a","Elapsed":0,"FailedBuild":"m/a [m/a.test]"}`,
			},
			"FAIL     0.0s  m/a\n\nfailed:\n" +
				"FAIL     0.0s  m/a\n      a.go:1:1: no\n\n0 passed, 0 failed, 0 skipped\n",
		},
		"skips are grouped by reason, the most frequent first": {
			[]string{
				`{"Action":"output","Package":"m/a","Test":"TestA","Output":"    a_test.go:1: no ink\n"}`,
				`{"Action":"skip","Package":"m/a","Test":"TestA"}`,
				`{"Action":"output","Package":"m/a","Test":"TestB","Output":"    a_test.go:9: no paper\n"}`,
				`{"Action":"skip","Package":"m/a","Test":"TestB"}`,
				`{"Action":"output","Package":"m/b","Test":"TestC","Output":"    b_test.go:9: no paper\n"}`,
				`{"Action":"skip","Package":"m/b","Test":"TestC"}`,
				`{"Action":"skip","Package":"m/b","Test":"TestD"}`,
				`{"Action":"pass","Package":"m/a","Elapsed":0}`,
				`{"Action":"pass","Package":"m/b","Elapsed":0}`,
			},
			"ok       0.0s  m/a\nok       0.0s  m/b\n\nskipped:\n" +
				"   2  no paper  (a.TestB, ...)\n   1  no ink  (a.TestA)\n" +
				"   1  no reason given  (b.TestD)\n\n0 passed, 0 failed, 4 skipped\n",
		},
		"a package that never ends fails": {
			[]string{`{"Action":"start","Package":"m/a"}`},
			"FAIL     0.0s  m/a\n\nfailed:\n" +
				"FAIL     0.0s  m/a\n      the package's tests did not end\n" +
				"\n0 passed, 0 failed, 0 skipped\n",
		},
		"failures come after the packages and skips that end later": {
			[]string{
				`{"Action":"run","Package":"m/a","Test":"TestA"}`,
				`{"Action":"output","Package":"m/a","Test":"TestA","Output":"--- FAIL: TestA\n"}`,
				`{"Action":"fail","Package":"m/a","Test":"TestA"}`,
				`{"Action":"fail","Package":"m/a","Elapsed":0.1}`,
				`{"Action":"output","Package":"m/b","Test":"TestB","Output":"    b.go:1: no ink\n"}`,
				`{"Action":"skip","Package":"m/b","Test":"TestB"}`,
				`{"Action":"pass","Package":"m/b","Elapsed":0}`,
			},
			"FAIL     0.1s  m/a\nok       0.0s  m/b\n\nskipped:\n   1  no ink  (b.TestB)\n" +
				"\nfailed:\nFAIL     0.1s  m/a\n      --- FAIL: TestA\n" +
				"\n0 passed, 1 failed, 1 skipped\n",
		},
		"what is no event is passed on": {
			[]string{"hello"}, "hello\n\n0 passed, 0 failed, 0 skipped\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, x.want, reported(x.lines...))
		})
	}
}

// asTests makes this binary play go test: it prints an event and exits with the status named.
const asTests = "TESTREPORT_STATUS"

func TestMain(m *testing.M) {
	if text := os.Getenv(asTests); text != "" {
		status, _ := strconv.Atoi(text)
		fmt.Println(`{"Action":"pass","Package":"m/a","Elapsed":0}`)
		os.Exit(status)
	}
	os.Exit(m.Run())
}

// The exit status is the command's, whatever the events say.
func TestStatus(t *testing.T) {
	for _, want := range []int{0, 1, 2} {
		t.Setenv(asTests, strconv.Itoa(want))
		status, err := run(os.Args[0])
		assert.NoError(t, err)
		assert.Equal(t, want, status)
	}
	status, err := run(filepath.Join(t.TempDir(), "no-such-command"))
	assert.Error(t, err)
	assert.Equal(t, 2, status)
}

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const report = `<?xml version="1.0" encoding="utf-8"?>
<testsuites name="pytest tests"><testsuite name="pytest" tests="5">
<testcase classname="graph.test_a" name="test_ok[1]" time="0.1" />
<testcase classname="graph.test_a.TestRig" name="test_bad" time="0.1">
  <failure message="assert 0 == 1&#10; +  where 0 = f()">long text</failure></testcase>
<testcase classname="graph.test_a.TestRig" name="test_bad" time="0.1">
  <error message="failed on teardown">text</error></testcase>
<testcase classname="graph.test_a" name="test_setup" time="0.1">
  <error message="failed on setup with &quot;CUDAError: 801&quot;">text</error></testcase>
<testcase classname="graph.test_a" name="test_later" time="0.1">
  <skipped type="pytest.skip" message="needs two GPUs">text</skipped></testcase>
<testcase classname="" name="graph.test_b" time="0.1">
  <error message="collection failure">file.py:1: in module
E   ModuleNotFoundError: No module named 'x'</error></testcase>
</testsuite></testsuites>`

func TestParseJUnit(t *testing.T) {
	t.Parallel()
	s, err := parseJUnit([]byte(report))
	require.NoError(t, err)
	assert.Equal(t, []testCase{
		{"test_ok[1]", passed, ""},
		{"TestRig.test_bad", failed, "assert 0 == 1"},
		{"test_setup", inError, `failed on setup with "CUDAError: 801"`},
		{"test_later", skipped, "needs two GPUs"},
		{"graph.test_b", inError, "not imported: ModuleNotFoundError: No module named 'x'"},
	}, s.cases)
	assert.Equal(t, [4]int{1, 1, 2, 1}, s.counts())
	_, err = parseJUnit([]byte("<testsuites>"))
	assert.Error(t, err)
}

func TestPage(t *testing.T) {
	t.Parallel()
	s, err := parseJUnit([]byte(report))
	require.NoError(t, err)
	known, err := parseReasons(`
		[[reason]]
		reason = "needs a value from a kernel"
		test = "test_a.py::TestRig"
		[[reason]]
		reason = "not for this test"
		test = "test_setup"
		message = "802"`)
	require.NoError(t, err)
	p := page{commit: "abc", library: "x/cuda-13.5", environments: []environment{{
		packages: []string{"Python 3", "cuda-core 1", "cuda-bindings 13.5"},
		files: []file{{"cuda_core/tests/test_a.py", s},
			{"cuda_core/tests/test_c.py", crashed("panic: a | b")}},
		lacking: map[string]int{"cuArrayCreate": 2},
	}}}
	text := p.markdown(known)
	for _, want := range []string{
		"at commit abc", "profile cuda-13.5",
		"| Python 3, cuda-core 1, cuda-bindings 13.5 | 2 | 1 | 1 | 3 | 1 |",
		"| cuda_core/tests/test_a.py | 1 | 1 | 2 | 1 |",
		"### Failures with a known reason\n\n| reason | tests | which |\n|---|--:|---|\n" +
			"| needs a value from a kernel | 1 | test_a.py::TestRig.test_bad |\n",
		"| failed on setup with \"CUDAError: 801\" | 1 | test_a.py::test_setup |",
		`| panic: a \| b | 1 | test_c.py::(the whole file) |`,
		"| cuArrayCreate | 2 |",
	} {
		assert.Contains(t, text, want)
	}
	_, err = parseReasons("[[reason]]\ntest = '('")
	assert.Error(t, err)
}

func TestReadReports(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"report.1.json": `{"Lacking": {"cuArrayCreate": 2}}`,
		"report.2.json": `{"Lacking": {"cuArrayCreate": 1}}`,
		"report.3.json": "",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	e := environment{lacking: map[string]int{}}
	require.NoError(t, e.readReports(filepath.Join(dir, "report.*")))
	assert.Equal(t, map[string]int{"cuArrayCreate": 3}, e.lacking)
	assert.Equal(t, 1, e.cut, "a process that was killed leaves half a report")
}

func TestKnownReasons(t *testing.T) {
	t.Parallel()
	_, err := parseReasons(knownReasons)
	assert.NoError(t, err)
}

func TestBrief(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{"test_a.py::f ×2", "test_a.py::g"},
		brief([]string{"d/test_a.py::f[1]", "d/test_a.py::g", "d/test_a.py::f[2]"}))
}

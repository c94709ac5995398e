package emit

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const twins = "\n[twins.p]\ngo = \"P\"\nsays = \"does what %s does, unseen\"\n"

// withTwins has a function, its second symbol, whose parameter has another name, and one that only
// looks like a second symbol.
func withTwins() *small {
	s := newSmall("1.0")
	at := span("1.0", "")
	s.function("miniCount", at, "int * n")
	s.function("pminiCount", at, "int * m")
	s.function("pminiOther", at, "int * n")
	s.facts = "[direction]\n\"miniCount.n\" = \"out\"\n\"pminiOther.n\" = \"in\"\n"
	return s
}

// A second symbol has the name, the facts and the text of its function.
func TestTwins(t *testing.T) {
	t.Parallel()
	s := withTwins()
	s.toml = twins
	p, err := s.plan(t)
	require.NoError(t, err)
	shapes := shapesOf(p)
	assert.Equal(t, "Count func() (int32, error)", shapes["miniCount"])
	assert.Equal(t, "PCount func() (int32, error)", shapes["pminiCount"])
	assert.Equal(t, "PminiOther func(*int32) error", shapes["pminiOther"])
	assert.NotContains(t, fmt.Sprint(p.Guesses), "miniCount", "the twin has its function's facts")
	assert.Contains(t, source(t, p, "zmisc.go"), "// PCount does what [Count] does, unseen.")
}

func TestTwinsThatNoLibraryHas(t *testing.T) {
	t.Parallel()
	s := withTwins()
	s.toml = twins + "missing = \"left out\"\n"
	p, err := s.plan(t)
	require.NoError(t, err)
	text := source(t, p, "zmisc.go")
	assert.Regexp(t, `(?s)// PCount does.*No library exports it: left out\..*\nfunc PCount\(`, text)
	assert.NotRegexp(t, `(?s)// Count .*No library exports it.*\nfunc Count\(`, text)
}

func TestTwinsNeedAText(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"go = \"P\"", "says = \"like %s\"", "go = \"P\"\nsays = \"like it\"",
		"go = \"P\"\nsays = \"like %s %d\""} {
		s := withTwins()
		s.toml = "\n[twins.p]\n" + rule + "\n"
		_, err := s.plan(t)
		assert.ErrorContains(t, err, "a family of second symbols needs go and a text", rule)
	}
}

// A hand-written function gets the arguments, after the symbol was found and before C is called.
func TestBefore(t *testing.T) {
	t.Parallel()
	s := newSmall("1.0")
	s.function("miniMake", span("1.0", ""), "const char * name", "int n", "int * made")
	s.facts = "[direction]\n\"miniMake.made\" = \"out\"\n"
	s.toml = "\n[before]\nminiMake = \"checkMake\"\n"
	p, err := s.plan(t)
	require.NoError(t, err)
	assert.Regexp(t, `(?s)func Make\(name string, n int32\) \(int32, error\) \{.*procMake\.Addr\(\).*`+
		`err = checkMake\(name, n\)\n\tif err != nil \{\n\t\treturn 0, err\n\t\}.*CString\(name\)`,
		source(t, p, "zmisc.go"))
}

func TestBeforeIsAboutAFunction(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]string{
		"miniNone = \"check\"":          `no function is named "miniNone"`,
		"miniProbe = \"Check\"":         `"Check" is not the name of a Go function of the package`,
		"miniProbe = \"other.check\"":   `"other.check" is not the name`,
		"miniProbe = \"check(1) || x\"": `is not the name`,
	} {
		s := newSmall("1.0")
		s.toml = "\n[before]\n" + rule + "\n"
		_, err := s.plan(t)
		assert.ErrorContains(t, err, want, rule)
	}
}

package compiler

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// failed is an error without a place.
func failed(text string) Message { return Message{Severity: "error", Text: text} }

func TestMessages(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]Message{
		`k.cu(3): error: expected a ";"`:             {"k.cu", 3, 0, "error", `expected a ";"`},
		`a(1).cu(3): warning #177-D: never used`:     {"a(1).cu", 3, 0, "warning", "never used"},
		`k.cu(3): catastrophic error: no file`:       {"k.cu", 3, 0, "error", "no file"},
		`k.cu(3): error #20: identifier`:             {"k.cu", 3, 0, "error", "identifier"},
		`__nv_name_map(2): note #2689-D: the value`:  {"__nv_name_map", 2, 0, "note", "the value"},
		`At end of source: error: expected a ";"`:    failed(`At end of source: expected a ";"`),
		`nvrtc: error: unrecognized option -x`:       failed("unrecognized option -x"),
		`Command-line error: invalid macro: `:        failed("Command-line: invalid macro: "),
		`ptxas error   : Entry function 'k' uses`:    failed("ptxas: Entry function 'k' uses"),
		`ptxas fatal   : aborted`:                    failed("ptxas: aborted"),
		`ptxas in, line 23; error   : Not a name`:    failed("ptxas in, line 23: Not a name"),
		`k.hip:2:9: error: expected ';'`:             {"k.hip", 2, 9, "error", "expected ';'"},
		`C:\dir\k.hip:2:9: warning: odd [-Wodd]`:     {`C:\dir\k.hip`, 2, 9, "warning", "odd [-Wodd]"},
		`k.hip:2:9: fatal error: 'x.h' not found`:    {"k.hip", 2, 9, "error", "'x.h' not found"},
		`k.hip:99999999999:9: note: far`:             {"k.hip", 0, 9, "note", "far"},
		`error: unknown argument: '-foo'`:            failed("unknown argument: '-foo'"),
		`ld.lld: error: undefined symbol: f`:         failed("ld.lld: undefined symbol: f"),
		"k.cu(3): error: at the end of the line\r\n": {"k.cu", 3, 0, "error", "at the end of the line"},
	} {
		assert.Equal(t, []Message{want}, messages(line), line)
	}
	for _, line := range []string{"", "  *x = 1;", "        ^", "    2 |   *x = unknown;",
		`2 errors detected in the compilation of "k.cu".`, "1 error generated when compiling for gfx942.",
		"In file included from k.hip:1:", `Remark: The warnings can be suppressed`} {
		assert.Empty(t, messages(line), line)
	}
}

func TestMessageText(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "k:2:9: error: no", Message{"k", 2, 9, "error", "no"}.String())
	assert.Equal(t, "k:2: note: no", Message{"k", 2, 0, "note", "no"}.String())
	assert.Equal(t, "error: no", Message{"", 0, 0, "error", "no"}.String())
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	e := &Error{Name: "k.cu", Target: "sm_90", Compiler: "NVRTC 13.5", Reason: ErrSource}
	assert.EqualError(t, e, "compile k.cu for sm_90 with NVRTC 13.5: the source does not compile")
	assert.Equal(t, []error{ErrSource}, e.Unwrap())
	e.Native = errors.New("code 6")
	assert.EqualError(t, e,
		"compile k.cu for sm_90 with NVRTC 13.5: the source does not compile: code 6")
	e.Log = "what it said"
	assert.True(t, strings.HasSuffix(e.Error(), ": the source does not compile\nwhat it said"))
	e.Remedy = "mend it"
	e.Messages = []Message{{"k.cu", 1, 0, "warning", "odd"}, {"k.cu", 2, 0, "error", "no"}}
	assert.True(t, strings.HasSuffix(e.Error(),
		": the source does not compile: mend it\nk.cu:2: error: no"), e.Error())
	for range 12 {
		e.Messages = append(e.Messages, e.Messages[1])
	}
	assert.True(t, strings.HasSuffix(e.Error(), "\nand 3 more errors"))
	assert.Equal(t, 12, strings.Count(e.Error(), "\n")+1)
}

func TestClean(t *testing.T) {
	t.Parallel()
	for log, want := range map[string]string{
		"": "",
		"/tmp/comgr-1d5337/input/k.cu:2:9: error: x":              "dir/k.cu:2:9: error: x",
		"/tmp/comgr-31402-0-9a34af/input/k.cu:2:9: note: x":       "dir/k.cu:2:9: note: x",
		"/var/tmp/u-1/comgr-1d5337/include/a/h.h:1:1: error: x":   "a/h.h:1:1: error: x",
		"In file from /tmp/comgr-1d/input/k.cu:1:\nnext":          "In file from dir/k.cu:1:\nnext",
		"ld.lld: error: /tmp/comgr-1d/input/k.cu.o:11: x":         "ld.lld: error: dir/k.cu.o:11: x",
		"at '/tmp/comgr-1d/input/k.cu' and /tmp/comgr-2/output/o": "at 'dir/k.cu' and o",
		`C:\Users\me\Temp\comgr-1d\input\k.cu:2:9: error: x`:      "dir/k.cu:2:9: error: x",
		"/home/comgr-dev/k.cu:1:1: error: x":                      "/home/comgr-dev/k.cu:1:1: error: x",
		"/tmp/comgr-1d/input/other.cu:1:1: error: x":              "other.cu:1:1: error: x",
	} {
		assert.Equal(t, want, clean(log, "dir/k.cu"), log)
	}
}

// A folder for temporary files whose path has a space.
func TestCleanOfAnotherFolder(t *testing.T) {
	t.Setenv("TMPDIR", "/tmp/with space")
	t.Setenv("TMP", `C:\with space`)
	for _, temp := range []string{"/tmp/with space/comgr-1d/input/k.cu",
		`C:\with space\comgr-1d\input\k.cu`} {
		got := clean("error in "+temp+":2:1", "k.cu")
		if !strings.Contains(got, "with space") { // only the system's own is known
			assert.Equal(t, "error in k.cu:2:1", got)
		}
	}
}

func TestFileName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"k.cu": "k.cu", "a/b/k.cu": "k.cu", "../k.cu": "k.cu",
		"/etc/k.cu": "k.cu", `..\k.cu`: "k.cu", `C:k.cu`: "k.cu", "a/..": defaultName,
		"/": defaultName, "..": defaultName} {
		assert.Equal(t, want, fileName(name), name)
	}
}

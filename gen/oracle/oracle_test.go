package oracle

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

func span(since, removed string) model.Span { return model.Span{Since: since, Removed: removed} }

func layout(size, align int, offsets ...int) []model.Layout {
	return []model.Layout{{Size: size, Align: align, Offsets: offsets}}
}

// small is an API of three releases in which everything that can change has changed once.
func small() *model.Model {
	return &model.Model{
		API: "toy",
		Versions: []model.Version{{Name: "1.0", Number: 100}, {Name: "1.1", Number: 110},
			{Name: "2.0", Number: 200}},
		Functions: []model.Function{
			{Name: "toyAlways", Span: span("1.0", ""), Ret: "toyResult",
				Params: []model.Param{{Name: "out", Type: "toyHandle *"}, {Name: "p", Type: "toyPair"}}},
			{Name: "toyCall", Span: span("1.1", ""), Ret: "toyResult",
				Params: []model.Param{{Name: "fn", Type: "toyFn"}, {Name: "data", Type: "void *"}}},
			{Name: "toyFill", Span: span("1.0", ""), Ret: "toyResult",
				Params: []model.Param{{Name: "first", Type: "toyPair *"}, {Name: "pairs", Type: "toyPair *"},
					{Name: "values", Type: "const float *"}, {Name: "numPairs", Type: "unsigned int *"},
					{Name: "names", Type: "char **"}, {Name: "last", Type: "int *"},
					{Name: "count", Type: "size_t"}}},
			{Name: "toyFlow", Span: span("1.0", ""), Ret: "toyResult",
				Params: []model.Param{{Name: "other", Type: "void *"}, {Name: "fn", Type: "toyFlowFn"},
					{Name: "more", Type: "void *"}, {Name: "payload", Type: "void *"}}},
			{Name: "toyChanged", Span: span("1.0", ""), Ret: "void",
				Params: []model.Param{{Name: "x", Type: "size_t"}},
				Variants: []model.Prototype{{From: "1.0", To: "1.1", Ret: "void",
					Params: []model.Param{{Name: "x", Type: "int"}}}}},
			{Name: "toyGone", Span: span("1.0", "2.0"), Ret: "toyResult",
				Params: []model.Param{{Name: "o", Type: "toyOptions *"}}},
			{Name: "toyName", Span: span("1.0", ""), Ret: "const char *"},
		},
		Enums: []model.Enum{
			{Name: "toyResult", Tag: "toyResult_enum", Span: span("1.0", ""), Values: []model.EnumValue{
				{Name: "TOY_OK", Span: span("1.0", "")},
				{Name: "TOY_MAX", Value: 3, Span: span("1.0", ""),
					Variants: []model.ValueVariant{{From: "1.0", To: "1.0", Value: 2}}},
				{Name: "TOY_HIGH", Value: 0x80000000, Span: span("2.0", "")},
			}},
		},
		Structs: []model.Struct{
			{Name: "toyBits", Span: span("1.0", ""), Layouts: layout(4, 4, 0, 0), Fields: []model.Field{
				{Name: "a", Type: "unsigned int", Bits: 3},
				{Name: "b", Type: "unsigned int", Bits: 5, BitOffset: 3}}},
			{Name: "toyHuge", Span: span("1.0", ""), Layouts: layout(571458, 1, 0),
				Fields: []model.Field{{Name: "bytes", Type: "char[2][285729]"}}},
			{Name: "toyOptions_v1", Span: span("1.0", ""), Layouts: layout(8, 8, 0),
				Fields: []model.Field{{Name: "q", Type: "toyPair *"}}},
			{Name: "toyOptions_v2", Span: span("1.0", ""), Layouts: layout(128, 64, 0),
				Fields: []model.Field{{Name: "a", Type: "char[128]"}}},
			{Name: "toyPair", Tag: "toyPair_st", Span: span("1.0", ""), Layouts: layout(8, 4, 0, 4),
				Fields: []model.Field{
					{Name: "x", Type: "int"},
					{Type: "union", Inner: &model.Struct{Union: true, Layouts: layout(4, 4, 0, 0),
						Fields: []model.Field{{Name: "f", Type: "float"}, {Name: "u", Type: "unsigned int"}}}}}},
		},
		Typedefs: []model.Typedef{
			{Name: "toyFn", Span: span("1.1", ""), Kind: "callback", Ret: "int",
				Params: []model.Param{{Name: "p", Type: "const toyPair *"}, {Name: "data", Type: "void *"}}},
			{Name: "toyFlowFn", Span: span("1.0", ""), Kind: "callback", Ret: "int",
				Params: []model.Param{{Name: "arg0", Type: "void *"}, {Name: "payload", Type: "void *"}}},
			{Name: "toyHandle", Span: span("1.0", ""), Kind: "handle", Type: "struct toyHandle_st *"},
			{Name: "toyOptions", Span: span("1.0", ""), Kind: "alias", Type: "toyOptions_v2",
				Variants: []model.TypedefVariant{{From: "1.0", To: "1.1", Kind: "alias",
					Type: "toyOptions_v1"}}},
		},
		Consts: []model.Const{
			{Name: "TOY_HANDLE", Span: span("1.0", ""), Kind: "pointer", Value: "0x1", Type: "toyHandle"},
			{Name: "TOY_MAX64", Span: span("1.0", ""), Kind: "uint", Value: "18446744073709551615"},
			{Name: "TOY_MIN64", Span: span("1.0", ""), Kind: "int", Value: "-9223372036854775808"},
			{Name: "TOY_TEXT", Span: span("1.0", ""), Kind: "string", Value: "a \"b\""},
		},
		Aliases: []model.Alias{{Name: "toyOld", Kind: "function",
			Spans: []model.AliasSpan{{From: "1.0", To: "2.0", Target: "toyAlways"}}}},
	}
}

func TestEmitIsDeterministic(t *testing.T) {
	t.Parallel()
	a, err := Emit(small())
	require.NoError(t, err)
	for range 5 {
		b, err := Emit(small())
		require.NoError(t, err)
		require.Equal(t, string(a), string(b))
	}
}

func TestReleasesAreToldApart(t *testing.T) {
	t.Parallel()
	text, err := Emit(small())
	require.NoError(t, err)
	for _, want := range []string{
		"#undef toyOld\n",
		"#define ORACLE_VERSION 200\n",
		"#if !ORACLE_ALL && ORACLE_VERSION < 200\nO_API void toyChanged(int x) {",
		"#elif ORACLE_ALL || ORACLE_VERSION >= 200\nO_API void toyChanged(size_t x) {",
		"#if !ORACLE_ALL && ORACLE_VERSION < 110\n    TOY_MAX = 2,\n" +
			"#elif ORACLE_ALL || ORACLE_VERSION >= 110\n    TOY_MAX = 3,\n#endif",
		"#if ORACLE_ALL || ORACLE_VERSION >= 200\n    TOY_HIGH = 0x80000000u,\n#endif",
		"O_F(toyPair, toyPair, u, 4)",
		"} __attribute__((aligned(64)));",
		"if (fn && o_may(0)) o_call(o_call_toyFn, (void *)fn, data);",
	} {
		assert.Contains(t, string(text), want)
	}
}

// A function that is gone meant by a typedef what it meant then.
func TestTypedefOfARemovedFunction(t *testing.T) {
	t.Parallel()
	text, err := Emit(small())
	require.NoError(t, err)
	assert.Contains(t, string(text), "ORACLE_ALL\nO_API toyResult toyGone(toyOptions_v1 *o) {")
	assert.Contains(t, string(text), "O_API toyResult toyGone(toyOptions *o) {")
}

// What C heeds of counts: the array beside one, further arrays to its left, nothing that only looks
// like a second result.
func TestCountedArrays(t *testing.T) {
	t.Parallel()
	h, err := newHistory(small())
	require.NoError(t, err)
	w := &writer{history: h}
	p := func(name, typ string) model.Param {
		return model.Param{Name: name, Type: model.Type(typ)}
	}
	for name, tc := range map[string]struct {
		params []model.Param
		want   []int
	}{
		"on the left": {[]model.Param{p("pctx", "toyHandle *"), p("groups", "toyPair *"),
			p("nbGroups", "int")}, []int{-1, 2, -1}},
		"on the right": {[]model.Param{p("numOps", "size_t"), p("ops", "const toyPair *")},
			[]int{-1, 0}},
		"on the right of a single result": {[]model.Param{p("kind", "int *"),
			p("numSamples", "unsigned int *"), p("samples", "toyPair *")}, []int{-1, -1, 1}},
		"several": {[]model.Param{p("dsts", "size_t *"), p("srcs", "size_t *"), p("count", "size_t"),
			p("fail", "size_t *")}, []int{2, 2, -1, -1}},
		"of one type": {[]model.Param{p("from", "toyHandle *"), p("tos", "toyHandle *"),
			p("numEdges", "size_t *")}, []int{2, 2, -1}},
		"two results": {[]model.Param{p("format", "int *"), p("numChannels", "int *")},
			[]int{-1, -1}},
		"bytes": {[]model.Param{p("ptr", "size_t *"), p("bytesize", "size_t")}, []int{-1, -1}},
		"the library's own array": {[]model.Param{p("nodes", "const toyPair **"),
			p("numNodes", "size_t *")}, []int{-1, -1}},
		"memory of unknown type": {[]model.Param{p("data", "void *"), p("count", "size_t")},
			[]int{-1, -1}},
	} {
		assert.Equal(t, tc.want, w.counted(h.union, &model.Function{Params: tc.params}), name)
	}
	text, err := Emit(small())
	require.NoError(t, err)
	assert.Contains(t, string(text),
		"    size_t o_n1 = numPairs && o_may(3) ? o_many((long long)*numPairs) : 1;")
	assert.Contains(t, string(text),
		"    o_write(1, (void *)pairs, sizeof *pairs * o_n1, O_CLASS(*pairs));")
	assert.Contains(t, string(text), "{\"toyFill\", 0, 1, 3, 0, 0, 0},")
}

// Of two pointers to void, one is the user data and the other points to memory.
func TestCallbackWithTwoPointersToVoid(t *testing.T) {
	t.Parallel()
	text, err := Emit(small())
	require.NoError(t, err)
	assert.Contains(t, string(text), "void *o_a0 = o_cb_points(0, 16);")
	assert.Contains(t, string(text), "void *o_a1 = o_user;")
	assert.Contains(t, string(text),
		"if (fn && o_may(1)) o_call(o_call_toyFlowFn, (void *)fn, payload);")
}

func TestEveryReleaseCompiles(t *testing.T) {
	t.Parallel()
	cc, err := exec.LookPath("gcc")
	if err != nil {
		if cc, err = exec.LookPath("clang"); err != nil {
			t.Skip("no C compiler")
		}
	}
	text, err := Emit(small())
	require.NoError(t, err)
	compile := func(text string, flags ...string) (string, error) {
		file := filepath.Join(t.TempDir(), "toy.c")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		out, err := exec.Command(cc, append(flags, "-std=c11", "-Wall", "-Wno-unused-function",
			"-Wno-int-conversion", "-fsyntax-only", file)...).CombinedOutput()
		return string(out), err
	}
	for _, flag := range []string{"-DUNION", "-DORACLE_VERSION=100", "-DORACLE_VERSION=110",
		"-DORACLE_VERSION=200"} {
		out, err := compile(string(text), flag)
		assert.NoError(t, err, "%s: %s", flag, out)
	}
	for _, wrong := range []struct{ old, new string }{
		{"O_F(toyPair, toyPair, u, 4)", "O_F(toyPair, toyPair, u, 0)"},
		{"O_T(toyPair, toyPair, 8, 4)", "O_T(toyPair, toyPair, 12, 4)"},
		{"O_N(TOY_OK, 0)", "O_N(TOY_OK, 1)"},
	} {
		require.Contains(t, string(text), wrong.old)
		out, err := compile(strings.Replace(string(text), wrong.old, wrong.new, 1))
		assert.Error(t, err, "%s must not compile", wrong.new)
		assert.Contains(t, out, "assert")
	}
}

func TestMalformedTypeIsAnError(t *testing.T) {
	t.Parallel()
	m := small()
	m.Functions[0].Params[0].Type = "toyHandle (*"
	_, err := Emit(m)
	require.ErrorIs(t, err, model.ErrType)
	assert.ErrorContains(t, err, "oracle of toy")
}

func TestRefs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock := filepath.Join(dir, "toy.lock")
	require.NoError(t, os.WriteFile(lock,
		[]byte("Call func toyCall\nFn type toyFn\nFnRef type toyFn.ref\nNewFn func toyFn.new\n"), 0o644))
	l, err := rules.LoadLock(lock)
	require.NoError(t, err)
	r := &rules.Rules{API: "toy", Lock: l}
	r.Binding.Package = "toypkg"
	text, err := Refs([]Subject{{Rules: r}})
	require.NoError(t, err)
	assert.Contains(t, string(text), "import (\n\t\"github.com/gpuevent/gpuevent/toypkg\"\n)")
	assert.Contains(t, string(text), "var refs = map[string][]any{\n\t\"toy\": {\n"+
		"\t\ttoypkg.NewFn,\n\t},\n}\n")
	text, err = Refs(nil)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "import")
}

func TestBindingsAndHeaders(t *testing.T) {
	t.Parallel()
	r := &rules.Rules{API: "toy", Lock: &rules.Lock{Names: []rules.Name{
		{Go: "Result", Kind: "type", C: "toyResult"}}}}
	r.Binding.Package, r.Binding.Result, r.Binding.Success = "toygo", "toyResult", "TOY_MAX"
	r.Binding.Library.Name, r.Binding.Library.NoDevices = "Toy", []string{"TOY_DEVICES=none"}
	r.Binding.Header.Files = []string{"toy/toy.h", "?more.h"}
	r.Binding.Header.Defines = []string{"TOY=1"}
	r.Binding.Header.Stubs = map[string]string{"other.h": "typedef int other;"}
	toy := Subject{small(), r}
	text, err := Bindings([]Subject{toy})
	require.NoError(t, err)
	for _, want := range []string{`"github.com/gpuevent/gpuevent/toygo"`, "API: &proof.Toy, " +
		"Library: &libs.Toy, Load: toygo.Load,", `result[toygo.Result](3), Enum: "toyResult",`,
		`NoDevices: []string{"TOY_DEVICES=none"},`} {
		assert.Contains(t, string(text), want)
	}
	text, err = Headers([]Subject{toy})
	require.NoError(t, err)
	for _, want := range []string{`"toy": {`, `[]string{"toy/toy.h", "?more.h"},`,
		`[]string{"TOY=1"},`, `"other.h": "typedef int other;",`} {
		assert.Contains(t, string(text), want)
	}
	r.Binding.Success = "TOY_NONE"
	_, err = Bindings([]Subject{toy})
	require.ErrorContains(t, err, "toyResult has no enumerator TOY_NONE")
	r.Binding.Result = "toyOther"
	_, err = Bindings([]Subject{toy})
	require.ErrorContains(t, err, "the lock has no Go name for toyOther")
}

package model

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// small is a model with one of each.
func small() *Model {
	span := Span{Since: "1.0"}
	both := []string{"linux/amd64", "windows/amd64"}
	return &Model{
		API: "cuda",
		Versions: []Version{{Name: "1.0", Number: 1000}, {Name: "1.1", Number: 1010},
			{Name: "2.0", Number: 2000}},
		Targets: []Target{{"linux", "amd64"}, {"windows", "amd64"}},
		Functions: []Function{
			{
				Name: "cuClose", Span: Span{Since: "0.9", Removed: "2.0"}, Internal: "2.0", Ret: "int",
				Params: []Param{{Name: "gizmo", Type: "CUgizmo", Dir: "in"}},
			},
			{
				Name: "cuOpen", Span: span, Ret: "CUmode", Params: []Param{{Name: "gizmo", Type: "CUgizmo *"}},
				Variants: []Prototype{{From: "1.0", To: "1.1", Ret: "int",
					Params: []Param{{Name: "gizmo", Type: "void **"}}}},
			},
		},
		Enums: []Enum{{Name: "CUmode", Tag: "CUmode_enum", Span: span, Signed: true, Values: []EnumValue{
			{Name: "CU_A", Value: -1, Span: span},
			{Name: "CU_B", Value: 1 << 31, Span: Span{Since: "1.1"},
				Variants: []ValueVariant{{"1.1", "1.1", 5}}},
		}}},
		Structs: []Struct{{
			Name: "CUinfo", Span: span,
			Layouts: []Layout{{both[:1], 16, 8, []int{0, 8}}, {both[1:], 8, 4, []int{0, 4}}},
			Fields: []Field{{Name: "n", Type: "long"}, {Type: "union", Inner: &Struct{
				Union: true, Layouts: []Layout{{both, 4, 4, []int{0, 0}}},
				Fields: []Field{{Name: "a", Type: "int"}, {Name: "b", Type: "unsigned int", Bits: 3}},
			}}},
		}},
		Typedefs: []Typedef{
			{Name: "CUcallback", Span: span, Kind: "callback", Ret: "void",
				Params: []Param{{Name: "arg0", Type: "const CUinfo *"}}},
			{Name: "CUgizmo", Span: span, Kind: "handle", Type: "struct CUgizmo_st *"},
		},
		Consts: []Const{{Name: "CU_FIRST", Span: span, Kind: "pointer", Value: "0x1", Type: "CUgizmo"}},
		Aliases: []Alias{{Name: "cuStart", Kind: "function",
			Spans: []AliasSpan{{"1.0", "1.1", "cuClose"}, {"2.0", "2.0", "cuOpen"}}}},
	}
}

func TestEncodeDecode(t *testing.T) {
	t.Parallel()
	m := small()
	require.Empty(t, m.Check())
	data, err := m.Encode()
	require.NoError(t, err)
	back, err := Decode("small.json", data)
	require.NoError(t, err)
	assert.Equal(t, m, back)

	path := filepath.Join(t.TempDir(), "small.json")
	require.NoError(t, m.Save(path))
	require.NoError(t, m.Save(path), "over an old one")
	loaded, err := Load(path)
	require.NoError(t, err)
	assert.Equal(t, m, loaded)
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, left, 1, "no temporary file stays behind")
}

// TestSaveToDevice shows that a device stays what it is.
func TestSaveToDevice(t *testing.T) {
	t.Parallel()
	// were it replaced, the machine's own device would not be
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(os.DevNull, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	require.NoError(t, small().Save(link))
	st, err := os.Lstat(link)
	require.NoError(t, err)
	assert.NotZero(t, st.Mode()&os.ModeSymlink)
	assert.Error(t, small().Save(t.TempDir()), "a folder is no file")
}

// TestEncodeSmallDiffs shows that a release which changes nothing adds one line, and one that adds
// an enumerator adds one more.
func TestEncodeSmallDiffs(t *testing.T) {
	t.Parallel()
	m := small()
	before, err := m.Encode()
	require.NoError(t, err)
	m.Versions = append(m.Versions, Version{Name: "2.1", Number: 2010})
	m.Aliases[0].Spans[1].To = "2.1"
	m.Enums[0].Values = append(m.Enums[0].Values,
		EnumValue{Name: "CU_C", Value: 3, Span: Span{Since: "2.1"}})
	after, err := m.Encode()
	require.NoError(t, err)
	old := map[string]bool{}
	for l := range strings.Lines(string(before)) {
		old[strings.TrimRight(l, ",]}\n")] = true
	}
	var added []string
	for l := range strings.Lines(string(after)) {
		if l = strings.TrimRight(l, ",]}\n"); !old[l] {
			added = append(added, strings.TrimSpace(l))
		}
	}
	assert.Equal(t, []string{`{"name":"2.1","number":2010`, `{"name":"CU_C","value":3,"since":"2.1"`},
		added)
}

func TestDecodeErrors(t *testing.T) {
	t.Parallel()
	data, err := small().Encode()
	require.NoError(t, err)
	good := string(data)
	line := func(part string) int {
		before, _, ok := strings.Cut(good, part)
		require.True(t, ok, part)
		return 1 + strings.Count(before, "\n")
	}
	tests := []struct {
		name, old, new string
		at             string // a text in the line that the error must name
		says           string
	}{
		{"unknown key", `"tag":"CUmode_enum"`, `"tagg":"CUmode_enum"`, `"name":"CUmode"`,
			`unknown field "tagg"`},
		{"unknown key in an enumerator", `"value":-1`, `"value":-1,"x":1`, `"CU_A"`, `unknown field "x"`},
		{"key twice", `"tag":"CUmode_enum"`, `"tag":"a","tag":"b"`, `"name":"CUmode"`,
			`"tag" is repeated`},
		{"wrong kind of value", `"number":1010`, `"number":"1010"`, `"number":1010`,
			"cannot unmarshal string"},
		{"syntax", `{"name":"1.1"`, `{"name":1.1.1`, `{"name":"1.1"`, "invalid character"},
		{"unknown section", `"functions": [`, `"funktions": [`, `"functions": [`,
			`unknown section "funktions"`},
		{"name twice", `"name":"cuOpen"`, `"name":"cuClose"`, `"name":"cuOpen"`,
			"cuClose: the name is repeated"},
		{"out of order", `"name":"cuClose"`, `"name":"cuZ"`, `"name":"cuOpen"`, "sorted by name"},
		{"type without a name", `"type":"CUgizmo *"`, `"type":"CUgadget *"`, `"name":"cuOpen"`,
			`no type is named "CUgadget"`},
		{"type that is none", `"type":"CUgizmo *"`, `"type":"CUgizmo &"`, `"name":"cuOpen"`,
			"malformed C type"},
		{"unknown version", `"removed":"2.0"`, `"removed":"2.5"`, `"name":"cuClose"`,
			`removed "2.5" is none of the versions`},
		{"removed before it came", `"since":"0.9"`, `"since":"3.0"`, `"name":"cuClose"`,
			"removed in 2.0, but there since 3.0"},
		{"stretch backwards", `"from":"1.0","to":"1.1","ret":"int"`,
			`"from":"1.1","to":"1.0","ret":"int"`, `"name":"cuOpen"`, "from 1.1 is newer than to 1.0"},
		{"wrong sign", `"signed":true,`, ``, `"name":"CUmode"`, "signed is false"},
		{"offset too many", `"offsets":[0,8]`, `"offsets":[0,8,9]`, `"name":"CUinfo"`,
			"3 offsets for 2 fields"},
		{"offset out of the struct", `"offsets":[0,8]`, `"offsets":[0,17]`, `"name":"CUinfo"`,
			"offset 17 of 16 bytes"},
		{"targets that are none", `"targets":["windows/amd64"],`, `"targets":["plan9/amd64"],`,
			`"name":"CUinfo"`, "plan9"},
		{"alias to nowhere", `"target":"cuOpen"`, `"target":"cuNone"`, `"name":"cuStart"`,
			`no function is named "cuNone"`},
		{"constant that is no number", `"value":"0x1"`, `"value":"one"`, `"name":"CU_FIRST"`,
			`value "one"`},
		{"kind that is none", `"kind":"callback"`, `"kind":"recall"`, `"name":"CUcallback"`,
			`kind "recall"`},
		{"direction that is none", `"dir":"in"`, `"dir":"up"`, `"name":"cuClose"`, `direction "up"`},
		{"versions out of order", `{"name":"1.1"`, `{"name":"0.1"`, `{"name":"1.1"`, "oldest first"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, good, tt.old)
			_, err := Decode("bad.json", []byte(strings.Replace(good, tt.old, tt.new, 1)))
			require.ErrorIs(t, err, ErrSpec)
			var at *SpecError
			require.ErrorAs(t, err, &at)
			assert.Equal(t, "bad.json", at.File)
			assert.Equal(t, line(tt.at), at.Line, "%v", err)
			assert.ErrorContains(t, err, tt.says)
		})
	}
	for name, text := range map[string]string{"empty": "", "cut off": good[:len(good)/2],
		"no object": "[]", "more behind": good + "{}"} {
		_, err := Decode("bad.json", []byte(text))
		assert.ErrorIs(t, err, ErrSpec, name)
		assert.ErrorContains(t, err, "bad.json:", name)
	}
	_, err = Load(filepath.Join(t.TempDir(), "none.json"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// TestDecodeAllProblems shows that one run names every malformed entity.
func TestDecodeAllProblems(t *testing.T) {
	t.Parallel()
	m := small()
	m.Functions[0].Ret, m.Functions[1].Ret = "CUone", "CUtwo"
	data, err := m.Encode()
	require.NoError(t, err)
	_, err = Decode("bad.json", data)
	assert.ErrorContains(t, err, `"CUone"`)
	assert.ErrorContains(t, err, `"CUtwo"`)
}

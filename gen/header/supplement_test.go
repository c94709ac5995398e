package header

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/model"
)

const (
	// oldHeader is the newest header that is available.
	oldHeader = `#define HIP_VERSION 90112345
typedef enum hipError_t { hipSuccess = 0, hipErrorLast = 5, hipErrorTbd = 9 } hipError_t;
typedef union hipValue { char pad[16]; void *plain; } hipValue;
typedef struct hipPlain { int a; } hipPlain;
typedef struct ihipGizmo_t *hipGizmo_t;
hipError_t hipGizmoOpen(hipGizmo_t *gizmo);
`
	// newer is a supplement to it.
	newer = `version = "9.4"
number = 90400001
source = "a binding"
moved = ["hipErrorTbd"]

[check]
file = "gizmo.pxd"
functions = 2

[values.hipError_t]
hipErrorTbd = 10
hipErrorNew = 9

[members]
hipValue = '''
  struct { int x, y; } pair;
  const hipGizmoInfo *info;
'''

[values.hipEnumOfLater]
`
	declares = "declarations = '''\n" +
		"typedef struct hipGizmoInfo_st { int size; } hipGizmoInfo;\n" +
		"/** @addtogroup Gizmo @{ */\n" +
		"hipError_t hipGizmoAsk(hipGizmo_t gizmo, const hipGizmoInfo *info);\n" +
		"/** @} */\n'''\n"
)

// supplementText is the text of a supplement with another part in place of one of newer.
func supplementText(pairs ...string) string {
	text := strings.Replace(newer, "[check]", declares+"[check]", 1)
	text = strings.Replace(text, "\n[values.hipEnumOfLater]\n", "", 1)
	return strings.NewReplacer(pairs...).Replace(text)
}

// parseSupplemented reads oldHeader with a supplement on top of it.
func parseSupplemented(t *testing.T, header, text string) (model.Release, error) {
	t.Helper()
	s, err := parseSupplement("specs/hip.supplement.toml", text)
	if err != nil {
		return model.Release{}, err
	}
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "hip"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "hip", "hip_runtime_api.h"), []byte(header),
		0o600))
	o := optionsOf(t, "hip", dir, "9.1.7")
	o.Supplement = s
	return Parse(o)
}

// TestSupplement shows that a supplement makes another release of a header, which has all that the
// header has.
func TestSupplement(t *testing.T) {
	t.Parallel()
	r, err := parseSupplemented(t, oldHeader, supplementText())
	require.NoError(t, err)
	require.Empty(t, r.Check())
	v := r.Versions[0]
	assert.Equal(t, []any{"9.4", 90400001, "a binding"}, []any{v.Name, v.Number, v.Supplement})

	require.Len(t, r.Functions, 2)
	assert.Equal(t, "hipError_t hipGizmoAsk(hipGizmo_t gizmo, const hipGizmoInfo *info)",
		r.Functions[0].C())
	assert.Equal(t, "Gizmo", r.Functions[0].Group)
	assert.Equal(t, "9.4", r.Functions[1].Since, "in the model of that version alone")

	var values []string
	for _, x := range r.Enums[0].Values {
		values = append(values, x.Name)
	}
	assert.Equal(t, []string{"hipSuccess", "hipErrorLast", "hipErrorNew", "hipErrorTbd"}, values)
	assert.EqualValues(t, 10, r.Enums[0].Values[3].Value)

	var names []string
	for _, s := range r.Structs {
		names = append(names, s.Name)
		if s.Name == "hipValue" {
			require.Len(t, s.Layouts, 1)
			assert.Equal(t, model.Layout{Targets: s.Layouts[0].Targets, Size: 16, Align: 8,
				Offsets: []int{0, 0, 0, 0}}, s.Layouts[0])
			assert.NotNil(t, s.Fields[2].Inner)
			assert.Equal(t, model.Type("const hipGizmoInfo *"), s.Fields[3].Type)
		}
	}
	assert.Equal(t, []string{"hipGizmoInfo", "hipPlain", "hipValue"}, names)
}

func TestSupplementErrors(t *testing.T) {
	t.Parallel()
	const old = oldHeader
	tests := []struct {
		name, header, text string
		is                 error
		says               []string
	}{
		{"unknown key", old, supplementText("moved", "removed"), ErrSupplement,
			[]string{"hip.supplement.toml", "unknown key removed"}},
		{"no number", old, supplementText("number = 90400001", ""), ErrSupplement,
			[]string{"version, number and source"}},
		{"the line of a syntax error", old, supplementText("hipGizmoAsk(", "hipGizmoAsk(("), ErrParse,
			[]string{"specs/hip.supplement.toml:9:"}},
		{"the line of a member", old, supplementText("*info;", "*info +;"), ErrParse,
			[]string{"specs/hip.supplement.toml:23:"}},
		{"C text that TOML changes", old, supplementText("hipValue = '''", `hipValue = """`,
			"*info;\n'''", "*\\u0069nfo;\n\"\"\""), ErrSupplement, []string{"between ''' and"}},
		{"moved without a word", old, supplementText(`["hipErrorTbd"]`, `[]`), ErrSupplement,
			[]string{"hipErrorTbd is 9 in the header and 10 here", "name it in moved"}},
		{"moved, but it is not", old, supplementText(`["hipErrorTbd"]`, `["hipErrorTbd", "hipSuccess"]`),
			ErrSupplement, []string{"moved names hipSuccess"}},
		{"no such enum", old, supplementText("values.hipError_t", "values.hipMode"), ErrSupplement,
			[]string{"[values.hipMode]", "no such enum"}},
		{"a struct gets members", old, supplementText("hipValue = ", "hipPlain = "), ErrSupplement,
			[]string{"[members] hipPlain", "no such union"}},
		{"members that the union has no room for", old, supplementText("int x, y", "int x[5]"),
			ErrSupplement, []string{"[members] hipValue", "need 24 bytes"}},
		{"a member that is there", old, supplementText("*info;", "*plain;"), ErrSupplement,
			[]string{"[members] hipValue", "has the member plain"}},
		{"a header that is newer", strings.Replace(old, "90112345", "90500000", 1), supplementText(),
			ErrVersion, nil},
		{"a struct that the header has by now, and otherwise",
			old + "typedef struct hipGizmoInfo_st { int size, more; } hipGizmoInfo;\n", supplementText(),
			ErrParse, []string{"specs/hip.supplement.toml", "hipGizmoInfo"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := parseSupplemented(t, tt.header, tt.text)
			require.ErrorIs(t, err, tt.is)
			for _, s := range tt.says {
				assert.ErrorContains(t, err, s)
			}
		})
	}
}

// TestSupplementTakesNothingAway shows that a release made with a supplement keeps what it does not
// name, and that a merge counts nothing as removed.
func TestSupplementTakesNothingAway(t *testing.T) {
	t.Parallel()
	base, err := parseText("hip", map[string]string{"hip/hip_runtime_api.h": oldHeader})
	require.NoError(t, err)
	r, err := parseSupplemented(t, oldHeader, supplementText())
	require.NoError(t, err)
	r.Versions[0].Lacks = base.Versions[0].Lacks
	m, err := model.Merge([]model.Release{base, r})
	require.NoError(t, err)
	require.Empty(t, m.Check())
	for _, f := range m.Functions {
		assert.Empty(t, f.Removed, f.Name)
	}
	for _, v := range m.Enums[0].Values {
		assert.Empty(t, v.Removed, v.Name)
		if v.Name == "hipErrorTbd" {
			assert.Equal(t, []model.ValueVariant{{From: "9.1", To: "9.1", Value: 9}}, v.Variants)
		}
	}
	back, err := m.Release("9.4")
	require.NoError(t, err)
	assert.Equal(t, "a binding", back.Versions[0].Supplement)
}

// TestCrossCheck shows that each kind of difference from the file that a supplement was made from
// is found.
func TestCrossCheck(t *testing.T) {
	t.Parallel()
	const pxd = `cdef extern from "hip/hip_runtime.h":
    cdef enum hipError_t:
        hipSuccess
        hipErrorLast
        hipErrorNew
        hipErrorTbd
    cdef union hipValue:
        char pad[16]
        void * plain
        hipValue_struct_0 pair
        const hipGizmoInfo_st * info
    cdef struct hipGizmoInfo_st:
        int size
    ctypedef hipGizmoInfo_st hipGizmoInfo
    cdef struct ihipGizmo_t:
        pass
    ctypedef ihipGizmo_t * hipGizmo_t

cdef hipError_t hipGizmoOpen(hipGizmo_t * gizmo) except? hipSuccess nogil
cdef hipError_t hipGizmoAsk(hipGizmo_t gizmo,const hipGizmoInfo_st * info) except? hipSuccess nogil
`
	for _, tt := range []struct{ name, old, new, says string }{
		{"nothing", "", "", ""},
		{"a parameter", "hipGizmoOpen(hipGizmo_t *", "hipGizmoOpen(hipGizmo_t", "hipGizmoOpen is"},
		{"a const", "gizmo,const", "gizmo,", "hipGizmoAsk is"},
		{"a result", "hipError_t hipGizmoAsk", "int hipGizmoAsk", "hipGizmoAsk is"},
		{"a function more", "cdef hipError_t hipGizmoAsk", "cdef int hipMore()\ncdef hipError_t " +
			"hipGizmoAsk", "hipMore, a function, is missing"},
		{"their number", "cdef hipError_t hipGizmoAsk", "cdef int hipMore()\ncdef hipError_t " +
			"hipGizmoAsk", "declares 3 functions, not 2"},
		{"a function less", "cdef hipError_t hipGizmoOpen", "# ", "hipGizmoOpen is not in"},
		{"an enumerator", "hipErrorNew", "hipErrorOther", "enum hipError_t lacks hipErrorOther"},
		{"an enumerator less", "        hipErrorNew\n", "", "has hipErrorNew, which"},
		{"a member's type", "int size", "long size", "hipGizmoInfo_st.size is int here and long"},
		{"a member's length", "pad[16]", "pad[32]", "char[32]"},
		{"a member", "int size", "int count", "struct hipGizmoInfo_st lacks count"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := parseSupplement("specs/hip.supplement.toml", supplementText())
			require.NoError(t, err)
			r, err := parseSupplemented(t, oldHeader, supplementText())
			require.NoError(t, err)
			dir := t.TempDir()
			_, there, err := s.CrossCheck(r, dir)
			require.NoError(t, err)
			require.False(t, there)

			text := strings.Replace(pxd, tt.old, tt.new, 1)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "gizmo.pxd"), []byte(text), 0o600))
			differs, there, err := s.CrossCheck(r, dir)
			require.NoError(t, err)
			require.True(t, there)
			if tt.says == "" {
				assert.Empty(t, differs)
			} else {
				assert.Contains(t, strings.Join(differs, "\n"), tt.says)
			}
		})
	}
}

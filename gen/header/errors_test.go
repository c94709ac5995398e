package header

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"modernc.org/cc/v4"
)

const version = "#define CUDA_VERSION 99010\n"

func TestParseErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		is         error
		says       []string // among them the file and the line
	}{
		{"syntax", version + "int cuGizmo(int x;\n", ErrParse, []string{"vendor/cuda.h:2:"}},
		{"unknown type", version + "\nCUresult cuGizmo(void);\n", ErrParse, []string{"vendor/cuda.h:3:"}},
		{"missing include", version + "#include <nowhere.h>\n", ErrParse,
			[]string{"vendor/cuda.h:2:", "nowhere.h"}},
		{"host's headers are out of sight", version + "#include <sys/socket.h>\n", ErrParse,
			[]string{"vendor/cuda.h:2:", "sys/socket.h"}},
		{"#error", version + "#error no such platform\n", ErrParse,
			[]string{"vendor/cuda.h:2:", "no such platform"}},
		{"unclosed #if", version + "#if 1\nint cuGizmo(void);\n", ErrParse, []string{"vendor/cuda.h:"}},
		{"unclosed struct", version + "struct CUgizmo {\n int a;\n", ErrParse,
			[]string{"vendor/cuda.h:3:", "EOF"}},
		{"ends after enum", version + "enum", ErrParse,
			[]string{"vendor/cuda.h:2:", "expected enum specifier"}},
		{"ends after enum in a struct", version + "struct CUgizmo {\nenum", ErrParse,
			[]string{"vendor/cuda.h:3:"}},
		{"ends within a declaration", version + "int cuGizmo(void)", ErrParse,
			[]string{"vendor/cuda.h:2:", "unexpected EOF"}},
		{"array without constant length", version + "extern int n;\nstruct CUgizmo { int a[n]; };\n",
			ErrParse, []string{"vendor/cuda.h:3"}},
		{"type that has no spelling", version + "_Complex double cuGizmo(void);\n", ErrParse,
			[]string{"vendor/cuda.h:2: ", "not supported"}},
		{"enumerators over 64 bits together", version + "enum CUgizmo {\n CU_GIZMO_BIG = " +
			"0xffffffffffffffffULL,\n CU_GIZMO_LESS = -1 };\n", ErrParse,
			[]string{"vendor/cuda.h:2", "CUgizmo", "64 bits"}},
		{"no version", "int cuGizmo(void);\n", ErrVersion, []string{"CUDA_VERSION"}},
		{"version is no number", "#define CUDA_VERSION \"12\"\n", ErrVersion, []string{"CUDA_VERSION"}},
		{"value differs between targets", version + "#define CU_GIZMO_SIZE sizeof(long)\n", ErrTargets,
			[]string{"CU_GIZMO_SIZE", "windows/amd64"}},
		{"prototype differs between targets",
			version + "#ifdef _WIN32\nint cuGizmo(int);\n#else\nint cuGizmo(void);\n#endif\n", ErrTargets,
			[]string{"cuGizmo", "windows/amd64"}},
		{
			"bit-fields of mixed types", version + "struct CUgizmo {\n unsigned a : 3;\n" +
				" unsigned char b : 3; };\n",
			ErrParse, []string{"vendor/cuda.h:2", "bit-field b", "Windows"},
		},
		{"member of unknown size", version + "struct CUgizmo {\n int a;\n struct CUnone b; };\n",
			ErrParse, []string{"vendor/cuda.h:", "\"b\""}},
		{"packed member", version + "struct CUgizmo {\n char a;\n int b __attribute__((packed)); };\n",
			ErrParse, []string{"vendor/cuda.h:4", "packed"}},
		{"vector type", version + "typedef float CUgizmo __attribute__((vector_size(16)));\n", ErrParse,
			[]string{"vendor/cuda.h:2", "vector_size"}},
		{
			"member within a bit-field's unit", version + "struct CUgizmo { unsigned a : 3; char b; };\n",
			ErrParse, []string{"vendor/cuda.h:2", "b shares a unit", "Windows"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := parseText("cuda", map[string]string{"cuda.h": tt.text})
			require.ErrorIs(t, err, tt.is)
			for _, s := range tt.says {
				assert.ErrorContains(t, err, s)
			}
		})
	}
}

// TestBounded shows that a front end that does not come to an end is given up.
func TestBounded(t *testing.T) {
	t.Parallel()
	translate := func(limit time.Duration) (*cc.AST, error) {
		// each its own configuration: cc keeps its state there, and the one given up goes on
		fs := &files{dir: "vendor", cache: map[string][]byte{}}
		cfg, err := config(Targets[0], fs, &packing{})
		require.NoError(t, err)
		return bounded(limit, cfg, []cc.Source{
			{Name: "<predefined>", Value: predefined(Targets[0], nil)},
			{Name: "<builtin>", Value: cc.Builtin}, {Name: "<cuda>", Value: "int cuGizmo(void);"}})
	}
	_, err := translate(time.Nanosecond)
	require.ErrorContains(t, err, "did not come to an end in 1ns")
	ast, err := translate(time.Minute)
	require.NoError(t, err)
	assert.NotNil(t, ast.Scope.Nodes["cuGizmo"])
}

func TestParseOptionErrors(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(miniDir, "enums", "include")
	empty := t.TempDir()
	file := filepath.Join(empty, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	tests := []struct {
		name string
		opts Options
		is   error
		says string
	}{
		{"no folder", optionsOf(t, "cuda", filepath.Join(empty, "gone"), ""), ErrNoHeader, "gone"},
		{"no folder but a file", optionsOf(t, "cuda", file, ""), ErrNoHeader, "no folder"},
		{"no header in the folder", optionsOf(t, "cuda", empty, ""), ErrNoHeader, "cuda.h"},
		{"header of the other API", optionsOf(t, "hip", dir, ""), ErrNoHeader, "hip_runtime_api.h"},
		{"folder promises another version", optionsOf(t, "cuda", dir, "99.2"), ErrVersion,
			"is 99.1 (CUDA_VERSION 99010), not 99.2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse(tt.opts)
			require.ErrorIs(t, err, tt.is)
			assert.ErrorContains(t, err, tt.says)
		})
	}
}

// TestHIPVersion shows that a HIP header's own number holds major and minor only, and the folder
// says the rest.
func TestHIPVersion(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(miniDir, "inline_wrappers", "include")
	for asked, want := range map[string]string{"": "9.1", "9.1": "9.1", "9.1.4": "9.1.4"} {
		r, err := Parse(optionsOf(t, "hip", dir, asked))
		require.NoError(t, err)
		assert.Equal(t, want, r.Name())
		assert.Equal(t, 90112345, r.Versions[0].Number)
	}
	_, err := Parse(optionsOf(t, "hip", dir, "9.10"))
	assert.ErrorIs(t, err, ErrVersion)
}

// TestSilentTraps holds on to the settings without which cc gives wrong layouts and no error.
func TestSilentTraps(t *testing.T) {
	t.Parallel()
	text := version + strings.Join([]string{
		"#include <stddef.h>",
		"#if !defined(__LP64__) && !defined(_WIN64)",
		"#error not 64 bits",
		"#endif",
		"#if __STDC_VERSION__ < 201112L",
		"#error not C11",
		"#endif",
		"#if __has_attribute(ext_vector_type)",
		"#error the C++ branch",
		"#endif",
		"typedef struct CUgizmo_st { char c; _Alignas(64) char wide; size_t size; enum { CU_GIZMO_A } " +
			"kind; void *p; } CUgizmo;",
		"typedef enum CUgizmoSign_enum { CU_GIZMO_ALL = 0xffffffff } CUgizmoSign;",
	}, "\n") + "\n"
	r, err := parseText("cuda", map[string]string{"cuda.h": text})
	require.NoError(t, err)
	require.Len(t, r.Structs, 1)
	require.Len(t, r.Structs[0].Layouts, 1, "all targets agree")
	l := r.Structs[0].Layouts[0]
	assert.Equal(t, 128, l.Size)
	assert.Equal(t, 64, l.Align)
	assert.Equal(t, []int{0, 64, 72, 80, 88}, l.Offsets)
	for _, e := range r.Enums {
		assert.False(t, e.Signed, e.Name)
	}
}

func TestPragmaOnce(t *testing.T) {
	t.Parallel()
	r, err := parseText("hip", map[string]string{
		"hip/hip_runtime_api.h": "#include \"hip/types.h\"\n#include <hip/types.h>\n" +
			"hipGizmo hipGizmoMake(void);\n",
		"hip/types.h": "#pragma once\n#define HIP_VERSION 90112345\n" +
			"typedef struct hipGizmo { int a; } hipGizmo;\n#pragma\n#pragma GCC poison x\n",
	})
	require.NoError(t, err)
	assert.Len(t, r.Structs, 1)
}

// TestQuotedInclude shows that a header may include its neighbours by quotes, relative to the
// include folder or to itself.
func TestQuotedInclude(t *testing.T) {
	t.Parallel()
	r, err := parseText("hip", map[string]string{
		"hip/hip_runtime_api.h": "#include \"hip/detail/types.h\"\nhipGizmo_t hipGizmo(void);\n",
		"hip/detail/types.h":    "#include \"near.h\"\ntypedef hipNear_t hipGizmo_t;\n",
		"hip/detail/near.h":     "#define HIP_VERSION 90112345\ntypedef int hipNear_t;\n",
	})
	require.NoError(t, err)
	require.Len(t, r.Functions, 1)
	assert.Equal(t, "hipGizmo_t hipGizmo(void)", r.Functions[0].C())
}

// TestDeclspec shows that Windows headers spell attributes in their own way and mean the same.
func TestDeclspec(t *testing.T) {
	t.Parallel()
	r, err := parseText("cuda", map[string]string{"cuda.h": version + `
#ifdef _WIN32
#define API __declspec(dllimport)
#define OLD __declspec(deprecated)
#define WIDE __declspec(align(64))
#else
#define API
#define OLD __attribute__((deprecated))
#define WIDE __attribute__((aligned(64)))
#endif
OLD int API cuGizmo(void);
typedef struct WIDE CUgizmo_st { char c; } CUgizmo;
`})
	require.NoError(t, err)
	assert.NotEmpty(t, r.Functions[0].Deprecated)
	require.Len(t, r.Structs[0].Layouts, 1, "all targets agree")
	assert.Equal(t, 64, r.Structs[0].Layouts[0].Size)
}

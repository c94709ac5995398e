package header

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/model"
)

// TestPacked gives the layouts that GCC and Clang choose for packed structs.
func TestPacked(t *testing.T) {
	t.Parallel()
	const members = "{ char a; int b; short c; long long d; } CUgizmo;\n"
	tests := []struct {
		name, text string
		want       model.Layout
	}{
		{"attribute in front", "typedef struct __attribute__((packed)) " + members,
			model.Layout{Size: 15, Align: 1, Offsets: []int{0, 1, 5, 7}}},
		{"attribute behind", "typedef struct { char a; int b; } __attribute__((__packed__)) CUgizmo;\n",
			model.Layout{Size: 5, Align: 1, Offsets: []int{0, 1}}},
		{"pragma", "#pragma pack(push, 1)\ntypedef struct " + members + "#pragma pack(pop)\n",
			model.Layout{Size: 15, Align: 1, Offsets: []int{0, 1, 5, 7}}},
		{"pragma without push", "#pragma pack(2)\ntypedef struct " + members + "#pragma pack()\n",
			model.Layout{Size: 16, Align: 2, Offsets: []int{0, 2, 6, 8}}},
		{"limit above all alignments", "#pragma pack(push, 8)\ntypedef struct " + members +
			"#pragma pack(pop)\n", model.Layout{Size: 24, Align: 8, Offsets: []int{0, 4, 8, 16}}},
		{"after the pragma", "#pragma pack(push, 1)\n#pragma pack(pop)\ntypedef struct " + members,
			model.Layout{Size: 24, Align: 8, Offsets: []int{0, 4, 8, 16}}},
		{"union", "#pragma pack(push, 1)\ntypedef union { int a; char b[5]; } CUgizmo;\n" +
			"#pragma pack(pop)\n", model.Layout{Size: 5, Align: 1, Offsets: []int{0, 0}}},
		{"whole units of bit-fields", "#pragma pack(push, 1)\ntypedef struct { unsigned a : 3; " +
			"unsigned b : 29; } CUgizmo;\n#pragma pack(pop)\n",
			model.Layout{Size: 4, Align: 1, Offsets: []int{0, 0}}},
		{"a struct inside is not packed by the attribute",
			"typedef struct __attribute__((packed)) { char a; struct { char b; int c; } d; } CUgizmo;\n",
			model.Layout{Size: 9, Align: 1, Offsets: []int{0, 1}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := parseText("cuda", map[string]string{"cuda.h": version + tt.text})
			require.NoError(t, err)
			require.Len(t, r.Structs, 1)
			require.Len(t, r.Structs[0].Layouts, 1, "all targets agree")
			tt.want.Targets = r.Structs[0].Layouts[0].Targets
			assert.Equal(t, tt.want, r.Structs[0].Layouts[0])
		})
	}
}

// TestPackedRefused has the packings whose layout would be a guess.
func TestPackedRefused(t *testing.T) {
	t.Parallel()
	const region = "#pragma pack(push, 1)\n"
	tests := []struct{ name, text, says string }{
		{"open at the end", region + "typedef struct { int a; } CUgizmo;\n", "vendor/cuda.h:2"},
		{"include inside", region + "#include <stdint.h>\n#pragma pack(pop)\n", "vendor/cuda.h:3"},
		{"nested", region + "#pragma pack(push, 2)\n#pragma pack(pop)\n", "vendor/cuda.h:3"},
		{"named", "#pragma pack(push, name, 1)\n", "vendor/cuda.h:2"},
		{"no power of two", "#pragma pack(3)\n#pragma pack()\n", "vendor/cuda.h:2"},
		{"bit-fields that begin a unit only", region + "typedef struct { unsigned a : 3; } CUgizmo;\n" +
			"#pragma pack(pop)\n", "bit-fields"},
		{"bit-fields beside others", region + "typedef struct { unsigned a : 32; int b; } CUgizmo;\n" +
			"#pragma pack(pop)\n", "bit-fields"},
		{"by value in another", "typedef struct __attribute__((packed)) { char a; int b; } CUsmall;\n" +
			"typedef struct { int c; CUsmall d[2]; } CUgizmo;\n", "CUgizmo.d holds a packed struct"},
		{"declared in place", "typedef struct { int c; struct __attribute__((packed)) { char a; " +
			"int b; } d; } CUgizmo;\n", "CUgizmo.d holds a packed struct"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := parseText("cuda", map[string]string{"cuda.h": version + tt.text})
			require.ErrorIs(t, err, ErrParse)
			assert.ErrorContains(t, err, tt.says)
		})
	}
}

// TestWideEnums: a value over 32 bits makes the C type 64 bits wide.
func TestWideEnums(t *testing.T) {
	t.Parallel()
	text := version + "typedef enum { CU_A = 1, CU_A_ALL = 0xffffffffffffffffULL } CUover;\n" +
		"typedef enum { CU_B = 0x100000000 } CUwide;\ntypedef enum { CU_C = 0xffffffff } CUnarrow;\n" +
		"typedef enum { CU_D = -1, CU_D_BIG = 0x80000000 } CUsigned;\n" +
		"typedef struct { CUover a; CUnarrow b; } CUgizmo;\n"
	r, err := parseText("cuda", map[string]string{"cuda.h": text})
	require.NoError(t, err)
	type shape struct{ signed, wide bool }
	got := map[string]shape{}
	for _, e := range r.Enums {
		got[e.Name] = shape{e.Signed, e.Wide}
	}
	assert.Equal(t, map[string]shape{"CUover": {false, true}, "CUwide": {false, true},
		"CUnarrow": {false, false}, "CUsigned": {true, true}}, got)
	assert.Equal(t, []int{0, 8}, r.Structs[0].Layouts[0].Offsets)
	assert.Equal(t, int64(-1), r.Enums[1].Values[1].Value, "the bits of a value over 63 bits")
	view, err := r.Model.View(r.Name())
	require.NoError(t, err)
	assert.Equal(t, r.Enums, view.Enums)
}

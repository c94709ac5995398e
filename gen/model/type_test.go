package model

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func named(name string) *C     { return &C{Name: name} }
func constant(name string) *C  { return &C{Name: name, Const: true} }
func pointerTo(c *C) *C        { return &C{Kind: Pointer, Elem: c} }
func constPointerTo(c *C) *C   { return &C{Kind: Pointer, Elem: c, Const: true} }
func arrayOf(n int64, c *C) *C { return &C{Kind: Array, Elem: c, Len: n} }

func TestTypeParse(t *testing.T) {
	t.Parallel()
	tests := map[Type]*C{
		"CUevent":                named("CUevent"),
		"unsigned int":           named("unsigned int"),
		"const char *":           pointerTo(constant("char")),
		"const char **":          pointerTo(pointerTo(constant("char"))),
		"void *const *":          pointerTo(constPointerTo(named("void"))),
		"char *const":            constPointerTo(named("char")),
		"unsigned char[16]":      arrayOf(16, named("unsigned char")),
		"int[2][3]":              arrayOf(2, arrayOf(3, named("int"))),
		"char *[4]":              arrayOf(4, pointerTo(named("char"))),
		"int (*)[3]":             pointerTo(arrayOf(3, named("int"))),
		"int (*const)[3]":        constPointerTo(arrayOf(3, named("int"))),
		"const float (**)[2][5]": pointerTo(pointerTo(arrayOf(2, arrayOf(5, constant("float"))))),
		"int *(*)[3]":            pointerTo(arrayOf(3, pointerTo(named("int")))),
		"struct CUevent_st *":    pointerTo(named("struct CUevent_st")),
		"enum hipLimit_t":        named("enum hipLimit_t"),
		"struct[4]":              arrayOf(4, named("struct")),
		"cuFoo.bar":              named("cuFoo.bar"),
		"...":                    named("..."),
	}
	for typ, want := range tests {
		got, err := typ.Parse()
		require.NoError(t, err, typ)
		assert.Equal(t, want, got, typ)
		assert.Equal(t, typ, got.Type(), "spelled again")
	}
}

func TestTypeParseErrors(t *testing.T) {
	t.Parallel()
	for _, typ := range []Type{
		"", "*", "const", "const *", "int const", "char const *", "unsigned", "int unsigned", "long int",
		"CU event", "struct a b",
		"int[", "int[]", "int[x]", "int[-1]", "int[03]", "int[4", "int (", "int (*", "int ()",
		"int (*)(void)", "int *)", "int &", "int[99999999999999999999]",
	} {
		c, err := typ.Parse()
		if err == nil && typ == "unsigned" {
			continue // a word of its own; Check finds that nothing is named so
		}
		require.ErrorIs(t, err, ErrType, "%q gave %v", typ, c)
	}
}

func TestCompareVersions(t *testing.T) {
	t.Parallel()
	ordered := []string{"2.0", "3.2", "9.2", "11.8", "12.0", "12.0.1", "12.9", "12.10", "13.0", "13.x"}
	for i, a := range ordered {
		for j, b := range ordered {
			want := 0
			if i < j {
				want = -1
			} else if i > j {
				want = 1
			}
			assert.Equal(t, want, CompareVersions(a, b), "%s, %s", a, b)
		}
	}
	assert.Zero(t, CompareVersions("12", "12.0"))
}

func TestDeclare(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ typ, want, as string }{
		{"int", "int x", "o x"},
		{"const char *", "const char *x", "const o *x"},
		{"const char *const *", "const char *const *x", "const o *const *x"},
		{"int[4]", "int x[4]", "o x[4]"},
		{"int (*)[4]", "int (*x)[4]", "o (*x)[4]"},
		{"...", "...", ""},
		{"int (", "int (", ""},
	} {
		assert.Equal(t, tt.want, Type(tt.typ).Declare("x"))
		if tt.as != "" {
			c, err := Type(tt.typ).Parse()
			require.NoError(t, err)
			assert.Equal(t, tt.as, c.DeclareAs("o", "x"))
		}
	}
}

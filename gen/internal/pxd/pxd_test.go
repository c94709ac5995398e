package pxd

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const text = `# a comment
from libc.stdint cimport *
cdef extern from "gizmo.h":
    cdef int GIZMO_VERSION
    cdef enum gizmoMode:
        gizmoModeA
        # what B is
        gizmoModeB
    cdef enum:
        gizmoLoose
    cdef struct gizmoProp_t "gizmoProp_tR2":
        char name[256]
        const unsigned int * list
        int a[2][3]
    cdef struct gizmoOpaque:
        pass
    ctypedef gizmoOpaque * gizmo_t
    ctypedef const gizmoOpaque * gizmo_const_t
    ctypedef gizmo_t gizmoAlias

cdef int gizmoOpen(gizmo_t * g,const char * name,size_t n) except? -1 nogil
cdef const char * gizmoName() nogil
`

func TestParse(t *testing.T) {
	t.Parallel()
	f, err := Parse(text)
	require.NoError(t, err)
	assert.Equal(t, map[string]Function{
		"gizmoOpen": {"int", []string{"gizmo_t *", "const char *", "size_t"}},
		"gizmoName": {"const char *", nil},
	}, f.Functions)
	assert.Equal(t, map[string][]string{"gizmoMode": {"gizmoModeA", "gizmoModeB"}}, f.Enums)
	assert.Equal(t, map[string][]Field{"gizmoProp_tR2": {{"name", "char[256]"},
		{"list", "const unsigned int *"}, {"a", "int[2][3]"}}}, f.Structs)
	assert.Equal(t, "gizmoOpaque *", f.Typedefs["gizmo_t"])

	_, err = Parse("# nothing\n")
	assert.Error(t, err)
}

func TestResolve(t *testing.T) {
	t.Parallel()
	f, err := Parse(text)
	require.NoError(t, err)
	of := func(name string) string { return f.Typedefs[name] }
	for spelled, want := range map[string]string{
		"gizmoAlias *":       "gizmoOpaque **",
		"gizmo_const_t":      "const gizmoOpaque *",
		"const gizmo_t":      "gizmoOpaque *", // the pointer is const, which no caller sees
		"const struct g *":   "const g *",
		"unsigned int[2]":    "unsigned int[2]",
		"const char * const": "const char *",
	} {
		assert.Equal(t, want, Spelled(spelled).Resolve(of).String(), spelled)
	}
	circle := map[string]string{"a": "b", "b": "a"}
	loop := Spelled("a").Resolve(func(name string) string { return circle[name] })
	assert.Zero(t, loop.Stars)
}

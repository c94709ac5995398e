//go:build linux || darwin

package kernel_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/kernel"
	"github.com/gpuevent/gpuevent/internal/testing/clib"
)

// cNames has C's names of Go's numbers.
var cNames = map[reflect.Kind]string{
	reflect.Bool: "_Bool", reflect.Int8: "signed char", reflect.Int16: "short", reflect.Int32: "int",
	reflect.Int64: "long long", reflect.Uint8: "unsigned char", reflect.Uint16: "unsigned short",
	reflect.Uint32: "unsigned", reflect.Uint64: "unsigned long long", reflect.Float32: "float",
	reflect.Float64: "double", reflect.Slice: "void *",
}

// declare declares name as a variable of type t in C.
func declare(t reflect.Type, name string) string {
	switch t.Kind() {
	case reflect.Array:
		return declare(t.Elem(), fmt.Sprintf("%s[%d]", name, t.Len()))
	case reflect.Struct:
		var s strings.Builder
		for i := range t.NumField() {
			s.WriteString(declare(t.Field(i).Type, t.Field(i).Name) + "; ")
		}
		return fmt.Sprintf("struct { %s} %s", s.String(), name)
	}
	return cNames[t.Kind()] + " " + name
}

// TestLayoutIsC compares with what a C compiler makes of the same parameters: as fields of a
// struct, they lie as a driver takes them packed.
func TestLayoutIsC(t *testing.T) {
	t.Parallel()
	var structs, numbers strings.Builder
	var want [][3]uint64
	var what []string
	for seed := range uint64(300) {
		signature := newRandom(seed).kernel()
		f, err := kernel.Of(reflect.MakeFunc(signature, nil).Interface())
		require.NoError(t, err)
		if f.Len() == 0 { // C has no struct without fields
			continue
		}
		fmt.Fprintf(&structs, "struct k%d {\n", seed)
		for i, p := range f.Params() {
			fmt.Fprintf(&structs, "\t%s;\n", declare(p.Type, fmt.Sprintf("p%d", i)))
			member := fmt.Sprintf("((struct k%d *)0)->p%d", seed, i)
			fmt.Fprintf(&numbers, "{__builtin_offsetof(struct k%d, p%d), sizeof(%s), "+
				"__alignof__(__typeof__(%s))},\n", seed, i, member, member)
			want = append(want, [3]uint64{uint64(p.Offset), uint64(p.Size), uint64(p.Align)})
			what = append(what, fmt.Sprintf("parameter %d of %v", i, signature))
		}
		structs.WriteString("};\n")
	}
	layout := compiled(t, fmt.Sprintf("%sunsigned long long layout[][3] = {\n%s};\n", &structs,
		&numbers), len(want))
	for i := range want {
		require.Equal(t, want[i], layout[i], "offset, size and alignment of %s", what[i])
	}
}

// compiled returns what the array layout of a C text holds.
func compiled(t *testing.T, text string, n int) [][3]uint64 {
	path := clib.Library(t, t.TempDir(), "liblayout.so", text)
	library, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	require.NoError(t, err)
	symbol, err := purego.Dlsym(library, "layout")
	require.NoError(t, err)
	return unsafe.Slice(*(**[3]uint64)(unsafe.Pointer(&symbol)), n)
}

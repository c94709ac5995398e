package ccall

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// The placement rules of AAPCS64, one behaviour a test; the oracle proves them against a C
// compiler.
func TestStructPlacement(t *testing.T) {
	t.Parallel()
	dim3 := [3]uint32{1, 2, 3}
	extent := [3]uint64{10, 20, 30}
	t.Run("twelve bytes take two registers", func(t *testing.T) {
		f := New(1)
		defer f.Free()
		f.Struct(unsafe.Pointer(&dim3), 12)
		assert.Equal(t, []uintptr{1 | 2<<32, 3}, f.ints[:f.nint])
		assert.Zero(t, f.nstack)
	})
	t.Run("one register left: it and every integer after it on the stack", func(t *testing.T) {
		f := New(1)
		defer f.Free()
		for i := range uintptr(7) {
			f.Int(i)
		}
		f.Struct(unsafe.Pointer(&dim3), 12)
		f.Int(99)
		assert.Equal(t, []uintptr{1 | 2<<32, 3, 99}, f.stack[:f.nstack])
	})
	t.Run("more than sixteen bytes by reference to a copy", func(t *testing.T) {
		f := New(1)
		defer f.Free()
		f.Struct(unsafe.Pointer(&extent), 24)
		assert.Equal(t, 1, f.nint)
		assert.NotEqual(t, uintptr(unsafe.Pointer(&extent)), f.ints[0])
		assert.Equal(t, extent, *(*[3]uint64)(f.keep[0]))
	})
	t.Run("a large result has a register of its own", func(t *testing.T) {
		f := New(1)
		defer f.Free()
		p := new([3]uint64)
		f.Result(unsafe.Pointer(p), 24)
		assert.Zero(t, f.nint)
		assert.Equal(t, uintptr(unsafe.Pointer(p)), f.sret)
	})
}

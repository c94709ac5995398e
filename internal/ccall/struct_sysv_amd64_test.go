//go:build !windows

package ccall

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// The placement rules of the System V ABI, one behaviour a test; the oracle proves them against a C
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
	t.Run(
		"one register left: all of it on the stack, the next integer in the register",
		func(t *testing.T) {
			f := New(1)
			defer f.Free()
			for i := range uintptr(5) {
				f.Int(i)
			}
			f.Struct(unsafe.Pointer(&dim3), 12)
			f.Int(99)
			assert.Equal(t, []uintptr{0, 1, 2, 3, 4, 99}, f.ints[:f.nint])
			assert.Equal(t, []uintptr{1 | 2<<32, 3}, f.stack[:f.nstack])
		},
	)
	t.Run("sixteen bytes take two registers", func(t *testing.T) {
		f := New(1)
		defer f.Free()
		f.Struct(unsafe.Pointer(&extent), 16)
		assert.Equal(t, []uintptr{10, 20}, f.ints[:f.nint])
		assert.Zero(t, f.nstack)
	})
	t.Run("more than sixteen bytes on the stack", func(t *testing.T) {
		f := New(1)
		defer f.Free()
		f.Struct(unsafe.Pointer(&extent), 24)
		f.Int(7)
		assert.Equal(t, []uintptr{7}, f.ints[:f.nint])
		assert.Equal(t, []uintptr{10, 20, 30}, f.stack[:f.nstack])
	})
	t.Run("a large result is a hidden first argument", func(t *testing.T) {
		f := New(1)
		defer f.Free()
		p := new([3]uint64)
		f.Result(unsafe.Pointer(p), 24)
		assert.Equal(t, []uintptr{uintptr(unsafe.Pointer(p))}, f.ints[:f.nint])
	})
}

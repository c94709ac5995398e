package kernel_test

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/kernel"
)

// at returns a resolver for memory that a device has at base.
func at(base uintptr, memory []byte) kernel.Resolver {
	return func(address uintptr) ([]byte, error) {
		if address < base || address > base+uintptr(len(memory)) {
			return nil, errors.New("no such block")
		}
		return memory[address-base:], nil
	}
}

func bytesOf[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

func TestBindPointers(t *testing.T) {
	t.Parallel()
	f, got := keep(t)
	memory := []float32{1, 2, 3, 4}
	n, p, x, on := int32(-7), pair{1, 2}, uint64(0x1008), uint8(1)
	values := []unsafe.Pointer{unsafe.Pointer(&n), unsafe.Pointer(&p), unsafe.Pointer(&x),
		unsafe.Pointer(&on)}
	packed, err := f.Pack(values)
	require.NoError(t, err)
	b, err := f.BindPointers(values, at(0x1000, bytesOf(memory)))
	require.NoError(t, err)
	n, p, x, on = 0, pair{}, 0, 0
	require.NoError(t, b.Run(context.Background(), one))
	want := kept{-7, pair{1, 2}, memory[2:], true}
	assert.Equal(t, want, *got, "the values as they were at the call")
	assert.Same(t, &memory[2], &got.x[0])
	assert.Equal(t, 2, cap(got.x))

	b, err = f.BindPacked(packed, at(0x1000, bytesOf(memory)))
	require.NoError(t, err)
	require.NoError(t, b.Run(context.Background(), one))
	assert.Equal(t, want, *got)
}

func TestBytesRefused(t *testing.T) {
	t.Parallel()
	f, _ := keep(t)
	word := uint64(0)
	full := unsafe.Pointer(&word)
	_, err := f.Pack([]unsafe.Pointer{full})
	require.ErrorIs(t, err, kernel.ErrArgument)
	assert.ErrorContains(t, err, "kernel keep: got 1 pointers, the kernel has 4 parameters")
	_, err = f.BindPointers([]unsafe.Pointer{full, nil, full, full}, nil)
	require.ErrorIs(t, err, kernel.ErrArgument)
	assert.ErrorContains(t, err, "argument 1 (kernel_test.pair): the pointer to its value is null")
	_, err = f.BindPacked(make([]byte, f.Size()-1), nil)
	require.ErrorIs(t, err, kernel.ErrArgument)
	assert.ErrorContains(t, err, "got 32 bytes of parameters, the kernel takes 33")
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	type vec struct{ X, Y, Z float32 }
	gone := errors.New("freed by cuMemFree")
	memory := bytesOf(make([]uint64, 16)) // 128 bytes at 0x1000
	resolve := at(0x1000, memory)
	for _, c := range []struct {
		name    string
		fn      func(*kernel.Block, []vec)
		address uint64
		resolve kernel.Resolver
		len     int
		err     error
		text    string
	}{
		{name: "null", address: 0, len: 0},
		{name: "all", address: 0x1000, len: 10},
		{name: "rest", address: 0x1074, len: 1},
		{name: "less than an element", address: 0x1078, len: 0},
		{name: "end", address: 0x1080, len: 0},
		{name: "odd", address: 0x1002, err: kernel.ErrMisaligned,
			text: "argument 0 ([]kernel_test.vec): address 0x1002: misaligned address: kernel_test.vec " +
				"needs a multiple of 4"},
		{name: "memory that lies badly", address: 0x1000, err: kernel.ErrMisaligned,
			resolve: at(0x1000, memory[1:])},
		{name: "odd address of memory that lies well", address: 0x2001, err: kernel.ErrMisaligned,
			resolve: at(0x2001, memory)},
		{name: "freed", address: 0x1000, err: gone, text: "address 0x1000: freed by cuMemFree",
			resolve: func(uintptr) ([]byte, error) { return nil, gone }},
		{name: "nothing there", address: 0x1000, len: 0,
			resolve: func(uintptr) ([]byte, error) { return nil, nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []vec
			f, err := kernel.Of(func(_ *kernel.Block, v []vec) { got = v })
			require.NoError(t, err)
			packed := binary.NativeEndian.AppendUint64(nil, c.address)
			if c.resolve == nil {
				c.resolve = resolve
			}
			b, err := f.BindPacked(packed, c.resolve)
			if c.err != nil {
				require.ErrorIs(t, err, kernel.ErrArgument)
				require.ErrorIs(t, err, c.err)
				assert.ErrorContains(t, err, c.text)
				return
			}
			require.NoError(t, err)
			require.NoError(t, b.Run(context.Background(), one))
			assert.Len(t, got, c.len)
			assert.Equal(t, c.name == "null" || c.name == "nothing there", got == nil)
		})
	}
}

// C code may pass any number for true. Go compares bools as bytes.
func TestBoolIsNormalized(t *testing.T) {
	t.Parallel()
	for value, want := range map[uint8]bool{0: false, 1: true, 2: true, 0xff: true} {
		got := !want
		f, err := kernel.Of(func(_ *kernel.Block, on bool) { got = on })
		require.NoError(t, err)
		b, err := f.BindPacked([]byte{value}, nil)
		require.NoError(t, err)
		require.NoError(t, b.Run(context.Background(), one))
		assert.True(t, got == want)
	}
}

package params

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/ccall"
)

// read is what a driver reads: n parameters of the given sizes.
func read(at *unsafe.Pointer, sizes ...int) (values [][]byte) {
	for i, p := range unsafe.Slice(at, len(sizes)) {
		values = append(values, append([]byte(nil), unsafe.Slice((*byte)(p), sizes[i])...))
	}
	return values
}

func TestValuesArriveInTheirOrder(t *testing.T) {
	t.Parallel()
	var b Block
	assert.Nil(t, b.Pointers(), "no parameters")
	for round := range 3 {
		Put(&b, int32(-2))
		Put(&b, uint64(0x1122334455667788))
		Put(&b, float32(1.5))
		Put(&b, 2.5)
		b.PutBytes([]byte("a struct of 20 bytes"))
		b.PutBytes(nil)
		Put(&b, uintptr(round))
		require.Equal(t, 7, b.Len())
		assert.Equal(t, [][]byte{
			{0xfe, 0xff, 0xff, 0xff}, {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11},
			{0, 0, 0xc0, 0x3f}, {0, 0, 0, 0, 0, 0, 4, 0x40}, []byte("a struct of 20 bytes"),
			nil, {byte(round)},
		}, read(b.Pointers(), 4, 8, 4, 8, 20, 0, 1))
		assert.Equal(t, b.Pointers(), b.Pointers(), "nothing is made anew")
		b.Reset()
		assert.Nil(t, b.Pointers())
	}
}

// The addresses of a block stay right as it grows, and a copy has its own.
func TestGrowth(t *testing.T) {
	t.Parallel()
	var b, c Block
	for i := range 500 {
		Put(&b, uint32(i))
		at := b.Pointers()
		c.Set(&b)
		for k, p := range unsafe.Slice(at, i+1) {
			require.EqualValues(t, k, *(*uint32)(p))
		}
	}
	runtime.GC()
	b.Reset()
	Put(&b, uint32(7))
	for k, p := range unsafe.Slice(c.Pointers(), 500) {
		require.EqualValues(t, k, *(*uint32)(p))
	}
}

//go:noinline
func grow(n int) byte {
	var pad [1024]byte
	if n == 0 {
		return pad[0]
	}
	pad[n%1024] = grow(n - 1)
	return pad[(n+1)%1024]
}

// What C has got stays where it is when the goroutine's stack moves.
func TestStackMoves(t *testing.T) {
	t.Parallel()
	done := make(chan [][]byte)
	go func() {
		var b Block
		Put(&b, uint32(42))
		Put(&b, uint64(43))
		word := ccall.Ptr(unsafe.Pointer(b.Pointers())) // as a launch does
		grow(512)
		runtime.GC()
		at := *(**unsafe.Pointer)(unsafe.Pointer(&word))
		values := read(at, 4, 8)
		runtime.KeepAlive(&b)
		done <- values
	}()
	assert.Equal(t, [][]byte{{42, 0, 0, 0}, {43, 0, 0, 0, 0, 0, 0, 0}}, <-done)
}

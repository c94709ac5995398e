package kernel_test

import (
	"context"
	"math"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/kernel"
)

// sum is the kernel of the package's documentation.
func sum(b *kernel.Block, n int32, x, sums []float32) {
	part := kernel.Shared[float32](b)
	clear(part)
	first := b.First()
	for i := range b.Threads(int(n)) {
		part[i-first] = x[i]
	}
	for step := b.Size() / 2; step > 0; step /= 2 {
		for t := range step {
			part[t] += part[t+step]
		}
	}
	sums[b.Index.X] = part[0]
}

func TestReduce(t *testing.T) {
	t.Parallel()
	const n, blocks, size = 1000, 8, 128
	x, sums := make([]float32, n), make([]float32, blocks)
	for i := range x {
		x[i] = float32(i)
	}
	run(t, kernel.Launch{Grid: dim{blocks, 1, 1}, Block: dim{size, 1, 1}, Shared: 4 * size}, sum,
		int32(n), x, sums)
	for i, got := range sums {
		want := float32(0)
		for _, v := range x[i*size : min((i+1)*size, n)] {
			want += v
		}
		assert.Equal(t, want, got)
	}
}

func TestSharedMemory(t *testing.T) {
	t.Parallel()
	var inUse atomic.Int32
	l := kernel.Launch{Grid: dim{500, 1, 1}, Block: dim{8, 1, 1}, Shared: 35}
	run(t, l, func(b *kernel.Block) {
		floats := kernel.Shared[float32](b)
		assert.Len(t, floats, 8, "the whole elements in 35 bytes")
		assert.Equal(t, 8, cap(floats))
		for _, v := range floats {
			assert.True(t, math.IsNaN(float64(v)), "what a block before left")
		}
		assert.Zero(t, uintptr(unsafe.Pointer(&floats[0]))%128)
		ints := kernel.Shared[int32](b)
		assert.EqualValues(t, -1, ints[7])
		assert.Len(t, kernel.Shared[uint8](b), 35)
		assert.Len(t, kernel.Shared[pair](b), 2)
		assert.Len(t, kernel.Shared[complex128](b), 2)
		assert.Empty(t, kernel.Shared[[9]float32](b))

		mine := inUse.Add(1) // other blocks run meanwhile
		for i := range ints {
			ints[i] = mine
		}
		for _, v := range kernel.Shared[int32](b) {
			assert.Equal(t, mine, v, "the bytes stay while the block runs and are its own")
		}
	})
	run(t, kernel.Launch{Grid: dim{1, 1, 1}, Block: dim{1, 1, 1}}, func(b *kernel.Block) {
		assert.Nil(t, kernel.Shared[float32](b), "a launch without shared memory")
	})
	assert.Nil(t, kernel.Shared[float32](new(kernel.Block)))
}

func TestSharedRefusesPointers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fn   any
		want string
	}{
		{func(b *kernel.Block) { kernel.Shared[*int32](b) }, "Shared[*int32]: a Go pointer cannot go"},
		{func(b *kernel.Block) {
			kernel.Shared[float32](b)
			kernel.Shared[*float32](b)
		}, "Shared[*float32]: a Go pointer cannot go"},
		{func(b *kernel.Block) { kernel.Shared[string](b) }, "Shared[string]: a string is a Go pointer"},
		{func(b *kernel.Block) { kernel.Shared[int](b) }, "Shared[int]: int has no fixed width; use"},
		{func(b *kernel.Block) { kernel.Shared[struct{}](b) }, "a struct without fields"},
	} {
		f, err := kernel.Of(c.fn)
		require.NoError(t, err)
		b, err := f.Bind()
		require.NoError(t, err)
		l := one
		l.Shared = 64
		err = b.Run(context.Background(), l)
		require.ErrorIs(t, err, kernel.ErrFailed)
		assert.NotErrorIs(t, err, kernel.ErrIllegalAddress)
		assert.ErrorContains(t, err, c.want)
	}
}

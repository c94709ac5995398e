package kernel_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/internal/kernel"
)

// addAll adds from many blocks and returns the sum, and whether each sum on the way was seen once.
func addAll[T int32 | uint32 | int64 | uint64 | float32 | float64](t *testing.T, step T) (T, bool) {
	total := make([]T, 1)
	const blocks = 2000
	seen := make([]T, blocks)
	run(t, kernel.Launch{Grid: dim{blocks, 1, 1}, Block: dim{1, 1, 1}},
		func(b *kernel.Block, total, seen []T) {
			seen[b.First()] = kernel.AtomicAdd(&total[0], step)
		}, total, seen)
	values := map[T]bool{}
	for _, v := range seen {
		values[v] = true
	}
	return total[0], len(values) == blocks
}

func check[T int32 | uint32 | int64 | uint64 | float32 | float64](t *testing.T, step, want T) {
	t.Helper()
	got, once := addAll(t, step)
	assert.Equal(t, want, got)
	assert.True(t, once, "each value that was there before was returned once")
}

func TestAtomicAdd(t *testing.T) {
	t.Parallel()
	check[int32](t, -3, -6000)
	check[uint32](t, 3, 6000)
	check[int64](t, -1<<40, -2000<<40)
	check[uint64](t, 1<<40, 2000<<40)
	check[float32](t, 0.25, 500)
	check[float64](t, -0.5, -1000)
	n := id(4)
	assert.Equal(t, id(4), kernel.AtomicAdd(&n, 3))
	assert.Equal(t, id(7), n)
}

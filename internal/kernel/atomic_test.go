package kernel_test

import (
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/internal/kernel"
)

// adds is how often the two blocks of a test add each.
const adds = 50_000

// check has two blocks add at once and compares the sum. What was there before each addition is
// different each time.
func check[T int32 | uint32 | int64 | uint64 | float32 | float64](t *testing.T, step, want T) {
	t.Helper()
	var both sync.WaitGroup
	both.Add(2)
	total, seen := make([]T, 1), make([]T, 2*adds)
	run(t, kernel.Launch{Grid: dim{2, 1, 1}, Block: dim{adds, 1, 1}},
		func(b *kernel.Block, total, seen []T) {
			both.Done()
			both.Wait()
			for i := range b.Threads(len(seen)) {
				seen[i] = kernel.AtomicAdd(&total[0], step)
			}
		}, total, seen)
	assert.Equal(t, want, total[0])
	slices.Sort(seen)
	assert.Len(t, slices.Compact(seen), 2*adds, "%T", step)
}

func TestAtomicAdd(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	check[int32](t, -3, -6*adds)
	check[uint32](t, 3, 6*adds)
	check[int64](t, -1<<40, -2*adds<<40)
	check[uint64](t, 1<<40, 2*adds<<40)
	check[float32](t, 0.25, adds/2)
	check[float64](t, -0.5, -adds)
	n := id(4)
	assert.Equal(t, id(4), kernel.AtomicAdd(&n, 3))
	assert.Equal(t, id(7), n)
}

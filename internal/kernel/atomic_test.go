package kernel_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/internal/kernel"
)

// adds is how often the two blocks of a test add each: long enough for them to meet on a busy
// machine.
const adds = 200_000

// check has two blocks add at once and compares the sum. What each addition returns lies
// behind what the one before returned.
func check[T int32 | uint32 | int64 | uint64 | float32 | float64](t *testing.T, step, want T) {
	t.Helper()
	var arrived atomic.Int32
	total, falls := make([]T, 1), make([]int32, 2)
	run(t, kernel.Launch{Grid: dim{2, 1, 1}, Block: dim{adds, 1, 1}},
		func(b *kernel.Block, total []T, falls []int32) {
			for arrived.Add(1); arrived.Load() < 2; runtime.Gosched() { // both on a processor
			}
			var last T
			for i := range b.Threads(2 * adds) {
				was := kernel.AtomicAdd(&total[0], step)
				if i > b.First() && (was > last) != (step > 0) {
					falls[b.Index.X]++
				}
				last = was
			}
		}, total, falls)
	assert.Equal(t, want, total[0], "%T", step)
	assert.Equal(t, []int32{0, 0}, falls, "%T", step)
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

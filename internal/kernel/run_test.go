package kernel_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/kernel"
)

// bind binds a kernel to arguments.
func bind(t testing.TB, fn any, args ...any) *kernel.Bound {
	t.Helper()
	f, err := kernel.Of(fn)
	require.NoError(t, err)
	b, err := f.Named("k").Bind(args...)
	require.NoError(t, err)
	return b
}

func TestSerialRunsInOrder(t *testing.T) {
	t.Parallel()
	grid, block := dim{3, 4, 5}, dim{2, 2, 1}
	var got []dim
	run(t, kernel.Launch{Grid: grid, Block: block, Serial: true}, func(b *kernel.Block) {
		assert.Equal(t, grid, b.Grid)
		assert.Equal(t, block, b.Dim)
		got = append(got, b.Index)
		*b = kernel.Block{} // what a kernel does to its block is not seen by the next
	})
	assert.Equal(t, threadsOf(grid), got)
}

// Each block runs once, whatever the number of blocks and processors.
func TestEachBlockRunsOnce(t *testing.T) {
	for _, procs := range []int{1, 2, 3, 8} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		for _, grid := range []dim{{1, 1, 1}, {2, 1, 1}, {1, 5, 3}, {1000, 1, 1}, {31, 33, 7}} {
			runs := make([]int32, grid.Size())
			run(t, kernel.Launch{Grid: grid, Block: dim{1, 1, 1}}, func(b *kernel.Block, runs []int32) {
				atomic.AddInt32(&runs[b.First()], 1)
			}, runs)
			for i, n := range runs {
				require.EqualValues(t, 1, n, "block %d of %v, %d processors", i, grid, procs)
			}
		}
	}
}

// Two blocks that wait for each other end only if both run at once.
func TestBlocksRunAtOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var both sync.WaitGroup
	both.Add(2)
	run(t, kernel.Launch{Grid: dim{2, 1, 1}, Block: dim{1, 1, 1}}, func(*kernel.Block) {
		both.Done()
		both.Wait()
	})
}

// One Bound may run several times at once.
func TestRunsOverlap(t *testing.T) {
	t.Parallel()
	var both, ends sync.WaitGroup
	both.Add(2)
	b := bind(t, func(*kernel.Block) {
		both.Done()
		both.Wait()
	})
	for range 2 {
		ends.Go(func() { assert.NoError(t, b.Run(context.Background(), one)) })
	}
	ends.Wait()
}

func TestLaunchRefused(t *testing.T) {
	t.Parallel()
	b := bind(t, func(*kernel.Block) { t.Error("ran") })
	unit := dim{1, 1, 1}
	for _, c := range []struct {
		launch kernel.Launch
		want   string
	}{
		{kernel.Launch{}, "grid (0, 0, 0) and block (0, 0, 0) must not have a dimension of 0"},
		{kernel.Launch{Grid: dim{1, 0, 1}, Block: unit},
			"kernel k: wrong launch configuration: grid (1, 0, 1)"},
		{kernel.Launch{Grid: unit, Block: dim{1, 1, 0}}, "must not have a dimension of 0"},
		{kernel.Launch{Grid: dim{1 << 31, 1 << 31, 2}, Block: unit},
			"more threads than an int counts"},
		{kernel.Launch{Grid: dim{1 << 31, 1 << 31, 1}, Block: dim{2, 1, 1}},
			"more threads than an int counts"},
		{kernel.Launch{Grid: dim{math.MaxUint32, math.MaxUint32, math.MaxUint32},
			Block: dim{math.MaxUint32, 1, 1}}, "more threads than an int counts"},
		{kernel.Launch{Grid: unit, Block: unit, Shared: -1}, "-1 bytes of shared memory"},
	} {
		err := b.Run(context.Background(), c.launch)
		require.ErrorIs(t, err, kernel.ErrLaunch)
		assert.ErrorContains(t, err, c.want)
	}
}

func TestContextStopsTheRun(t *testing.T) {
	t.Parallel()
	why := errors.New("device closed")
	for _, serial := range []bool{true, false} {
		ctx, cancel := context.WithCancelCause(context.Background())
		var ran atomic.Int64
		var stopped sync.WaitGroup
		stopped.Add(1)
		context.AfterFunc(ctx, stopped.Done)
		l := kernel.Launch{Grid: dim{math.MaxUint32, 1, 1}, Block: dim{1, 1, 1}, Serial: serial}
		err := bind(t, func(*kernel.Block) {
			if ran.Add(1) == 100 {
				cancel(why)
			}
			if ran.Load() >= 100 {
				stopped.Wait()
			}
		}).Run(ctx, l)
		require.ErrorIs(t, err, why)
		assert.ErrorContains(t, err, "kernel k: stopped before its last block: device closed")

		ran.Store(0)
		err = bind(t, func(*kernel.Block) { ran.Add(1) }).Run(ctx, l)
		require.ErrorIs(t, err, why)
		assert.Zero(t, ran.Load())
	}
}

// A launch that is complete did not fail, though its context ended meanwhile.
func TestContextEndsInTheLastBlock(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	require.NoError(t, bind(t, func(*kernel.Block) { cancel() }).Run(ctx, one))
}

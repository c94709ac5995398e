package kernel_test

import (
	"context"
	"errors"
	"io"
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/kernel"
)

// noMap returns a nil map in a way that linters do not see through.
func noMap() (m map[int]int) { return m }

func TestFailures(t *testing.T) {
	t.Parallel()
	type cell struct{ big [1 << 20]int32 }
	var zero int32
	three := 3
	for _, c := range []struct {
		name    string
		fn      func(*kernel.Block, []float32)
		illegal bool
		is      error
		want    string
	}{
		{"read", func(_ *kernel.Block, x []float32) { x[0] = x[three] }, true, nil,
			"kernel k failed in block (0, 0, 0): runtime error: index out of range [3] with length 2"},
		{"write", func(_ *kernel.Block, x []float32) { x[three] = 1 }, true, nil,
			"index out of range [3]"},
		{"negative index", func(_ *kernel.Block, x []float32) { x[-three] = 1 }, true, nil,
			"index out of range [-3]"},
		{"array", func(*kernel.Block, []float32) { var a [2]int; a[three]++ }, true, nil,
			"index out of range [3]"},
		{"slice", func(_ *kernel.Block, x []float32) { clear(x[three:]) }, true, nil,
			"slice bounds out of range [3:2]"},
		{"to array", func(_ *kernel.Block, x []float32) { _ = [4]float32(x) }, true, nil,
			"cannot convert slice with length 2"},
		{"null buffer", func(*kernel.Block, []float32) {
			var null []int32
			null[zero] = 1
		}, true, nil, "index out of range [0] with length 0"},
		{"nil pointer", func(*kernel.Block, []float32) { var p *int32; *p = 1 }, true, nil,
			"invalid memory address or nil pointer dereference"},
		{"nil struct", func(*kernel.Block, []float32) { var p *cell; p.big[1<<19] = 1 }, true, nil,
			"invalid memory address or nil pointer dereference"},
		{"division", func(*kernel.Block, []float32) { zero = 1 / zero }, false, nil,
			"integer divide by zero"},
		{"makeslice", func(*kernel.Block, []float32) { _ = make([]int, -three) }, false, nil,
			"makeslice: len out of range"},
		{"nil map", func(*kernel.Block, []float32) { noMap()[three] = 1 }, false, nil,
			"assignment to entry in nil map"},
		{"trap", func(*kernel.Block, []float32) { panic("trap") }, false, nil, "block (0, 0, 0): trap"},
		{"text", func(*kernel.Block, []float32) { panic("index out of range") }, false, nil, "index"},
		{"error", func(*kernel.Block, []float32) { panic(io.EOF) }, false, io.EOF, "EOF"},
		{"nil", func(*kernel.Block, []float32) { panic(nil) }, false, nil, "panic called with nil"},
		{"goexit", func(*kernel.Block, []float32) { runtime.Goexit() }, false, kernel.ErrGoexit,
			"the kernel called runtime.Goexit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := bind(t, c.fn, []float32{1, 2}).Run(context.Background(), one)
			require.ErrorIs(t, err, kernel.ErrFailed)
			assert.ErrorContains(t, err, c.want)
			assert.Equal(t, c.illegal, errors.Is(err, kernel.ErrIllegalAddress))
			if c.is != nil {
				assert.ErrorIs(t, err, c.is)
			}
			var f *kernel.Failure
			require.ErrorAs(t, err, &f)
			assert.Equal(t, "k", f.Kernel)
			assert.Contains(t, string(f.Stack), "kernel_test.TestFailures.func", "the line that failed")
		})
	}
}

// The first failure in a serial run ends it.
func TestFailureStopsTheRun(t *testing.T) {
	t.Parallel()
	ran := 0
	l := kernel.Launch{Grid: dim{10, 10, 10}, Block: dim{1, 1, 1}, Serial: true}
	err := bind(t, func(b *kernel.Block) {
		if ran++; ran == 312 {
			*b = kernel.Block{} // the failure names the block all the same
			panic("here")
		}
	}).Run(context.Background(), l)
	var f *kernel.Failure
	require.ErrorAs(t, err, &f)
	assert.Equal(t, dim{1, 1, 3}, f.Block)
	assert.Equal(t, 312, ran)
}

// A failure keeps the other workers from going on. Without that, this would run for hours.
func TestFailureStopsOthers(t *testing.T) {
	t.Parallel()
	l := kernel.Launch{Grid: dim{math.MaxUint32, 1, 1}, Block: dim{1, 1, 1}}
	err := bind(t, func(b *kernel.Block) {
		if b.Index.X == 0 {
			panic("first")
		}
	}).Run(context.Background(), l)
	require.ErrorIs(t, err, kernel.ErrFailed)
	assert.ErrorContains(t, err, "block (0, 0, 0): first")
}

// Of blocks that fail at once, the error has the lowest, and the others are waited for.
func TestLowestFailure(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var all sync.WaitGroup
	all.Add(4)
	err := bind(t, func(b *kernel.Block) {
		all.Done()
		all.Wait()
		if b.Index.X == 1 {
			runtime.Goexit()
		}
		panic(b.Index.X)
	}).Run(context.Background(), kernel.Launch{Grid: dim{4, 1, 1}, Block: dim{1, 1, 1}})
	var f *kernel.Failure
	require.ErrorAs(t, err, &f)
	assert.Equal(t, dim{0, 0, 0}, f.Block)
	assert.EqualValues(t, uint32(0), f.Value)
}

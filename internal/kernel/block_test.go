package kernel_test

import (
	"context"
	"iter"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/kernel"
)

type dim = kernel.Dim

// run runs fn with arguments and fails the test if it fails.
func run(t testing.TB, l kernel.Launch, fn any, args ...any) {
	t.Helper()
	f, err := kernel.Of(fn)
	require.NoError(t, err)
	b, err := f.Bind(args...)
	require.NoError(t, err)
	require.NoError(t, b.Run(context.Background(), l))
}

var shapes = []struct{ grid, block dim }{
	{dim{1, 1, 1}, dim{1, 1, 1}},
	{dim{3, 1, 1}, dim{4, 1, 1}},
	{dim{2, 3, 1}, dim{3, 2, 1}},
	{dim{2, 3, 4}, dim{2, 1, 3}},
}

// threadsOf has the positions of a block's threads, X first.
func threadsOf(block dim) (all []dim) {
	for z := range block.Z {
		for y := range block.Y {
			for x := range block.X {
				all = append(all, dim{x, y, z})
			}
		}
	}
	return all
}

func TestThreads(t *testing.T) {
	t.Parallel()
	for _, s := range shapes {
		all := s.grid.Size() * s.block.Size()
		for _, n := range []int{-1, 0, 1, all / 2, all - 1, all, all + 7, math.MaxInt} {
			next, first := 0, 0
			run(t, kernel.Launch{Grid: s.grid, Block: s.block, Serial: true}, func(b *kernel.Block) {
				assert.Equal(t, first, b.First())
				assert.Equal(t, s.block.Size(), b.Size())
				lo, hi := b.Span(n)
				assert.LessOrEqual(t, lo, hi)
				var got []int
				for i := range b.Threads(n) {
					assert.Equal(t, next, i)
					got = append(got, i)
					next++
				}
				assert.Len(t, got, hi-lo)
				first += b.Size()
			})
			assert.Equal(t, max(0, min(n, all)), next, "grid %v, block %v, n %d", s.grid, s.block, n)
		}
	}
}

func TestThreadPositions(t *testing.T) {
	t.Parallel()
	for _, s := range shapes {
		b := &kernel.Block{Dim: s.block, Grid: s.grid}
		for i, want := range threadsOf(s.block) {
			assert.Equal(t, want, b.Thread(i))
		}
	}
}

// The coordinates are those that C computes, with each n, in loops that are nested.
func TestAxes(t *testing.T) {
	t.Parallel()
	const nx, ny, nz = 5, 4, 9
	for _, s := range shapes {
		var got, want []dim
		run(t, kernel.Launch{Grid: s.grid, Block: s.block, Serial: true}, func(b *kernel.Block) {
			for z := range b.Z(nz) {
				for y := range b.Y(ny) {
					for x := range b.X(nx) {
						got = append(got, dim{uint32(x), uint32(y), uint32(z)})
					}
				}
			}
			for _, p := range threadsOf(b.Dim) {
				x, y, z := b.Index.X*b.Dim.X+p.X, b.Index.Y*b.Dim.Y+p.Y, b.Index.Z*b.Dim.Z+p.Z
				if x < nx && y < ny && z < nz {
					want = append(want, dim{x, y, z})
				}
			}
		})
		assert.Equal(t, want, got)
	}
}

func TestStride(t *testing.T) {
	t.Parallel()
	for _, s := range shapes {
		for _, n := range []int{-5, 0, 1, 24, 1000} {
			seen := make([]int, max(n, 0))
			run(t, kernel.Launch{Grid: s.grid, Block: s.block, Serial: true}, func(b *kernel.Block) {
				step := b.Grid.Size() * b.Size()
				for i := range b.Stride(n) {
					seen[i]++
					assert.Equal(t, b.First()/b.Size(), i%step/b.Size(), "the block that C has for %d", i)
				}
			})
			assert.NotContains(t, seen, 0)
			assert.NotContains(t, seen, 2)
		}
	}
	b := &kernel.Block{Dim: dim{1, 1, 1}, Grid: dim{1 << 31, 1 << 31, 1}, Index: dim{5, 0, 0}}
	var got []int
	for i := range b.Stride(math.MaxInt) {
		if got = append(got, i); len(got) == 3 { // from a number that overflowed
			break
		}
	}
	assert.Equal(t, []int{5, 1<<62 + 5}, got)
}

func TestLoopsStop(t *testing.T) {
	t.Parallel()
	b := &kernel.Block{Dim: dim{4, 4, 4}, Grid: dim{1, 1, 1}}
	for _, loop := range []iter.Seq[int]{b.Threads(9), b.Stride(9), b.X(9), b.Y(9), b.Z(9)} {
		next, stop := iter.Pull(loop)
		i, ok := next()
		assert.Equal(t, 0, i)
		assert.True(t, ok)
		stop()
		assert.NotEmpty(t, slices.Collect(loop))
	}
}

func TestDimString(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "(1, 2, 3)", dim{1, 2, 3}.String())
}

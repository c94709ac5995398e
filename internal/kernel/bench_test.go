package kernel_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/kernel"
)

func saxpy(b *kernel.Block, n int32, a float32, x, y []float32) {
	for i := range b.Threads(int(n)) {
		y[i] += a * x[i]
	}
}

func saxpySpan(b *kernel.Block, n int32, a float32, x, y []float32) {
	lo, hi := b.Span(int(n))
	x, y = x[lo:hi], y[lo:hi]
	for i := range y {
		y[i] += a * x[i]
	}
}

func nothing(*kernel.Block, int32, float32, []float32, []float32) {}

// BenchmarkRun runs saxpy of a million elements in blocks of several sizes, beside a plain loop.
// ns/block of "nothing" is what a block costs besides the kernel.
func BenchmarkRun(b *testing.B) {
	const n = 1 << 20
	x, y := make([]float32, n), make([]float32, n)
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			for i := range y {
				y[i] += 2 * x[i]
			}
		}
	})
	kernels := []struct {
		name string
		fn   any
	}{{"threads", saxpy}, {"span", saxpySpan}, {"nothing", nothing}}
	for _, k := range kernels {
		for _, size := range []uint32{32, 128, 256, 1024} {
			for _, serial := range []bool{true, false} {
				name := fmt.Sprintf("%s/block=%d/serial=%v", k.name, size, serial)
				b.Run(name, func(b *testing.B) { benchmark(b, k.fn, n, size, serial, x, y) })
			}
		}
	}
}

func benchmark(b *testing.B, fn any, n, size uint32, serial bool, x, y []float32) {
	f, err := kernel.Of(fn)
	require.NoError(b, err)
	bound, err := f.Bind(int32(n), float32(2), x, y)
	require.NoError(b, err)
	l := kernel.Launch{Grid: kernel.Dim{X: n / size, Y: 1, Z: 1},
		Block: kernel.Dim{X: size, Y: 1, Z: 1}, Serial: serial}
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, bound.Run(context.Background(), l))
	}
	perBlock := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(l.Grid.X)
	b.ReportMetric(perBlock, "ns/block")
	b.ReportMetric(float64(runtime.GOMAXPROCS(0)), "procs")
}

// BenchmarkLaunch is what a launch of one block costs.
func BenchmarkLaunch(b *testing.B) {
	bound := bind(b, nothing, int32(0), float32(0), []float32(nil), []float32(nil))
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, bound.Run(context.Background(), one))
	}
}

// BenchmarkBind is what arguments cost that come as a driver gets them.
func BenchmarkBind(b *testing.B) {
	f, err := kernel.Of(nothing)
	require.NoError(b, err)
	packed, memory := make([]byte, f.Size()), make([]byte, 64)
	packed[8], packed[16] = 8, 16
	b.ReportAllocs()
	for b.Loop() {
		_, err := f.BindPacked(packed, func(uintptr) ([]byte, error) { return memory, nil })
		require.NoError(b, err)
	}
}

func transpose(b *kernel.Block, w, h int32, in, out []float32) {
	for y := range b.Y(int(h)) {
		for x := range b.X(int(w)) {
			out[y*int(w)+x] = in[x*int(h)+y]
		}
	}
}

// BenchmarkNested is a block of loops over X inside loops over Y. It has no allocations.
func BenchmarkNested(b *testing.B) {
	block := &kernel.Block{Dim: dim{16, 16, 1}, Grid: dim{1, 1, 1}}
	in, out := make([]float32, 256), make([]float32, 256)
	b.ReportAllocs()
	for b.Loop() {
		transpose(block, 16, 16, in, out)
	}
}

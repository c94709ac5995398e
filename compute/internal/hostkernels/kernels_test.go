package hostkernels

import (
	"context"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
)

// inlines reports whether the compiler inlines functions in this build.
func inlines() bool {
	info, _ := debug.ReadBuildInfo()
	for _, s := range info.Settings {
		if s.Key == "-gcflags" && strings.Contains(s.Value, "-l") {
			return false
		}
	}
	return true
}

// unknown keeps the compiler from knowing which function is called, as it is on the device.
var unknown = struct {
	call func(n int32, x, y, z []float32) func(*compute.Block)
}{bound}

func TestMethodsOfABlockAreInlined(t *testing.T) {
	if !inlines() {
		t.Skip("this build inlines nothing")
	}
	const n = 512
	x, y, z := make([]float32, n), make([]float32, n), make([]float32, n)
	b := &compute.Block{Index: compute.Dim{X: 1}, Dim: compute.Dim{X: 16, Y: 1, Z: 1},
		Grid: compute.Dim{X: 32, Y: 1, Z: 1}}
	// As the device calls it: not inlined into the caller.
	perBlock := unknown.call(n, x, y, z)
	for name, f := range map[string]func(){
		"threads":   func() { vecadd(b, n, x, y, z) },
		"span":      func() { span(b, n, x, y, z) },
		"stride":    func() { stride(b, n, x, y, z) },
		"x and y":   func() { transpose(b, 16, 32, x, y) },
		"z":         func() { planes(b, 1, z) },
		"of a bind": func() { perBlock(b) },
	} {
		assert.Zero(t, testing.AllocsPerRun(100, f), "%s: allocations per block", name)
	}
}

func TestKernelsAgreeWithALoop(t *testing.T) {
	t.Parallel()
	const n = 1000
	for name, f := range map[string]compute.HostKernel{"vecadd": vecadd, "span": span, "bound": bound,
		"stride": stride} {
		r := newRig(t, n, f)
		require.NoError(t, r.launch(256), name)
		got, err := r.z.Read(r.stream)
		require.NoError(t, err)
		want := make([]float32, n)
		loop(r.values, r.values, want)
		assert.Equal(t, want, got, name)
	}
}

// rig is a kernel on the host device with vectors.
type rig struct {
	stream  *event.Stream
	kernel  *compute.Kernel
	values  []float32
	x, y, z *compute.Buffer[float32]
}

func newRig(t testing.TB, n int, f compute.HostKernel) *rig {
	d, err := event.Open("host")
	require.NoError(t, err)
	r := &rig{values: make([]float32, n)}
	r.stream, err = d.NewStream()
	require.NoError(t, err)
	m, err := compute.Compile(context.Background(), d,
		compute.Source{Host: map[string]compute.HostKernel{"f": f}})
	require.NoError(t, err)
	r.kernel, err = m.Kernel("f")
	require.NoError(t, err)
	for i := range r.values {
		r.values[i] = float32(i)
	}
	for _, b := range []**compute.Buffer[float32]{&r.x, &r.y, &r.z} {
		*b, err = compute.From(r.stream, r.values)
		require.NoError(t, err)
	}
	t.Cleanup(func() {
		for _, b := range []*compute.Buffer[float32]{r.x, r.y, r.z} {
			require.NoError(t, b.Close())
		}
		require.NoError(t, m.Close())
		require.NoError(t, r.stream.Close())
	})
	return r
}

func (r *rig) launch(threads int) error {
	n := len(r.values)
	return r.kernel.Launch(r.stream, compute.Linear(n, threads), int32(n), r.x, r.y, r.z)
}

// BenchmarkHostKernel adds two vectors of a million elements on one processor, with a kernel and
// with a plain loop in turns. It reports the least times of both, which other programs disturb the
// least, and their ratio.
func BenchmarkHostKernel(b *testing.B) {
	const n = 1_000_000
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, c := range []struct {
		name    string
		f       compute.HostKernel
		threads int
	}{
		{"empty,1024", empty, 1024},
		{"cut,256", cut, 256}, {"cut,1024", cut, 1024},
		{"bound,256", bound, 256}, {"bound,1024", bound, 1024},
		{"threads,256", vecadd, 256}, {"threads,1024", vecadd, 1024},
		{"span,256", span, 256}, {"span,1024", span, 1024},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := newRig(b, n, c.f)
			x, y, z := make([]float32, n), make([]float32, n), make([]float32, n)
			least := func(old *time.Duration, f func()) {
				begin := time.Now()
				f()
				*old = min(*old, time.Since(begin))
			}
			plain, kernel := time.Hour, time.Hour
			for b.Loop() {
				least(&plain, func() { loop(x, y, z) })
				least(&kernel, func() {
					if r.launch(c.threads) != nil || r.stream.Sync() != nil {
						b.Fatal("the launch failed")
					}
				})
			}
			b.ReportMetric(float64(plain.Microseconds()), "µs/loop")
			b.ReportMetric(float64(kernel.Microseconds()), "µs/kernel")
			b.ReportMetric(float64(kernel)/float64(plain), "x")
			b.ReportMetric(0, "ns/op")
		})
	}
}

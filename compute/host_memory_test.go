package compute_test

import (
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

// hostRig is the host device.
func hostRig(t testing.TB) *rig {
	t.Helper()
	return newRig(t, targets[0], eventsim.Config{})
}

// More memory than the machine has is an error on the host, and does not end the process.
func TestMoreMemoryThanTheMachineHas(t *testing.T) {
	r := hostRig(t)
	much := []int{1 << 46, math.MaxInt}
	if m, err := r.device.Memory(); err == nil {
		much = append(much, int(m.Total)*2, int(m.Total)+1)
	}
	for _, n := range much {
		_, err := compute.Alloc[byte](r.stream, n)
		require.ErrorIs(t, err, compute.ErrOutOfMemory, "%d", n)
		assert.ErrorContains(t, err, "bytes wanted")
		_, err = compute.AllocOn[byte](r.device, n)
		require.ErrorIs(t, err, compute.ErrOutOfMemory, "%d", n)
		_, err = compute.AllocPinned[byte](r.device, n)
		require.ErrorIs(t, err, compute.ErrOutOfMemory, "%d", n)
	}
	// Large memory that is free again can be allocated again.
	for range 3 {
		b, err := compute.Alloc[byte](r.stream, 32<<20)
		require.NoError(t, err)
		require.NoError(t, b.Close())
	}
}

func TestFillOnTheHost(t *testing.T) {
	r := hostRig(t)
	for _, n := range []int{1, 3, 63, 64, 65, 127, 1000, 70000} {
		testFill(r, n, byte(7))
		testFill(r, n, uint16(0x1234))
		testFill(r, n, float32(1.5))
		testFill(r, n, int32(0))
		testFill(r, n, 2.25)
		testFill(r, n, [3]uint16{1, 2, 3})
	}
}

func testFill[T comparable](r *rig, n int, v T) {
	b, err := compute.Alloc[T](r.stream, n)
	require.NoError(r, err)
	require.NoError(r, b.Fill(r.stream, v))
	got, err := b.Read(r.stream)
	require.NoError(r, err)
	for i := range got {
		require.Equal(r, v, got[i], "element %d of %d", i, n)
	}
	part, err := b.Slice(n/3, n)
	require.NoError(r, err)
	require.NoError(r, part.Zero(r.stream))
	got, err = b.Read(r.stream)
	require.NoError(r, err)
	var zero T
	for i := range got {
		want := v
		if i >= n/3 {
			want = zero
		}
		require.Equal(r, want, got[i], "element %d of %d", i, n)
	}
	require.NoError(r, b.Close())
}

// BenchmarkFillOnTheHost compares filling memory of the host device with clearing as much of Go's,
// in turns. It reports the least times of both, which other programs disturb the least, as a ratio.
func BenchmarkFillOnTheHost(b *testing.B) {
	r := hostRig(b)
	const n = 4 << 20
	buffer, err := compute.Alloc[byte](r.stream, n)
	require.NoError(b, err)
	defer buffer.Close()
	memory := make([]byte, n)
	for name, f := range map[string]func() error{
		"Zero": func() error { return buffer.Zero(r.stream) },
		"Fill": func() error { return buffer.Fill(r.stream, 3) },
	} {
		b.Run(name, func(b *testing.B) {
			plain, filled := time.Hour, time.Hour
			for b.Loop() {
				begin := time.Now()
				clear(memory)
				plain = min(plain, time.Since(begin))
				begin = time.Now()
				if f() != nil || r.stream.Sync() != nil {
					b.Fatal("the fill failed")
				}
				filled = min(filled, time.Since(begin))
			}
			b.ReportMetric(float64(filled)/float64(plain), "x-clear")
		})
	}
}

// CopyFrom on the host makes no copy of its own on an idle stream. Behind other work it does, and
// the caller may change the slice when it returns.
func TestCopyFromOnTheHost(t *testing.T) {
	r := hostRig(t)
	const n = 4 << 20
	values := make([]byte, n)
	b, err := compute.Alloc[byte](r.stream, n)
	require.NoError(t, err)
	defer b.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 8 {
		require.NoError(t, b.CopyFrom(r.stream, values))
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(n), "bytes allocated by 8 copies")

	gate := make(chan struct{})
	wait := r.kernel("wait", func(*compute.Block) { <-gate })
	require.NoError(t, wait.Launch(r.stream, compute.Config{}))
	values[0], values[n-1] = 1, 2
	require.NoError(t, b.CopyFrom(r.stream, values))
	values[0], values[n-1] = 3, 4
	close(gate)
	got, err := b.Read(r.stream)
	require.NoError(t, err)
	assert.Equal(t, []byte{1, 2}, []byte{got[0], got[n-1]})
}

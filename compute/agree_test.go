package compute_test

import (
	"context"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
)

// maybeGo adds a vector to another one, if there is one.
func maybeGo(b *compute.Block, n int32, x, y []float32) {
	for i := range b.Threads(int(n)) {
		if x != nil {
			y[i] += x[i]
		}
	}
}

// Null pointers and addresses are arguments on all devices, as each vendor's type and as ours.
func TestAddressesAsArguments(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		k := r.kernel("maybe", maybeGo)
		x, y := buffer(r, float32(1), 2, 3), buffer(r, float32(10), 20)
		launch := func(n int32, x any) {
			t.Helper()
			require.NoError(t, k.Launch(r.stream, compute.Linear(int(n), 32), n, x, y))
		}
		launch(2, compute.DevicePointer(0))
		launch(2, cudrv.Deviceptr(0))
		launch(2, hip.Deviceptr(nil))
		assert.Equal(t, []float32{10, 20}, read(r, y))
		launch(2, x.Pointer())
		launch(2, cudrv.Deviceptr(x.Pointer()))
		assert.Equal(t, []float32{12, 24}, read(r, y))
		word := uintptr(x.Pointer())
		launch(2, *(*hip.Deviceptr)(unsafe.Pointer(&word)))
		launch(2, x.Pointer()+4)
		assert.Equal(t, []float32{15, 29}, read(r, y))
		if r.machine != nil {
			return // what no buffer has is found by the kernel
		}
		for wrong, says := range map[compute.DevicePointer]string{
			16: "no buffer of host has address 0x10", x.Pointer() + 2: "is no multiple of 4"} {
			err := k.Launch(r.stream, compute.Linear(2, 32), int32(2), wrong, y)
			require.ErrorIs(t, err, compute.ErrArgument)
			assert.ErrorContains(t, err, "argument 1: ")
			assert.ErrorContains(t, err, says)
		}
	})
}

// Buffers of no elements can be allocated, copied, filled and passed to a kernel.
func TestBuffersOfNoElements(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		k := r.kernel("maybe", maybeGo)
		s := r.stream
		for _, allocate := range []func() (*compute.Buffer[float32], error){
			func() (*compute.Buffer[float32], error) { return compute.Alloc[float32](s, 0) },
			func() (*compute.Buffer[float32], error) { return compute.AllocOn[float32](r.device, 0) },
			func() (*compute.Buffer[float32], error) { return compute.From(s, []float32{}) },
			func() (*compute.Buffer[float32], error) { return compute.From[float32](s, nil) },
		} {
			b, err := allocate()
			require.NoError(t, err)
			assert.Zero(t, b.Len()+b.Bytes())
			assert.NotZero(t, b.Pointer())
			require.NoError(t, b.CopyFrom(s, nil))
			require.NoError(t, b.Fill(s, 1))
			got, err := b.Read(s)
			require.NoError(t, err)
			assert.Empty(t, got)
			part, err := b.Slice(0, 0)
			require.NoError(t, err)
			require.NoError(t, k.Launch(s, compute.Linear(0, 32), int32(0), b, part))
			require.NoError(t, k.Launch(s, compute.Linear(1, 32), int32(0), b, part))
			require.NoError(t, s.Sync())
			require.NoError(t, b.Close())
		}
		p, err := compute.AllocPinned[float32](r.device, 0)
		require.NoError(t, err)
		assert.Empty(t, p.Data())
		require.NoError(t, p.Close())
		_, err = compute.Alloc[float32](s, -1)
		require.ErrorIs(t, err, compute.ErrBounds)
		assert.ErrorContains(t, err, "allocate from 0 to")
		require.NoError(t, s.Sync())
		u, err := compute.UsageOf(r.device)
		require.NoError(t, err)
		assert.Zero(t, u.PinnedBuffers)
	})
}

// The end of the context ends a compilation before it begins, on all devices.
func TestCompileWithAnEndedContext(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s := compute.Source{Text: "void f() {}", Host: map[string]compute.HostKernel{"maybe": maybeGo}}
		m, err := compute.Compile(ctx, r.device, s)
		assert.Nil(t, m)
		require.ErrorIs(t, err, context.Canceled)
		var e *event.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, "Compile", e.Op)
		_, err = compute.CompileFor(ctx, "sm_90", s)
		require.ErrorIs(t, err, context.Canceled)
	})
}

// A variable of a module is a Go variable on the host.
func TestGlobalOnTheHost(t *testing.T) {
	r := hostRig(t)
	factors := [3]float32{1, 2, 3}
	scale := func(b *compute.Block, n int32, x []float32) {
		for i := range b.Threads(int(n)) {
			x[i] *= factors[i]
		}
	}
	compile := func(host map[string]compute.HostKernel) (*compute.Module, error) {
		return compute.Compile(t.Context(), r.device, compute.Source{Host: host})
	}
	m, err := compile(map[string]compute.HostKernel{"scale": scale, "factors": &factors})
	require.NoError(t, err)
	g, err := compute.Global[float32](m, "factors")
	require.NoError(t, err)
	assert.Equal(t, 3, g.Len())
	assert.Equal(t, []float32{1, 2, 3}, read(r, g))
	require.NoError(t, g.CopyFrom(r.stream, []float32{2, 4, 6}))
	k, err := m.Kernel("scale")
	require.NoError(t, err)
	x := buffer(r, float32(1), 1, 1)
	require.NoError(t, k.Launch(r.stream, compute.Linear(3, 32), int32(3), x))
	assert.Equal(t, []float32{2, 4, 6}, read(r, x))
	require.NoError(t, k.Launch(r.stream, compute.Linear(3, 32), int32(3), g))
	assert.Equal(t, []float32{4, 16, 36}, read(r, g))

	_, err = compute.Global[float32](m, "other")
	require.ErrorIs(t, err, compute.ErrNotFound)
	assert.ErrorContains(t, err, `variable "other"; set Source.Host["other"]`)
	_, err = compute.Global[[2]float32](m, "factors")
	require.ErrorIs(t, err, compute.ErrBounds)
	_, err = m.Kernel("factors")
	require.ErrorIs(t, err, compute.ErrNotFound)
	require.NoError(t, m.Close())
	assert.ErrorIs(t, g.Zero(r.stream), event.ErrClosed)

	_, err = compile(map[string]compute.HostKernel{"p": (*int32)(nil), "q": new(string)})
	require.ErrorIs(t, err, compute.ErrType)
	assert.ErrorContains(t, err, `Source.Host["p"]: a nil pointer to a variable of type int32`)
	assert.ErrorContains(t, err, `Source.Host["q"]`)
}

// The zero values of all types return errors and zero values, as nil does.
func TestZeroValues(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		s := r.stream
		real := buffer(r, float32(1))
		for _, b := range []*compute.Buffer[float32]{nil, {}} {
			assert.Zero(t, b.Len()+b.Bytes())
			assert.Zero(t, b.Pointer())
			assert.Nil(t, b.Device())
			assert.Equal(t, "buffer <nil>", b.String())
			_, err := b.Slice(0, 0)
			require.ErrorIs(t, err, compute.ErrNil)
			_, err = b.Read(s)
			require.ErrorIs(t, err, compute.ErrNil)
			for _, err := range []error{b.CopyFrom(s, nil), b.CopyTo(s, nil), b.Fill(s, 1), b.Zero(s),
				b.CopyFromBuffer(s, real), real.CopyFromBuffer(s, b),
				b.CopyFromPinned(s, nil), b.CopyToPinned(s, nil)} {
				require.ErrorIs(t, err, compute.ErrNil)
			}
			require.NoError(t, b.Close())
		}
		for _, p := range []*compute.Pinned[float32]{nil, {}} {
			assert.Nil(t, p.Data())
			assert.Zero(t, p.Len())
			assert.Equal(t, "pinned memory <nil>", p.String())
			_, err := p.Slice(0, 0)
			require.ErrorIs(t, err, compute.ErrNil)
			require.ErrorIs(t, real.CopyFromPinned(s, p), compute.ErrNil)
			require.ErrorIs(t, real.CopyToPinned(s, p), compute.ErrNil)
			require.NoError(t, p.Close())
		}
		for _, k := range []*compute.Kernel{nil, {}} {
			require.ErrorIs(t, k.Launch(s, compute.Linear(1, 1)), compute.ErrNil)
			_, err := k.Occupancy(1, 0)
			require.ErrorIs(t, err, compute.ErrNil)
			_, _, err = k.Suggest(0)
			require.ErrorIs(t, err, compute.ErrNil)
			assert.Equal(t, "kernel <nil>", k.String())
			assert.Empty(t, k.Name())
			assert.Nil(t, k.Module())
			assert.Zero(t, k.Attributes())
			_, known := k.Parameters()
			assert.False(t, known)
		}
		for _, m := range []*compute.Module{nil, {}} {
			_, err := m.Kernel("x")
			require.ErrorIs(t, err, compute.ErrNil)
			_, err = compute.Global[int32](m, "x")
			require.ErrorIs(t, err, compute.ErrNil)
			assert.Nil(t, m.Device())
			assert.Empty(t, m.Names())
			assert.Empty(t, m.Log())
			assert.Equal(t, "module <nil>", m.String())
			require.NoError(t, m.Close())
		}
		for _, g := range []*compute.Graph{nil, {}} {
			require.ErrorIs(t, g.Launch(s), compute.ErrNil)
			require.ErrorIs(t, g.Update(s, func() error { return nil }), compute.ErrNil)
			assert.Empty(t, g.Kernels())
			assert.Equal(t, "graph <nil>", g.String())
			require.NoError(t, g.Close())
		}
		for _, k := range []*compute.GraphKernel{nil, {}} {
			require.ErrorIs(t, k.Set(compute.Linear(1, 1)), compute.ErrNil)
			assert.Nil(t, k.Kernel())
		}
	})
}

// What can't be part of a graph is refused by the name of the call.
func TestFillInACapture(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		if r.device.Capabilities()&event.CapCapture == 0 {
			t.Skip("it captures nothing")
		}
		b := buffer(r, 1.0, 2.0)
		_, err := compute.Capture(r.stream, func() error { return b.Fill(r.stream, 3.5) })
		require.ErrorIs(t, err, event.ErrCaptured)
		assert.ErrorContains(t, err, "Buffer.Fill")
		assert.ErrorContains(t, err, "a value of 8 bytes")
		assert.NotContains(t, err.Error(), "CopyFrom")
	})
}

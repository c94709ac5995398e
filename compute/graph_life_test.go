package compute_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
	"github.com/gpuevent/gpuevent/hip"
)

// needsCapture skips where the device captures nothing.
func (r *rig) needsCapture(t *testing.T) {
	t.Helper()
	if r.device.Capabilities()&event.CapCapture == 0 {
		t.Skip("this driver can't capture")
	}
}

// needsLaunchCapture skips where captures record no launches of kernels.
func (r *rig) needsLaunchCapture(t *testing.T) {
	t.Helper()
	if !r.device.Capabilities().Has(event.CapCaptureLaunch) {
		t.Skip("this driver captures no launches: see TestWorkThatCapturesLack")
	}
}

// needsGraphCapture skips where captures record no launches of graphs.
func (r *rig) needsGraphCapture(t *testing.T) {
	t.Helper()
	if r.target.backend == event.HIP {
		t.Skip("AMD's runtime captures no graphs: see TestWorkThatCapturesLack")
	}
}

// soonAllocated wants so many buffers to be there, when those that end have ended.
func (r *rig) soonAllocated(n int) {
	r.Helper()
	var u compute.Usage
	assert.True(r, eventually(func() bool {
		u, _ = compute.UsageOf(r.device)
		return u.Buffers+u.PinnedBuffers == n
	}), "%+v, want %d buffers", &u, n)
}

// graph captures what f enqueues.
func (r *rig) graph(f func() error) *compute.Graph {
	r.Helper()
	g, err := compute.Capture(r.stream, f)
	require.NoError(r, err)
	return g
}

// An updated graph keeps the buffers of its present work, and those of the work before only until
// the launches of that have ended.
func TestUpdateLetsGoOfOldBuffers(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		r.needsCapture(t)
		to := buffer(r, float32(0))
		var g *compute.Graph
		for i := range 20 {
			from, err := compute.AllocOn[float32](r.device, 1)
			require.NoError(t, err)
			require.NoError(t, from.Fill(r.stream, float32(i)))
			work := func() error { return to.CopyFromBuffer(r.stream, from) }
			if g == nil {
				g = r.graph(work)
			} else {
				require.NoError(t, g.Update(r.stream, work))
			}
			require.NoError(t, from.Close())
			require.NoError(t, g.Launch(r.stream))
			if i == 10 {
				require.NoError(t, r.stream.Sync())
			}
		}
		assert.Equal(t, []float32{19}, read(r, to))
		r.soonAllocated(2)
		require.NoError(t, g.Launch(r.stream), "the last buffer is kept")
		require.NoError(t, g.Close())
		require.NoError(t, to.Close())
		r.freed()
	})
}

// A buffer is not freed while a launch before the update still uses it.
func TestUpdateWhileOldWorkRuns(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		r.needsCapture(t)
		if r.machine == nil {
			t.Skip("gates are of simulated machines")
		}
		to, other := buffer(r, float32(0)), buffer(r, float32(0))
		from, err := compute.AllocOn[float32](r.device, 1)
		require.NoError(t, err)
		require.NoError(t, from.Fill(r.stream, 5))
		g := r.graph(func() error { return to.CopyFromBuffer(r.stream, from) })
		require.NoError(t, from.Close())
		require.NoError(t, r.stream.Sync())
		gate := r.machine.Gate(r.stream)
		require.NoError(t, g.Launch(r.stream))
		require.NoError(t, g.Update(r.stream, func() error {
			return to.CopyFromBuffer(r.stream, other)
		}))
		r.soonAllocated(3)
		require.NoError(t, g.Close(), "the executable graph is still running")
		gate.Open()
		assert.Equal(t, []float32{5}, read(r, to))
		r.soonAllocated(2)
		require.NoError(t, to.Close())
		require.NoError(t, other.Close())
		r.freed()
	})
}

// Graphs that launch themselves, or each other, are freed.
func TestGraphsThatLaunchThemselves(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		r.needsLaunchCapture(t)
		r.needsGraphCapture(t)
		x, err := compute.AllocOn[int32](r.device, 1)
		require.NoError(t, err)
		add := r.kernel("add", func(_ *compute.Block, x []int32) { x[0]++ })
		work := func() error { return add.Launch(r.stream, compute.Config{}, x) }
		require.NoError(t, x.Zero(r.stream))
		require.NoError(t, r.stream.Sync())

		self := r.graph(work)
		for range 3 { // the second one has the shape of the first
			require.NoError(t, self.Update(r.stream, func() error { return self.Launch(r.stream) }))
		}
		require.NoError(t, self.Launch(r.stream))
		assert.Equal(t, []int32{1}, read(r, x))

		one, two := r.graph(work), r.graph(work)
		for range 2 {
			require.NoError(t, one.Update(r.stream, func() error { return two.Launch(r.stream) }))
			require.NoError(t, two.Update(r.stream, func() error { return one.Launch(r.stream) }))
		}
		require.NoError(t, x.Close())
		r.soonAllocated(1)
		for _, g := range []*compute.Graph{self, one, two} {
			require.NoError(t, g.Launch(r.stream))
			require.NoError(t, g.Close())
		}
		require.NoError(t, r.stream.Sync())
		r.freed()
		if r.machine != nil {
			made := r.called("cuGraphInstantiate") + r.called("cuGraphInstantiateWithFlags") +
				r.called("cuGraphInstantiate_v2") + r.called("hipGraphInstantiate") +
				r.called("hipGraphInstantiateWithFlags")
			ended := func() bool {
				return r.called("cuGraphExecDestroy")+r.called("hipGraphExecDestroy") == made
			}
			assert.NotZero(t, made)
			assert.True(t, eventually(ended), "executable graphs that are not destroyed")
		}
	})
}

// unloads returns how many modules were unloaded.
func (r *rig) unloads() int { return r.called("cuModuleUnload") + r.called("hipModuleUnload") }

// adder loads a module with one kernel, that adds to a buffer. The caller closes it.
func (r *rig) adder(by int32) (*compute.Module, *compute.Kernel) {
	r.Helper()
	m := r.load(map[string]compute.HostKernel{
		fmt.Sprint("add", by): func(_ *compute.Block, x []int32) { x[0] += by },
	})
	k, err := m.Kernel(fmt.Sprint("add", by))
	require.NoError(r, err)
	return m, k
}

// The launches of an updated graph are still set at the nodes of the first capture, whose kernels
// stay loaded until the graph is closed. The kernels of other updates do not.
func TestUpdatedGraphKeepsModuleOfItsNodes(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		r.needsLaunchCapture(t)
		x := buffer(r, int32(0))
		var g *compute.Graph
		for i := range int32(4) {
			m, add := r.adder(1 + i)
			work := func() error { return add.Launch(r.stream, compute.Config{}, x) }
			if g == nil {
				g = r.graph(work)
			} else {
				require.NoError(t, g.Update(r.stream, work))
			}
			require.NoError(t, m.Close())
			require.NoError(t, r.stream.Sync())
		}
		if r.machine != nil {
			assert.True(t, eventually(func() bool { return r.unloads() == 2 }), "%d", r.unloads())
		}
		require.NoError(t, g.Kernels()[0].Set(compute.Config{}, x))
		require.NoError(t, g.Launch(r.stream))
		assert.Equal(t, []int32{4}, read(r, x))
		require.NoError(t, g.Close())
		if r.machine != nil {
			assert.True(t, eventually(func() bool { return r.unloads() == 4 }), "%d", r.unloads())
		}
	})
}

// A graph keeps what an update that failed would use, since the driver may have done a part of it,
// until another update.
func TestFailedUpdateKeepsNewWork(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		r.needsLaunchCapture(t)
		if r.machine == nil {
			t.Skip("faults are of simulated machines")
		}
		call, code := "hipGraphExecUpdate", error(hip.ErrOutOfMemory)
		switch {
		case r.target.backend == event.CUDA && r.target.version == "11.8":
			call, code = "cuGraphExecUpdate", cudrv.ErrOutOfMemory
		case r.target.backend == event.CUDA:
			call, code = "cuGraphExecUpdate_v2", cudrv.ErrOutOfMemory
		}
		x := buffer(r, int32(0))
		first, one := r.adder(1)
		g := r.graph(func() error { return one.Launch(r.stream, compute.Config{}, x) })
		y, err := compute.AllocOn[int32](r.device, 1)
		require.NoError(t, err)
		second, two := r.adder(2)
		r.machine.Fail(eventsim.Fault{Call: call, Err: code})
		require.Error(t, g.Update(r.stream, func() error {
			return two.Launch(r.stream, compute.Config{}, y)
		}))
		require.NoError(t, second.Close())
		require.NoError(t, y.Close())
		require.NoError(t, r.stream.Sync())
		assert.Zero(t, r.unloads())
		r.soonAllocated(2)
		require.NoError(t, g.Update(r.stream, func() error {
			return one.Launch(r.stream, compute.Config{}, x)
		}))
		assert.True(t, eventually(func() bool { return r.unloads() == 1 }), "%d", r.unloads())
		r.soonAllocated(1)
		require.NoError(t, g.Close())
		require.NoError(t, first.Close())
	})
}

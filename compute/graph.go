package compute

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/door"
)

// Graph is work that was captured once and can be launched many times. Get one with [Capture], and
// close it when it is no longer needed. All methods are safe for concurrent use. Launches of one
// graph run one after the other.
type Graph struct {
	*executable
	kernels []*GraphKernel // guarded by mu
	whole   runtime.Cleanup
}

// executable is a graph as the driver has it. A Graph that is dropped without Close is destroyed.
type executable struct {
	device *device
	label  string
	users  users
	closed atomic.Bool
	held   atomic.Int64 // graphs that launch it

	mu     sync.Mutex // makes launches, changes and the end follow each other
	native backend.Graph
	exec   backend.Exec
	kept   kept
}

// GraphKernel is a launch of a kernel in a graph.
type GraphKernel struct {
	graph  *Graph
	kernel *Kernel
	node   backend.Node
}

var graphs atomic.Uint64

func newGraph(c *capture, native backend.Graph, exec backend.Exec) *Graph {
	x := &executable{device: c.device, native: native, exec: exec, kept: c.kept,
		label: fmt.Sprintf("%v graph %d", c.device.event, graphs.Add(1))}
	g := &Graph{executable: x, kernels: c.kernels}
	g.whole = runtime.AddCleanup(g, (*executable).closeAsync, x)
	for _, k := range g.kernels {
		k.graph = g
	}
	return g
}

// Launch enqueues all of the graph's work on a stream of its device, and returns at once.
func (g *Graph) Launch(s *event.Stream) error {
	const op = "Graph.Launch"
	if err := g.open(op); err != nil {
		return err
	}
	native, err := g.device.use(op, s)
	if err != nil {
		return err
	}
	defer door.Release(s)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.users.note(s)
	if err := g.open(op); err != nil {
		return err
	}
	for _, k := range g.kernels {
		door.NoteLaunch(s, &k.kernel.name)
	}
	if err := g.device.backend.LaunchGraph(native, g.exec); err != nil {
		if isDeviceFailure(err) {
			return failed(op, s, err)
		}
		return failed(op, g, err)
	}
	return g.device.noteCapture(op, s, native, g.executable)
}

// Kernels returns the graph's launches of kernels, in the order of the capture.
func (g *Graph) Kernels() []*GraphKernel {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]*GraphKernel(nil), g.kernels...)
}

// Kernel returns the kernel that is launched.
func (k *GraphKernel) Kernel() *Kernel { return k.kernel }

// Set changes the shape and the arguments of a launch, for later launches of the graph. They are
// checked as those of [Kernel.Launch]. The graph keeps the new buffers as well as the old.
func (k *GraphKernel) Set(c Config, args ...any) error {
	const op = "GraphKernel.Set"
	if k == nil {
		return refusal(op, named("launch <nil>"), ErrNil, "get one with Graph.Kernels")
	}
	g := k.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.open(op); err != nil {
		return err
	}
	if c.none {
		return refusal(op, k.kernel, ErrConfig, "a launch in a graph has at least one block")
	}
	b := g.device.backend
	f := b.Frame()
	defer b.PutFrame(f)
	entered := g.device.guard.enter(nil)
	err := k.kernel.fill(op, nil, f, &c, args)
	if err == nil {
		g.kept.addLaunch(k.kernel, args)
	}
	entered.leave()
	if err != nil {
		return err
	}
	return failed(op, k.kernel, b.SetKernel(g.exec, k.node, k.kernel.function, &f.Config, f))
}

// Update captures again, as [Capture] does, and makes the graph do that from its next launch on. If
// the new work has the same shape, only its parameters change, which is cheaper than a new graph.
// Launches returned by [Graph.Kernels] before belong to the old work; ask again.
func (g *Graph) Update(s *event.Stream, f func() error) error {
	const op = "Graph.Update"
	if err := g.open(op); err != nil {
		return err
	}
	if s == nil || s.Device() != g.device.event || s.IsDefault() || f == nil {
		return refusal(op, g, event.ErrInvalidOption,
			"pass a stream of %v that is not its default stream, and a function", g.device.event)
	}
	native, c, err := g.device.capture(op, s, f)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.open(op); err != nil {
		c.kept.drop()
		return errors.Join(err, failed(op, g, g.device.backend.DestroyGraph(native)))
	}
	return g.replace(op, native, c)
}

// replace makes the graph do what was captured. The caller holds the lock.
func (g *Graph) replace(op string, native backend.Graph, c *capture) error {
	b := g.device.backend
	err := b.Update(g.exec, native)
	if err == nil {
		// The nodes of the executable graph are still those of the first capture.
		for i, k := range c.kernels {
			if i < len(g.kernels) {
				k.node = g.kernels[i].node
			}
			k.graph = g
		}
		for o := range c.kept {
			g.kept.add(o)
		}
		c.kept.drop()
		g.kernels = c.kernels
		return failed(op, g, b.DestroyGraph(native))
	}
	if !errors.Is(err, backend.ErrDiffers) {
		c.kept.drop()
		return errors.Join(failed(op, g, err), failed(op, g, b.DestroyGraph(native)))
	}
	exec, err := b.Instantiate(native)
	if err != nil {
		c.kept.drop()
		return errors.Join(failed(op, g, err), failed(op, g, b.DestroyGraph(native)))
	}
	old := &executable{device: g.device, label: g.label, native: g.native, exec: g.exec, kept: g.kept}
	g.native, g.exec, g.kept, g.kernels = native, exec, c.kept, c.kernels
	for _, k := range g.kernels {
		k.graph = g
	}
	all := g.users.start()
	return g.device.whenDone(all, func() error { return old.destroy(op) })
}

// String returns the device's name, "graph" and a number.
func (g *Graph) String() string {
	if g == nil {
		return "graph <nil>"
	}
	return g.executable.String()
}

func (g *executable) String() string { return g.label }

// Close destroys the graph when its launches so far are done, and lets go of what it keeps. It
// returns at once. Later calls do nothing.
func (g *Graph) Close() error {
	const op = "Graph.Close"
	if g == nil {
		return nil
	}
	g.whole.Stop()
	return g.close(op)
}

func (g *executable) close(op string) error {
	if !g.closed.CompareAndSwap(false, true) || g.held.Load() != 0 {
		return nil // the last graph that launches it destroys it
	}
	return g.finish(op)
}

// closeAsync is close for the garbage collector.
func (g *executable) closeAsync() { g.device.background(func() { report(g.close("Graph")) }) }

// finish destroys a closed graph when its launches are done.
func (g *executable) finish(op string) error {
	g.mu.Lock()
	all, first := g.users.end()
	g.mu.Unlock()
	if !first {
		return nil
	}
	return g.device.whenDone(all, func() error { return g.destroy(op) })
}

// destroy destroys the native graph, which nothing uses any more.
func (g *executable) destroy(op string) error {
	b := g.device.backend
	err := errors.Join(
		failed(op, g, g.device.destroy(func() error { return b.DestroyExec(g.exec) })),
		failed(op, g, g.device.destroy(func() error { return b.DestroyGraph(g.native) })))
	g.kept.drop()
	return err
}

// open refuses what is nil or closed.
func (g *Graph) open(op string) error {
	if g == nil {
		return refusal(op, named("graph <nil>"), ErrNil, "capture one with compute.Capture")
	}
	if g.closed.Load() {
		return refusal(op, g, event.ErrClosed, "capture it again")
	}
	return nil
}

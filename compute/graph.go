package compute

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/driver"
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
	device   *device
	label    string
	lifetime // only closed: mu makes the end follow calls

	mu   sync.Mutex // makes launches, changes and the end follow each other
	now  *execution
	kept kept
}

// execution is what the driver runs at a launch. The graph holds it until an update replaces it,
// and so do graphs that launch it, and launches before an update.
type execution struct {
	device *device
	label  string
	native backend.Graph
	exec   backend.Exec
	kept   kept // modules that the nodes of native name, also after updates
	lifetime
}

// execution makes an execution that the caller has retained. It ends with the last use.
func (c *capture) execution(label string, native backend.Graph, exec backend.Exec) *execution {
	x := &execution{device: c.device, label: label, native: native, exec: exec}
	for o := range c.kept {
		if m, ok := o.(*loaded); ok {
			x.kept.add(m)
		}
	}
	x.retain()
	x.lifetime.close()
	return x
}

func (x *execution) String() string { return x.label }

// release ends a use, as of a graph that was closed or updated.
func (x *execution) release(op string) error {
	if x.lifetime.release() {
		return x.end(op)
	}
	return nil
}

// end destroys the native graph, which nothing uses any more.
func (x *execution) end(op string) error {
	b := x.device.backend
	defer x.kept.drop()
	return errors.Join(
		failed(op, x, x.device.destroy(func() error { return b.DestroyExec(x.exec) })),
		failed(op, x, x.device.destroy(func() error { return b.DestroyGraph(x.native) })))
}

// GraphKernel is a launch of a kernel in a graph.
type GraphKernel struct {
	graph  *Graph
	kernel *Kernel
	node   backend.Node
}

var graphs atomic.Uint64

func newGraph(c *capture, native backend.Graph, exec backend.Exec) *Graph {
	label := fmt.Sprintf("%v graph %d", c.device.event, graphs.Add(1))
	x := &executable{device: c.device, label: label, kept: c.kept,
		now: c.execution(label, native, exec)}
	g := &Graph{executable: x, kernels: c.kernels}
	g.whole = runtime.AddCleanup(g, (*executable).closeAsync, x)
	for _, k := range g.kernels {
		k.graph = g
	}
	return g
}

// Launch enqueues all of the graph's work on a stream of its device, and returns at once. In a
// capture the work becomes part of the other graph, except on AMD, where it is refused
// ([event.ErrUnsupported]): see [Capture].
func (g *Graph) Launch(s *event.Stream) error {
	const op = "Graph.Launch"
	if err := g.open(op); err != nil {
		return err
	}
	native, err := g.device.use(op, s)
	if err != nil {
		return err
	}
	defer streamOf(s).Release()
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.open(op); err != nil {
		return err
	}
	g.users.note(s)
	for _, k := range g.kernels {
		streamOf(s).Launched(k.kernel.noted)
	}
	if err := g.device.backend.LaunchGraph(native, g.now.exec); err != nil {
		return failedOn(op, g, s, err)
	}
	return g.noteCapture(op, s, native)
}

// noteCapture notes a launch in the capture that its stream is part of, if any: that graph keeps
// what this one does at present. The caller holds the lock.
func (g *Graph) noteCapture(op string, s *event.Stream, native driver.Object) error {
	c, err := g.device.captureOf(s, native)
	if c == nil || err != nil {
		return failed(op, s, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept.add(g.now)
	c.kept.addAll(g.kept)
	return nil
}

// Kernels returns the graph's launches of kernels, in the order of the capture.
func (g *Graph) Kernels() []*GraphKernel {
	if g.isNil() {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]*GraphKernel(nil), g.kernels...)
}

// Kernel returns the kernel that is launched.
func (k *GraphKernel) Kernel() *Kernel {
	if k == nil {
		return nil
	}
	return k.kernel
}

// Set changes the shape and the arguments of a launch, for later launches of the graph. They are
// checked as those of [Kernel.Launch]. The graph keeps the new buffers as well as the old.
func (k *GraphKernel) Set(c Config, args ...any) error {
	const op = "GraphKernel.Set"
	if k == nil || k.graph == nil {
		return refusal(op, named("launch <nil>"), ErrNil, "get one with Graph.Kernels")
	}
	g := k.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.open(op); err != nil {
		return err
	}
	if !slices.Contains(g.kernels, k) {
		return refusal(op, k.kernel, event.ErrClosed,
			"the graph was updated; get its launches with Graph.Kernels")
	}
	if c.none {
		return refusal(op, k.kernel, ErrConfig, "a launch in a graph has at least one block")
	}
	b := g.device.backend
	f := b.Frame()
	defer b.PutFrame(f)
	retained, err := k.kernel.fill(op, nil, f, &c, args)
	defer releaseBuffers(retained)
	if err != nil {
		return err
	}
	g.kept.addLaunch(k.kernel, args)
	return failed(op, k.kernel, b.SetKernel(g.now.exec, k.node, k.kernel.function, &f.Config, f))
}

// Update captures again, as [Capture] does, and makes the graph do that from its next launch on. If
// the new work has the same shape, only its parameters change, which is cheaper than a new graph.
// The graph keeps the old work's buffers until the launches before have ended. If the driver fails,
// the graph may do a part of the new work, and keeps the buffers of both.
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
	old := g.now
	err := b.Update(old.exec, native)
	if err == nil {
		// The nodes of the executable graph are still those of the first capture.
		for i, k := range c.kernels {
			if i < len(g.kernels) {
				k.node = g.kernels[i].node
			}
		}
		old.retainAgain() // for the launches before
		err = failed(op, g, b.DestroyGraph(native))
	} else {
		// The executable graph may do a part of the new work. fact: amd-partial-graph-update
		g.kept.addAll(c.kept)
		var exec backend.Exec
		if errors.Is(err, backend.ErrDiffers) {
			exec, err = b.Instantiate(native)
		}
		if err != nil {
			c.kept.drop()
			return errors.Join(failed(op, g, err), failed(op, g, b.DestroyGraph(native)))
		}
		g.now = c.execution(g.label, native, exec)
	}
	kept := g.kept
	g.kept, g.kernels = c.kept, c.kernels
	for _, k := range g.kernels {
		k.graph = g
	}
	all := g.users.take()
	return errors.Join(err, g.device.relaxed(func() error {
		return g.device.whenDone(all, func() error {
			err := old.release("Graph.Close")
			kept.drop()
			return err
		})
	}))
}

// String returns the device's name, "graph" and a number.
func (g *Graph) String() string {
	if g.isNil() {
		return "graph <nil>"
	}
	return g.executable.String()
}

func (g *executable) String() string { return g.label }

// Close destroys the graph when its launches so far are done, and lets go of what it keeps. It
// returns at once. Later calls do nothing.
func (g *Graph) Close() error {
	if g.isNil() {
		return nil
	}
	g.whole.Stop()
	return g.close()
}

func (g *executable) close() error {
	if !g.lifetime.close() {
		return nil
	}
	return g.device.relaxed(g.finish)
}

// closeAsync is close for the garbage collector.
func (g *executable) closeAsync() { g.device.background(func() { report(g.close()) }) }

// finish lets go of a closed graph when its launches are done.
func (g *executable) finish() error {
	g.mu.Lock()
	all := g.users.take()
	g.mu.Unlock()
	return g.device.whenDone(all, func() error {
		err := g.now.release("Graph.Close")
		g.kept.drop()
		return err
	})
}

// isNil reports whether the graph is nil or its zero value, which no function returns.
func (g *Graph) isNil() bool { return g == nil || g.executable == nil }

// open refuses what is nil or closed.
func (g *Graph) open(op string) error {
	if g.isNil() {
		return refusal(op, named("graph <nil>"), ErrNil, "capture one with compute.Capture")
	}
	if g.isClosed() {
		return refusal(op, g, event.ErrClosed, "capture it again")
	}
	return nil
}

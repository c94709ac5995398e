package computesoak

import (
	"sync"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
)

// graph is a captured graph, and what it does to which cells.
type graph struct {
	mu    sync.Mutex // taken before the locks of cells
	home  *home
	g     *compute.Graph
	cells []*cell
	steps []*step
	sure  bool // what it does is known
}

// step is one operation of a graph.
type step struct {
	enqueue func(*event.Stream) error
	model   func()
	kernel  bool
	set     func(*compute.GraphKernel, int32) error // changes the number that is added
}

// plan makes up the steps of a graph on locked cells.
func (w *worker) plan(h *home, cells []*cell, m *module) (steps []*step) {
	kinds := 3
	if !h.device.Capabilities().Has(event.CapCaptureLaunch) {
		kinds = 2 // no kernels
	}
	for range 1 + w.n(4) {
		c, from := cells[w.n(len(cells))], cells[w.n(len(cells))]
		v := int32(w.n(50))
		x := &step{}
		switch w.n(kinds) {
		case 0:
			x.enqueue = func(s *event.Stream) error { return c.buf.Fill(s, v) }
			x.model = func() {
				for i := range c.want {
					c.want[i] = v
				}
				c.known = true
			}
		case 1:
			n := min(len(c.want), len(from.want))
			if c == from {
				continue
			}
			x.enqueue = func(s *event.Stream) error {
				to, err := c.buf.Slice(0, n)
				if err != nil {
					return err
				}
				part, err := from.buf.Slice(0, n)
				if err == nil {
					err = to.CopyFromBuffer(s, part)
				}
				return err
			}
			x.model = func() {
				copy(c.want[:n], from.want[:n])
				c.known = from.known && (c.known || n == len(c.want))
			}
		default:
			add, buf := v, c.buf
			n := len(c.want)
			x.kernel = true
			x.enqueue = func(s *event.Stream) error {
				return m.add.Launch(s, compute.Linear(n, 64), int32(n), v, buf)
			}
			x.model = func() { addModel(c.want, add) }
			x.set = func(k *compute.GraphKernel, v int32) error {
				err := k.Set(compute.Linear(n, 32), int32(n), v, buf)
				if err == nil {
					add = v
				}
				return err
			}
		}
		steps = append(steps, x)
	}
	return steps
}

// some picks cells of a device.
func (w *worker) some(h *home) []*cell {
	cells := []*cell{w.cell(h)}
	if c := w.cell(h); c != cells[0] {
		cells = append(cells, c)
	}
	return cells
}

func usable(cells []*cell) bool {
	for _, c := range cells {
		if c.retired || c.buf == nil {
			return false
		}
	}
	return true
}

// record calls f with a stream of its own.
func (h *home) record(f func(*event.Stream) error) error {
	s, err := h.device.NewStream()
	if err != nil {
		return err
	}
	err = f(s)
	if closed := s.Close(); err == nil {
		err = closed
	}
	return err
}

func enqueueSteps(s *event.Stream, steps []*step) error {
	for _, x := range steps {
		if err := x.enqueue(s); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) capture() bool {
	h := w.home()
	if !h.device.Capabilities().Has(event.CapCapture) {
		return false
	}
	g := h.graphs[w.n(manyGraphs)]
	g.mu.Lock()
	defer g.mu.Unlock()
	cells := w.some(h)
	defer lock(cells...)()
	if !usable(cells) {
		return false
	}
	i := w.n(manyModules)
	m := h.modules[i].Load()
	steps := w.plan(h, cells, m)
	if len(steps) == 0 {
		return false
	}
	var made *compute.Graph
	err := h.record(func(s *event.Stream) (err error) {
		made, err = compute.Capture(s, func() error { return enqueueSteps(s, steps) })
		return err
	})
	if err = raced(err, h.modules[i].Load() != m); err == errRaced {
		return true
	}
	if made != nil {
		if g.g != nil && !w.oneIn(6) { // or it is dropped
			w.fine("Graph.Close", g.g.Close())
		}
		g.home, g.g, g.cells, g.steps, g.sure = h, made, cells, steps, true
	}
	return w.fine("Capture", err)
}

func (w *worker) updateGraph() bool {
	h := w.home()
	g := h.graphs[w.n(manyGraphs)]
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.g == nil {
		return false
	}
	defer lock(g.cells...)()
	if !usable(g.cells) {
		return false
	}
	i := w.n(manyModules)
	m := h.modules[i].Load()
	steps := w.plan(h, g.cells, m)
	if len(steps) == 0 {
		return false
	}
	err := h.record(func(s *event.Stream) error {
		return g.g.Update(s, func() error { return enqueueSteps(s, steps) })
	})
	if err = raced(err, h.modules[i].Load() != m); err == errRaced {
		return true
	}
	if !w.fine("Graph.Update", err) {
		g.sure = false
		return false
	}
	g.steps, g.sure = steps, true
	return true
}

func (w *worker) launchGraph() bool {
	h := w.home()
	g := h.graphs[w.n(manyGraphs)]
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.g == nil {
		return false
	}
	defer lock(g.cells...)()
	l, letGo := w.lane(h)
	defer letGo()
	return w.enqueueAll("Graph.Launch", l, g.cells, g.g.Launch, func() {
		for _, x := range g.steps {
			x.model()
		}
		if !g.sure {
			for _, c := range g.cells {
				c.known = false
			}
		}
	})
}

func (w *worker) setGraph() bool {
	h := w.home()
	g := h.graphs[w.n(manyGraphs)]
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.g == nil || !g.sure {
		return false
	}
	defer lock(g.cells...)()
	if !usable(g.cells) { // closed buffers are refused
		return false
	}
	var nodes []*step
	for _, x := range g.steps {
		if x.kernel {
			nodes = append(nodes, x)
		}
	}
	launches := g.g.Kernels()
	if len(launches) != len(nodes) {
		w.find("a graph has %d launches instead of %d", len(launches), len(nodes))
		return false
	}
	if len(nodes) == 0 {
		return false
	}
	i := w.n(len(nodes))
	err := nodes[i].set(launches[i], int32(w.n(50)))
	if !w.fine("GraphKernel.Set", err) {
		g.sure = false
		return false
	}
	return true
}

func (w *worker) closeGraph() bool {
	g := w.home().graphs[w.n(manyGraphs)]
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.g == nil {
		return false
	}
	err := g.g.Close()
	g.g, g.cells, g.steps = nil, nil, nil
	return w.fine("Graph.Close", err)
}

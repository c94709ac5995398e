package computesoak

import (
	"errors"
	"slices"
	"time"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
)

type op struct {
	name   string
	weight int
	do     func(*worker) bool // false if it met nothing to do it with, or failed
}

var ops []op

// opTable holds each operation as often as its weight says.
var opTable []int

func init() {
	ops = []op{
		{"CopyFrom", 30, (*worker).copyIn},
		{"CopyTo", 60, (*worker).copyOut},
		{"Fill", 30, (*worker).fill},
		{"Launch add", 60, (*worker).add},
		{"Launch axpy", 40, (*worker).axpy},
		{"Launch of what may be closed", 60, (*worker).shared},
		{"Launch on a stream that is closed", 15, (*worker).passing},
		{"wrong Launch", 5, (*worker).wrong},
		{"CopyFromBuffer", 30, (*worker).copyBetween},
		{"CopyFromPinned", 20, (*worker).pinnedIn},
		{"CopyToPinned", 20, (*worker).pinnedOut},
		{"Pinned.Data", 20, (*worker).pinnedData},
		{"new Pinned", 4, (*worker).newPinned},
		{"new Buffer", 25, (*worker).newBuffer},
		{"new Module", 4, (*worker).newModule},
		{"new Stream", 5, (*worker).newStream},
		{"new shared Buffer", 30, (*worker).newShared},
		{"Capture", 8, (*worker).capture},
		{"Graph.Launch", 40, (*worker).launchGraph},
		{"Graph.Update", 6, (*worker).updateGraph},
		{"GraphKernel.Set", 15, (*worker).setGraph},
		{"Graph.Close", 4, (*worker).closeGraph},
	}
	for i, o := range ops {
		for range o.weight {
			opTable = append(opTable, i)
		}
	}
}

func (w *worker) copyIn() bool {
	h := w.home()
	c := w.cell(h)
	defer lock(c)()
	l, letGo := w.lane(h)
	defer letGo()
	s := w.span(c, 0)
	values := make([]int32, s.n)
	for i := range values {
		values[i] = int32(w.n(1000))
	}
	return w.enqueue("CopyFrom", l, []*cell{c}, func(on *event.Stream) error {
		b, err := s.slice()
		if err == nil {
			err = b.CopyFrom(on, values)
		}
		return err
	}, func() {
		copy(s.model(), values)
		c.known = c.known || s.n == len(c.want)
	})
}

func (w *worker) copyOut() bool {
	h := w.home()
	c := w.cell(h)
	defer lock(c)()
	l, letGo := w.lane(h)
	defer letGo()
	s := w.span(c, 0)
	got := make([]int32, s.n)
	was := c.known
	ok := w.enqueue("CopyTo", l, []*cell{c}, func(on *event.Stream) error {
		b, err := s.slice()
		if err == nil {
			err = b.CopyTo(on, got)
		}
		return err
	}, func() {
		if c.known {
			w.compare(c.id, "CopyTo", got, s.model())
		}
	})
	c.known = was // a read changes nothing
	return ok
}

// compare holds what was read against the model.
func (w *worker) compare(id int64, what string, got, want []int32) {
	for i := range got {
		if got[i] != want[i] {
			w.find("wrong contents: %s of cell %d: element %d of %d is %d instead of %d", what, id, i,
				len(got), got[i], want[i])
			return
		}
	}
}

func (w *worker) fill() bool {
	h := w.home()
	c := w.cell(h)
	defer lock(c)()
	l, letGo := w.lane(h)
	defer letGo()
	s := w.span(c, 0)
	v := int32(w.n(1 << 20))
	if w.oneIn(3) {
		v = int32(w.n(2)) * 0x01010101
	}
	return w.enqueue("Fill", l, []*cell{c}, func(on *event.Stream) error {
		b, err := s.slice()
		if err == nil {
			err = b.Fill(on, v)
		}
		return err
	}, func() {
		for i := range s.model() {
			s.model()[i] = v
		}
		c.known = c.known || s.n == len(c.want)
	})
}

// shape is a random shape of a launch for n elements.
func (w *worker) shape(h *home, n int) compute.Config {
	c := compute.Linear(n, 1+w.n(256))
	if w.oneIn(20) {
		c.Shared = h.mostShared()
	}
	return c
}

// raced replaces the refusal of a launch whose module was closed meanwhile.
func raced(err error, closed bool) error {
	if closed && errors.Is(err, event.ErrClosed) {
		return errRaced
	}
	return err
}

func (w *worker) add() bool {
	h := w.home()
	c := w.cell(h)
	defer lock(c)()
	l, letGo := w.lane(h)
	defer letGo()
	i := w.n(manyModules)
	m := h.modules[i].Load()
	s, v := w.span(c, 0), int32(w.n(100))
	return w.enqueue("Launch add", l, []*cell{c}, func(on *event.Stream) error {
		b, err := s.slice()
		if err == nil {
			err = m.add.Launch(on, w.shape(h, s.n), int32(s.n), v, b)
		}
		return raced(err, h.modules[i].Load() != m)
	}, func() { addModel(s.model(), v) })
}

func addModel(x []int32, v int32) {
	for i := range x {
		x[i] += v
	}
}

func axpyModel(a int32, x, y []int32) {
	for i := range y {
		y[i] += a * x[i]
	}
}

func (w *worker) axpy() bool {
	h := w.home()
	from, to := w.cell(h), w.cell(h)
	if from == to {
		return false
	}
	defer lock(from, to)()
	l, letGo := w.lane(h)
	defer letGo()
	i := w.n(manyModules)
	m := h.modules[i].Load()
	n := 1 + w.n(min(len(from.want), len(to.want)))
	x, y, a := w.span(from, n), w.span(to, n), int32(w.n(5))
	fromKnown := from.known
	ok := w.enqueue("Launch axpy", l, []*cell{from, to}, func(on *event.Stream) error {
		bx, err := x.slice()
		if err != nil {
			return err
		}
		by, err := y.slice()
		if err == nil {
			err = m.axpy.Launch(on, w.shape(h, n), int32(n), a, bx, by)
		}
		return raced(err, h.modules[i].Load() != m)
	}, func() {
		axpyModel(a, x.model(), y.model())
		to.known = to.known && from.known
	})
	from.known = fromKnown
	return ok
}

// shared launches a kernel that reads a buffer which others close at any time.
func (w *worker) shared() bool {
	h := w.home()
	c := w.cell(h)
	defer lock(c)()
	l, letGo := w.lane(h)
	defer letGo()
	i := w.n(manyModules)
	m := h.modules[i].Load()
	x := h.shared.Load()
	n := min(len(c.want), mostLen)
	return w.enqueue("Launch of what may be closed", l, []*cell{c}, func(on *event.Stream) error {
		err := m.axpy.Launch(on, w.shape(h, n), int32(n), int32(1), x, c.buf)
		return raced(err, h.shared.Load() != x || h.modules[i].Load() != m)
	}, func() { addModel(c.want[:n], sharedValue) })
}

// passing is shared on a stream that is closed while the launch is pending.
func (w *worker) passing() bool {
	h := w.home()
	c := w.cell(h)
	defer lock(c)()
	s, err := h.device.NewStream()
	if !w.fine("NewStream", err) {
		return false
	}
	l := &lane{home: h, s: s}
	l.busy(time.Duration(w.n(1000)) * time.Microsecond)
	i := w.n(manyModules)
	m := h.modules[i].Load()
	x := h.shared.Load()
	n := min(len(c.want), mostLen)
	ok := w.enqueue("Launch on a stream that is closed", l, []*cell{c}, func(on *event.Stream) error {
		err := m.axpy.Launch(on, w.shape(h, n), int32(n), int32(1), x, c.buf)
		return raced(err, h.shared.Load() != x || h.modules[i].Load() != m)
	}, func() { addModel(c.want[:n], sharedValue) })
	return w.fine("Stream.Close", l.close()) && ok
}

// wrong launches must be refused and change nothing.
func (w *worker) wrong() bool {
	h := w.home()
	c := w.cell(h)
	defer lock(c)()
	l, letGo := w.lane(h)
	defer letGo()
	m := h.modules[0].Load()
	if c.retired {
		return false
	}
	err := m.add.Launch(l.s, compute.Linear(1, 32), int32(1), int64(1), c.buf)
	if err == nil || !errors.Is(err, compute.ErrArgument) && !errors.Is(err, event.ErrClosed) &&
		!w.wild.Load() {
		w.find("a wrong launch returned %v", err)
	}
	c.used(l, false)
	return true
}

func (w *worker) copyBetween() bool {
	h := w.home()
	from := w.cell(w.home())
	to := w.cell(h)
	if from == to {
		return false
	}
	defer lock(from, to)()
	on := h
	if w.oneIn(2) {
		on = from.home
	}
	l, letGo := w.lane(on)
	defer letGo()
	n := 1 + w.n(min(len(from.want), len(to.want)))
	x, y := w.span(from, n), w.span(to, n)
	fromKnown := from.known
	ok := w.enqueue("CopyFromBuffer", l, []*cell{from, to}, func(s *event.Stream) error {
		bx, err := x.slice()
		if err != nil {
			return err
		}
		by, err := y.slice()
		if err == nil {
			err = by.CopyFromBuffer(s, bx)
		}
		return err
	}, func() {
		copy(y.model(), x.model())
		to.known = from.known && (to.known || n == len(to.want))
	})
	from.known = fromKnown
	return ok
}

// newBuffer closes a buffer while work uses it, or drops it, and puts a new one into its place.
func (w *worker) newBuffer() bool {
	h := w.home()
	i := w.n(manyCells)
	old := h.cells[i].Load()
	old.mu.Lock()
	defer old.mu.Unlock()
	if old.retired {
		return false
	}
	l, letGo := w.lane(h)
	defer letGo()
	c := &cell{id: h.id(0, i), home: h}
	n := 1 + w.n(mostLen)
	var err error
	if w.oneIn(3) {
		c.buf, err = compute.AllocOn[int32](h.device, n)
	} else {
		c.buf, err = compute.Alloc[int32](l.s, n)
		c.last = []*lane{l}
	}
	if !w.fine("Alloc", err) {
		return false
	}
	c.want = make([]int32, n)
	old.retired = true
	if w.oneIn(8) {
		old.buf = nil // the collector closes it
	} else {
		w.fine("Buffer.Close", old.buf.Close())
	}
	h.cells[i].Store(c)
	return true
}

func (w *worker) newModule() bool {
	return w.fine("new module", w.home().newModule(w.n(manyModules)))
}

func (w *worker) newStream() bool {
	return w.fine("new stream", w.home().newLane(w.n(manyLanes)))
}

func (w *worker) newShared() bool {
	return w.fine("new shared buffer", w.home().renewShared())
}

// ready waits for the last users of pinned memory, before the host uses it. The caller may hold one
// of the lanes.
func (w *worker) ready(p *pinned, held *lane) bool {
	for _, l := range p.last {
		var err error
		if l != held {
			l.mu.RLock()
		}
		switch {
		case l.final != nil:
			err = l.final.Sync()
		case !l.closed:
			err = l.s.Sync()
		}
		if l != held {
			l.mu.RUnlock()
		}
		if !w.fine("wait for a copy of pinned memory", err) {
			return false
		}
	}
	p.last = p.last[:0]
	return true
}

// pair locks pinned memory and a cell, and picks a stream.
func (w *worker) pair() (h *home, p *pinned, c *cell, l *lane, letGo func()) {
	h = w.home()
	p, c = h.pinned[w.n(manyPinned)], w.cell(h)
	p.mu.Lock()
	unlock := lock(c)
	l, free := w.lane(h)
	return h, p, c, l, func() { free(); unlock(); p.mu.Unlock() }
}

func (w *worker) pinnedIn() bool {
	_, p, c, l, letGo := w.pair()
	defer letGo()
	if c.retired || !p.known || !w.fine("wait", p.after(l)) {
		return false
	}
	s := w.span(c, 0)
	ok := w.enqueue("CopyFromPinned", l, []*cell{c}, func(on *event.Stream) error {
		b, err := s.slice()
		if err != nil {
			return err
		}
		part, err := p.mem.Slice(0, s.n)
		if err == nil {
			err = b.CopyFromPinned(on, part)
		}
		return err
	}, func() {
		copy(s.model(), p.want[:s.n])
		c.known = c.known || s.n == len(c.want)
	})
	p.used(l, true)
	return ok
}

func (w *worker) pinnedOut() bool {
	_, p, c, l, letGo := w.pair()
	defer letGo()
	if c.retired || !known(c) || !w.fine("wait", p.after(l)) {
		return false
	}
	p.known = false
	s := w.span(c, 0)
	if p.want == nil {
		p.want = make([]int32, mostLen)
	}
	ok := w.enqueue("CopyToPinned", l, []*cell{c}, func(on *event.Stream) error {
		b, err := s.slice()
		if err != nil {
			return err
		}
		part, err := p.mem.Slice(0, s.n)
		if err == nil {
			err = b.CopyToPinned(on, part)
		}
		return err
	}, func() {})
	p.used(l, true)
	if ok {
		p.want = slices.Clone(s.model())
		p.want = append(p.want, make([]int32, mostLen-s.n)...)
		p.known = s.n == mostLen
		if w.ready(p, l) {
			w.compare(p.id, "Pinned", p.mem.Data()[:s.n], p.want[:s.n])
			copy(p.want, p.mem.Data())
			p.known = true
		}
	}
	return ok
}

// pinnedData changes pinned memory from Go.
func (w *worker) pinnedData() bool {
	p := w.home().pinned[w.n(manyPinned)]
	p.mu.Lock()
	defer p.mu.Unlock()
	if !w.ready(p, nil) {
		return false
	}
	if p.known {
		w.compare(p.id, "Pinned.Data", p.mem.Data(), p.want)
	}
	v := int32(w.n(1000))
	for i := range p.mem.Data() {
		p.mem.Data()[i] = v + int32(i)
	}
	p.want, p.known = slices.Clone(p.mem.Data()), true
	return true
}

// newPinned closes pinned memory while work uses it.
func (w *worker) newPinned() bool {
	h := w.home()
	p := h.pinned[w.n(manyPinned)]
	p.mu.Lock()
	defer p.mu.Unlock()
	mem, err := compute.AllocPinned[int32](h.device, mostLen)
	if !w.fine("AllocPinned", err) {
		return false
	}
	old := p.mem
	p.mem, p.known, p.last = mem, false, nil
	return w.fine("Pinned.Close", old.Close())
}

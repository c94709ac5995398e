package computesoak

import (
	"slices"
	"sync"
	"time"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/native"
)

// lane is a stream, which may be closed while others still have to wait for its work.
type lane struct {
	home   *home
	mu     sync.RWMutex // held for reading while the stream is used
	s      *event.Stream
	closed bool
	final  *event.Event // behind all work, when the stream is closed; nil if the work is done
}

// newLane puts a new stream in a place, and closes the old one.
func (h *home) newLane(i int) error {
	h.world.renewal.Lock() // one writer at a time: who holds a lane may wait for another
	defer h.world.renewal.Unlock()
	s, err := h.device.NewStream()
	if err != nil {
		return err
	}
	old := h.lanes[i].Swap(&lane{home: h, s: s})
	if old == nil {
		return nil
	}
	return old.close()
}

// close closes the stream while work is pending.
func (l *lane) close() (err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.final, err = l.s.RecordNew(); err != nil { // then nobody else can wait for it later
		l.final = nil
		for tries := 0; l.s.Sync() != nil && tries < 100; tries++ {
		}
	}
	return l.s.Close()
}

// behind makes a stream wait for the lane's work so far.
func (l *lane) behind(s *event.Stream) error {
	if l.s == s {
		return nil
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	switch {
	case l.final != nil:
		return s.WaitEvent(l.final)
	case l.closed:
		return nil
	}
	return s.WaitStream(l.s)
}

// busy gives the stream something to do.
func (l *lane) busy(d time.Duration) {
	if m := l.home.world.machine; m != nil {
		if n := native.StreamOf(l.s); !n.Closed() {
			defer func() { _ = recover() }() // a broken device
			m.Delay(n.Object.Word, d)
		}
		return
	}
	_ = l.s.HostFunc(func() error { time.Sleep(d); return nil })
}

// thing is memory with a lock and an order.
type thing struct {
	mu   sync.Mutex
	last []*lane // that used it, if the next user has to wait for them
}

// cell is a buffer and what it contains.
type cell struct {
	id   int64
	home *home
	thing
	buf     *compute.Buffer[int32]
	want    []int32
	known   bool
	retired bool // the buffer is closed; graphs may still use it
}

// pinned is pinned memory and what it contains.
type pinned struct {
	id int64
	thing
	mem   *compute.Pinned[int32]
	want  []int32
	known bool
}

// after makes a lane wait for the last users. If that fails, the memory must not be used.
func (t *thing) after(l *lane) error {
	for _, old := range t.last {
		if old == l {
			continue
		}
		if err := old.behind(l.s); err != nil {
			return err
		}
	}
	return nil
}

// used notes that a lane is the last user; sure says that it has waited for those before.
func (t *thing) used(l *lane, sure bool) {
	if sure {
		t.last = t.last[:0]
	}
	if !slices.Contains(t.last, l) {
		t.last = append(t.last, l)
	}
}

// lock locks cells in order.
func lock(cells ...*cell) (unlock func()) {
	sorted := slices.Clone(cells)
	slices.SortFunc(sorted, func(a, b *cell) int { return int(a.id - b.id) })
	sorted = slices.Compact(sorted)
	for _, c := range sorted {
		c.mu.Lock()
	}
	return func() {
		for _, c := range sorted {
			c.mu.Unlock()
		}
	}
}

// span is a part of a cell.
type span struct {
	*cell
	from, n int
}

// slice returns the buffer of a span; for all of it sometimes the buffer itself.
func (s span) slice() (*compute.Buffer[int32], error) {
	if s.from == 0 && s.n == s.buf.Len() {
		return s.buf, nil
	}
	if s.n > 4 && s.from%2 == 0 { // a slice of a slice
		outer, err := s.buf.Slice(s.from/2, s.buf.Len())
		if err != nil {
			return nil, err
		}
		return outer.Slice(s.from-s.from/2, s.from-s.from/2+s.n)
	}
	return s.buf.Slice(s.from, s.from+s.n)
}

// model is what the span contains.
func (s span) model() []int32 { return s.want[s.from : s.from+s.n] }

package computesoak

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

// worker is one goroutine that does random things.
type worker struct {
	*world
	rand *rand.Rand
	done map[string]int64
	mu   sync.Mutex // of doing
	what string
	at   time.Time
}

func (w *worker) n(n int) int      { return w.rand.IntN(n) }
func (w *worker) oneIn(n int) bool { return w.rand.IntN(n) == 0 }
func (w *worker) home() *home      { return w.homes[w.n(len(w.homes))] }

// lane picks a stream, which stays open until it is let go.
func (w *worker) lane(h *home) (l *lane, letGo func()) {
	for {
		l := h.lanes[w.n(manyLanes)].Load()
		l.mu.RLock()
		if !l.closed {
			if w.oneIn(6) {
				l.busy(time.Duration(w.n(300)) * time.Microsecond)
			}
			return l, l.mu.RUnlock
		}
		l.mu.RUnlock()
	}
}

func (w *worker) cell(h *home) *cell { return h.cells[w.n(manyCells)].Load() }

// span picks a part of a locked cell, of n elements if n is not 0.
func (w *worker) span(c *cell, n int) span {
	if n == 0 {
		n = 1 + w.n(len(c.want))
		if w.oneIn(3) {
			n = len(c.want)
		}
	}
	return span{c, w.n(len(c.want) - n + 1), n}
}

// enqueue makes a stream wait for the last users of cells, enqueues work on them, and does the same
// to the model.
func (w *worker) enqueue(what string, l *lane, cells []*cell, do func(*event.Stream) error,
	model func()) bool {
	for _, c := range cells {
		if c.buf == nil || c.retired {
			return false
		}
	}
	return w.enqueueAll(what, l, cells, do, model)
}

// enqueueAll is enqueue for a graph, which keeps closed buffers.
func (w *worker) enqueueAll(what string, l *lane, cells []*cell, do func(*event.Stream) error,
	model func()) bool {
	for _, c := range cells {
		if !w.fine(what+": wait", c.after(l)) {
			return false
		}
	}
	err := do(l.s)
	for _, c := range cells {
		c.used(l, true)
	}
	if errors.Is(err, errRaced) {
		return true
	}
	if !w.fine(what, err) {
		for _, c := range cells {
			c.known = false
		}
		return false
	}
	model()
	return true
}

// errRaced is the end of an operation that was rightly refused.
var errRaced = errors.New("refused since something was closed meanwhile")

// known reports whether the contents of all cells are known.
func known(cells ...*cell) bool {
	return !slices.ContainsFunc(cells, func(c *cell) bool { return !c.known })
}

func (w *worker) run() {
	for !w.stop.Load() {
		o := opTable[w.n(len(opTable))]
		w.mu.Lock()
		w.what, w.at = ops[o].name, time.Now()
		w.mu.Unlock()
		if ops[o].do(w) {
			w.done[ops[o].name]++
		}
	}
	w.mu.Lock()
	w.what = ""
	w.mu.Unlock()
}

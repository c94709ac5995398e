package soak

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
)

// worker is one goroutine that does random things.
type worker struct {
	*world
	id   int
	rand *rand.Rand
	done [numOps]int64

	doing atomic.Int32 // the opKind, or -1
	since atomic.Int64 // the watch when it began
	about atomic.Pointer[ev]
	on    atomic.Pointer[stream]
	syncs atomic.Pointer[device] // what Device.Sync waits for

	kept      []*kept
	private   map[*device]*stream
	callbacks []*callback
}

func (w *worker) n(n int) int        { return w.rand.IntN(n) }
func (w *worker) oneIn(n int) bool   { return w.rand.IntN(n) == 0 }
func (w *worker) device() *device    { return w.devices[w.n(len(w.devices))] }
func (w *worker) event() *ev         { return w.events[w.n(len(w.events))].Load() }
func (w *worker) anyStream() *stream { return w.streams[w.n(len(w.streams))].Load() }

// streamOf picks a stream of a device, nil if it did not meet one.
func (w *worker) streamOf(d *device) *stream {
	for range 8 {
		if s := w.anyStream(); d == nil || s.dev == d {
			return s
		}
	}
	return nil
}

func (w *worker) run() {
	for !w.stop.Load() {
		w.ends.rest(&w.stop)
		k := w.table[w.n(len(w.table))]
		if !ops[k].do(w) {
			continue
		}
		w.done[k]++
	}
	w.doing.Store(-1)
}

// begin notes what the worker is about to do, for the watchdog.
func (w *worker) begin(k opKind, e *ev, s *stream) {
	w.about.Store(e)
	w.on.Store(s)
	w.since.Store(w.watch.Load())
	w.doing.Store(int32(k))
}

// over notes that it has returned, and what came of it.
func (w *worker) over(result any) {
	k := opKind(w.doing.Swap(-1))
	s := step{at: w.now(), worker: w.id, what: k}
	e, st := w.about.Load(), w.on.Load()
	switch r := result.(type) {
	case nil:
		s.result = "ok"
	case bool:
		s.result = "no"
		if r {
			s.result = "yes"
		}
	case string:
		s.result = r
	case error:
		if n := failedCalls(r); n > 1 { // the later ones were to undo what the first left half done
			w.lost.Add(int64(n - 1))
		}
		s.result = r.Error()
	default:
		s.result = fmt.Sprint(r)
	}
	if e != nil {
		e.history.add(s)
	}
	if st != nil {
		st.history.add(s)
	}
}

// failedCalls counts the driver calls whose failures an error joins.
func failedCalls(err error) int {
	return strings.Count(err.Error(), "cudrv: cu") + strings.Count(err.Error(), "hip: hip")
}

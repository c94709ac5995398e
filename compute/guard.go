package compute

import (
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"
)

// guard protects what launches use from being freed: a launch enters before it looks whether an
// object is closed, and who closes an object waits, after noting that it is closed, for the
// launches that had entered before. A launch pays two atomic additions for all objects it uses.
//
// Launches are counted in one of two phases. A waiter flips the phase and waits for the other to be
// empty, twice, since a launch may have read the phase just before a flip.
type guard struct {
	phase   atomic.Uint32
	entered [2][stripes]stripe
	waiting atomic.Bool // one at a time
}

const stripes = 8

// stripe is a counter in a cache line of its own.
type stripe struct {
	n atomic.Int64
	_ [56]byte
}

// enter begins a launch on a stream. End it with leave. Launches on different streams rarely share
// a cache line.
func (g *guard) enter(stream unsafe.Pointer) *stripe {
	s := &g.entered[g.phase.Load()&1][uintptr(stream)>>7%stripes]
	s.n.Add(1)
	return s
}

func (s *stripe) leave() { s.n.Add(-1) }

// wait waits until all launches that had entered have left, but not longer than limit. It reports
// whether they have.
func (g *guard) wait(limit time.Duration) bool {
	var p pause
	for !g.waiting.CompareAndSwap(false, true) {
		if p.over(limit) {
			return false
		}
	}
	defer g.waiting.Store(false)
	for range 2 {
		old := (g.phase.Add(1) - 1) & 1
		for i := range g.entered[old] {
			for g.entered[old][i].n.Load() != 0 {
				if p.over(limit) {
					return false
				}
			}
		}
	}
	return true
}

// pause is for loops that wait for other goroutines: it yields first and sleeps later.
type pause struct {
	n     int
	began time.Time
}

// over pauses, and reports whether the limit is over.
func (p *pause) over(limit time.Duration) bool {
	if p.n++; p.n < 100 {
		runtime.Gosched()
		return false
	}
	if p.n == 100 {
		p.began = time.Now()
	}
	time.Sleep(20 * time.Microsecond)
	return time.Since(p.began) > limit
}

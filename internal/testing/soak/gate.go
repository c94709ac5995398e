package soak

import (
	"sync/atomic"
	"time"
)

// gate holds a stream up until the model opens it. What was enqueued behind it is pending till
// then.
type gate struct {
	opened atomic.Bool // set before the stream can go on
	let    chan struct{}
}

func newGate() *gate { return &gate{let: make(chan struct{})} }

// openIn opens the gate after a while. A gate of a device that has died stays closed for the model:
// nothing behind it is ever done.
func (g *gate) openIn(w *world, hold time.Duration, dead *atomic.Bool, open func()) {
	w.gates.Add(1)
	time.AfterFunc(hold, func() {
		if !dead.Load() {
			g.opened.Store(true)
		}
		open()
		w.gates.Add(-1)
	})
}

// anyClosed reports whether a gate of the set still holds something up.
func anyClosed(gates []*gate) bool {
	for _, g := range gates {
		if !g.opened.Load() {
			return true
		}
	}
	return false
}

// merge returns the gates of both sets that are closed. Leaving some out is safe: the model then
// knows less.
func merge(a, b []*gate) []*gate {
	const most = 12
	var out []*gate
	for _, set := range [2][]*gate{a, b} {
	next:
		for _, g := range set {
			if g.opened.Load() || len(out) == most {
				continue
			}
			for _, have := range out {
				if have == g {
					continue next
				}
			}
			out = append(out, g)
		}
	}
	return out
}

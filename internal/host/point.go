package host

import (
	"context"
	"time"
)

// Point is one record of an event, a gate, or a place in a queue. It always stands for the same
// one, outlives its event and queue, and can be compared. The zero Point is done.
type Point struct{ rec *record }

// closedChan is the result of Done for complete points.
var closedChan = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// State returns Pending, Done or Failed.
func (p Point) State() State {
	if p.rec == nil {
		return Done
	}
	return p.rec.load()
}

// Query reports whether the point is complete. A failed point is complete and returns its error.
func (p Point) Query() (done bool, err error) {
	switch p.State() {
	case Pending:
		return false, nil
	case Failed:
		return true, p.rec.err
	default:
		return true, nil
	}
}

// Generation numbers the records of one event, from 1. It is 0 for points that belong to no event.
func (p Point) Generation() uint64 {
	if p.rec == nil {
		return 0
	}
	return p.rec.gen
}

// At returns the time at which the queue reached the point. It needs an event with timing.
func (p Point) At() (time.Duration, error) {
	done, err := p.Query()
	switch {
	case p.rec == nil || !p.rec.timed:
		return 0, ErrTimingDisabled
	case err != nil:
		return 0, err
	case !done:
		return 0, ErrNotReady
	}
	return p.rec.at, nil
}

// OnDone calls f once, with the point's error, when the point completes. If it is complete already,
// f is called before OnDone returns. Otherwise f runs on the goroutine that completes the point;
// functions of one queue's points run in the order of the points and, for one point, of the calls.
// f must not block.
func (p Point) OnDone(f func(error)) *Subscription {
	if p.rec == nil {
		f(nil)
		return nil
	}
	s := &Subscription{fn: f, mu: &p.rec.mu}
	if !p.rec.subscribe(s) {
		f(p.rec.err)
	}
	return s
}

// Done returns a channel that is closed when the point completes. Query then returns the outcome.
func (p Point) Done() <-chan struct{} {
	r := p.rec
	if r == nil {
		return closedChan
	}
	r.mu.Lock()
	if r.load() != Pending {
		r.mu.Unlock()
		return closedChan
	}
	if r.done == nil {
		r.done = make(chan struct{})
	}
	c := r.done
	r.mu.Unlock()
	return c
}

// Sync waits for the point and returns its error.
func (p Point) Sync() error { return p.Wait(context.Background()) }

// Wait waits for the point and returns its error, or ctx's error if ctx ends first. It leaves
// nothing behind.
func (p Point) Wait(ctx context.Context) error {
	if done, err := p.Query(); done {
		return err
	}
	c := make(chan error, 1)
	s := &Subscription{wait: c, mu: &p.rec.mu}
	if !p.rec.subscribe(s) {
		return p.rec.err
	}
	select {
	case err := <-c:
		return err
	case <-ctx.Done():
		if !s.Stop() {
			return <-c // it completed after all
		}
		return ctx.Err()
	}
}

// Gate is a point that the program completes itself: it holds queues back until it is opened. It
// can be a host value that a queue waits for, and stand for something that completes elsewhere.
type Gate struct{ rec *record }

// NewGate returns a closed gate.
func NewGate() *Gate { return &Gate{newRecord()} }

// Open opens the gate. When it returns, everything that waited has gone on, except functions, which
// run on goroutines of their own. Opening again does nothing. It reports whether this call was the
// first.
func (g *Gate) Open() bool { return g.complete(nil) }

// Fail ends the waits with an error: queues that wait at the gate fail.
func (g *Gate) Fail(err error) bool {
	if err == nil {
		err = ErrDeviceFailed
	}
	return g.complete(err)
}

func (g *Gate) complete(err error) bool {
	var w wake
	ok := g.rec.complete(0, err, &w)
	w.flush()
	return ok
}

// Point returns the opening of the gate.
func (g *Gate) Point() Point { return Point{g.rec} }

package soak

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/event"
)

// callback is a function given to OnDone.
type callback struct {
	sight
	w          *world
	registered atomic.Uint64
	begin      tick
	runs       atomic.Int32
	at         int64
	// of is the one record meant, if that is known and callbacks of its stream are in order. Until
	// OnDone has returned, another record may replace it.
	of *record
}

// callbackOrder is what a stream's callbacks must keep.
type callbackOrder struct {
	mu      sync.Mutex
	waiting []*callback
	running *callback
}

const mostCallbacks = 48

func (w *worker) onDone() bool {
	w.callbacks = slices.DeleteFunc(w.callbacks, func(c *callback) bool {
		return c.runs.Load() > 0
	})
	if len(w.callbacks) >= mostCallbacks {
		for _, c := range w.callbacks {
			c.overdue()
		}
		return false
	}
	e := w.event()
	c := &callback{w: w.world}
	if !w.see(&c.sight, e) {
		return false
	}
	c.begin = w.now()
	c.at = w.watch.Load()
	c.expect()
	ask, fail := w.oneIn(8), w.oneIn(64)
	w.begin(opOnDone, e, nil)
	err := c.obj.OnDone(func(err error) {
		c.run(err, ask)
		switch {
		case fail && c.begin%2 == 0:
			panic(planned)
		case fail:
			runtime.Goexit()
		}
	})
	w.over(err)
	c.given()
	if err != nil {
		if c.of != nil {
			c.of.stream.order.remove(c)
		}
		w.mustBeClosed(opOnDone, &c.sight, err)
		w.explain(opOnDone, err, &c.sight)
		return true
	}
	w.callbacks = append(w.callbacks, c)
	return true
}

// expect notes which record is meant. It is called before OnDone, since the callback can run
// at once.
func (c *callback) expect() {
	if c.e.open.Load() || len(c.view.start) != 1 || c.view.fuzzy {
		return
	}
	if r := c.view.start[0]; r != nil && r.kind == plain && r.alone && r.end.Load() != 0 {
		c.of = r
		r.stream.order.add(c)
	}
}

// given is called when OnDone has returned.
func (c *callback) given() {
	c.settle()
	if c.of != nil && len(c.all) != 1 { // recorded anew meanwhile: it may be another's
		c.of.stream.order.remove(c)
	}
	c.registered.Store(c.w.now())
}

// run is the callback.
func (c *callback) run(err error, ask bool) {
	if n := c.runs.Add(1); n > 1 {
		c.w.find("a function given to OnDone of %v ran %d times", c.e, n)
	}
	switch {
	case c.of == nil:
	case err != nil, c.isDoubtful():
		c.of.stream.order.remove(c)
	default:
		c.of.stream.order.enter(c)
		defer c.of.stream.order.leave(c)
	}
	if err == nil {
		if all(c.view.start, (*record).pending) && len(c.view.start) == 1 && !c.view.grown() {
			c.w.wrong(opOnDone, &c.sight, "done",
				"a closed gate holds up every record that could be meant")
		}
	} else if !(errors.Is(err, event.ErrClosed) && c.e.closeBegan.Load() != 0) &&
		!(errors.Is(err, event.ErrCaptured) && c.e.mayCapture &&
			(len(c.view.start) != 1 || c.view.grown())) &&
		c.w.strict(c.e.dev) {
		c.w.find("a function given to OnDone of %v heard %v\n%s", c.e, err, c.e.history.String())
	}
	if ask && c.obj != nil {
		if release, ok := c.e.asks(); ok {
			_, _ = c.obj.IsDone()
			release()
		}
	}
}

// isDoubtful reports whether the callback may be for another record than c.of. During OnDone the
// event can be recorded again, on any stream.
func (c *callback) isDoubtful() bool { return c.registered.Load() == 0 && c.view.grown() }

func (c *callback) overdue() {
	w := c.w
	now, limit := w.watch.Load(), int64(w.Patience/turn)
	if now-c.at <= limit || c.runs.Load() > 0 || c.e.open.Load() && now-c.e.lastTouched() <= limit {
		return
	}
	c.settle()
	w.overdue(func() string {
		return fmt.Sprintf("hang: a function given to OnDone did not run for more than %v\n"+
			"  of %v\n%s", w.Patience, c.e, c.account())
	}, func() bool { return c.runs.Load() > 0 })
}

func (o *callbackOrder) add(c *callback) {
	o.mu.Lock()
	o.waiting = append(o.waiting, c)
	o.mu.Unlock()
}

func (o *callbackOrder) remove(c *callback) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting = slices.DeleteFunc(o.waiting, func(d *callback) bool { return d == c })
}

// enter checks that the callbacks of this record and of earlier ones, given before this one was,
// have run.
func (o *callbackOrder) enter(c *callback) {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.Index(o.waiting, c)
	if i < 0 {
		return
	}
	o.waiting = slices.Delete(o.waiting, i, i+1)
	if c.w.skips("order") || c.e.open.Load() { // perhaps since before OnDone
		return
	}
	if d := o.running; d != nil {
		c.w.find("functions given to OnDone for records of %v run beside each other: "+
			"of %v and of %v", c.of.stream, c.of, d.of)
	}
	o.running = c
	for _, d := range o.waiting {
		given := d.registered.Load()
		ordered := d.of == c.of || d.of.end.Load() < c.of.begin
		if given != 0 && given < c.begin && ordered &&
			d.e.closeBegan.Load() == 0 && !d.e.open.Load() && c.w.strict(d.e.dev) {
			c.w.find("a function given to OnDone ran before one that was given earlier, "+
				"for an earlier record of %v or for the same one:\n"+
				"  ran: %v\n  of %v\n  not yet: %v\n  of %v\n%s",
				c.of.stream, c.of, c.e, d.of, d.e, d.e.history.String())
		}
	}
}

func (o *callbackOrder) leave(c *callback) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.running == c {
		o.running = nil
	}
}

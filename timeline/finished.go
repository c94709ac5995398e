package timeline

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// callback is a function of OnFinish.
type callback struct{ f func(Item) }

// call is a callback that is due.
type call struct {
	*callback
	item Item
}

var errGoexit = errors.New("timeline: a function of Timeline.OnFinish called runtime.Goexit")

// OnFinish calls f for each item that is finished from now on, those without times too, in the
// order in which they finish. f runs on the timeline's goroutine: while it runs, nothing is
// resolved, and if it takes long, new spans are dropped. It must not call Flush or Close. stop ends
// the calls; one may still be running.
func (tl *Timeline) OnFinish(f func(Item)) (stop func()) {
	if tl == nil || tl.isZero() {
		return func() {}
	}
	c := &callback{f}
	tl.mu.Lock()
	tl.calls = append(slices.Clone(tl.calls), c)
	tl.mu.Unlock()
	return func() {
		tl.mu.Lock()
		defer tl.mu.Unlock()
		tl.calls = slices.DeleteFunc(slices.Clone(tl.calls), func(o *callback) bool { return o == c })
	}
}

// offer notes the callbacks that an item is for. They run when the sweep is over.
func (r *resolver) offer(it *record, err error) {
	r.tl.mu.Lock()
	calls := r.tl.calls
	r.tl.mu.Unlock()
	for _, c := range calls {
		item := it.item(r.tl.origin)
		if item.Err = err; err != nil {
			item.Start, item.End, item.Bound = time.Time{}, time.Time{}, 0
		}
		r.calls = append(r.calls, call{c, item})
	}
}

// deliver makes the calls. If one ends the goroutine, the next goes on after it.
func (r *resolver) deliver() {
	for r.nextCall < len(r.calls) {
		c := r.calls[r.nextCall]
		r.nextCall++
		r.call(c)
	}
	clear(r.calls)
	r.calls, r.nextCall = r.calls[:0], 0
}

func (r *resolver) call(c call) {
	defer func() {
		if p := recover(); p != nil {
			r.tl.report(fmt.Errorf("timeline: a function of Timeline.OnFinish panicked: %v", p))
		}
	}()
	c.f(c.item)
}

// report passes a failure that no call returns to the user.
func (tl *Timeline) report(err error) {
	if tl.options.OnError == nil {
		return
	}
	defer func() { _ = recover() }() // a panic of the handler can be reported nowhere
	tl.options.OnError(err)
}

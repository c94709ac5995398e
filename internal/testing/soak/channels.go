package soak

import "fmt"

// kept is a channel of Event.Done that a worker holds on to.
type kept struct {
	sight
	done <-chan struct{}
	at   int64 // the watch
	e    *ev
}

const mostKept = 48

func (w *worker) keepDone() bool {
	if len(w.kept) >= mostKept {
		return w.checkKept()
	}
	e := w.event()
	c := &kept{e: e}
	if !w.see(&c.sight, e) {
		return false
	}
	w.begin(opDone, e, nil)
	c.done = c.obj.Done()
	w.over(nil)
	c.at = w.watch.Load()
	c.settle()
	c.obj = nil // so that it can be collected
	w.kept = append(w.kept, c)
	return true
}

// checkKept looks at one of the channels.
func (w *worker) checkKept() bool {
	if len(w.kept) == 0 {
		return false
	}
	i := w.n(len(w.kept))
	if w.kept[i].over(w.world) {
		w.kept[i] = w.kept[len(w.kept)-1]
		w.kept = w.kept[:len(w.kept)-1]
	}
	return true
}

// over checks the channel and reports whether it is closed.
func (c *kept) over(w *world) bool {
	select {
	case <-c.done:
	default:
		c.overdue(w)
		return false
	}
	if c.e.open.Load() { // it stands for whatever was recorded since
		c.settle()
	}
	if !c.complete || c.e.closeBegan.Load() != 0 || !all(c.all, (*record).pending) || c.view.fuzzy {
		return true
	}
	if w.strict(c.e.dev) {
		w.wrong(opKept, &c.sight, "closed",
			"a closed gate holds up every record that could be meant")
		return true
	}
	// Something failed: then Err says so, unless it was recorded anew.
	if o := c.e.obj.Load(); o != nil && len(c.all) == 1 && !c.e.open.Load() &&
		c.e.closeBegan.Load() == 0 {
		release, ok := c.e.asks()
		if !ok {
			return true
		}
		defer release()
		err := o.Err()
		if err == nil && !c.view.grown() && all(c.all, (*record).pending) {
			w.wrong(opKept, &c.sight, "closed",
				"its record is pending, and Err knows of no failure")
		}
	}
	return true
}

func (c *kept) overdue(w *world) {
	now, limit := w.watch.Load(), int64(w.Patience/turn)
	if now-c.at <= limit || c.e.open.Load() && now-c.e.lastTouched() <= limit {
		return
	}
	w.overdue(func() string {
		return fmt.Sprintf("hang: a channel of Done is open for more than %v\n  of %v\n%s",
			w.Patience, c.e, c.account())
	}, func() bool {
		select {
		case <-c.done:
			return true
		default:
			return false
		}
	})
}

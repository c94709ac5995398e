package soak

import (
	"errors"
	"fmt"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

// asks keeps a query away from captures in global mode, which it would end; false if there is
// one.
func (e *ev) asks() (release func(), ok bool) {
	if e.dev == nil || !e.dev.asking.TryRLock() {
		return nil, false
	}
	return e.dev.asking.RUnlock, true
}

func (w *worker) isDone() bool {
	e := w.event()
	release, ok := e.asks()
	if !ok {
		return false
	}
	defer release()
	return w.isDoneOf(e)
}

func (w *worker) isDoneOf(e *ev) bool {
	var s sight
	if !w.see(&s, e) {
		return false
	}
	w.begin(opIsDone, e, nil)
	done, err := s.obj.IsDone()
	if err != nil {
		w.over(err)
	} else {
		w.over(done)
	}
	w.checkAnswer(opIsDone, &s, done, err)
	return true
}

func (w *world) checkAnswer(k opKind, s *sight, done bool, err error) {
	switch {
	case err != nil:
		s.settle()
		w.mustBeClosed(k, s, err)
		w.explain(k, err, s)
	case done:
		s.settle()
		w.saidDone(k, s)
	default:
		w.saidPending(k, s)
	}
}

func (w *worker) state() bool {
	e := w.event()
	release, ok := e.asks()
	if !ok {
		return false
	}
	defer release()
	var s sight
	if !w.see(&s, e) {
		return false
	}
	w.begin(opState, e, nil)
	state := s.obj.State()
	w.over(state.String())
	switch state {
	case event.Done:
		s.settle()
		w.saidDone(opState, &s)
	case event.Pending:
		w.saidPending(opState, &s)
	case event.Unrecorded:
		s.settle()
		if s.complete && !e.open.Load() && !some(s.all, func(r *record) bool {
			return r == nil || r.unsure.Load() || r.end.Load() == 0 || r.end.Load() > s.view.begin
		}) {
			w.wrong(opState, &s, state, "it was recorded")
		}
	case event.Captured:
		s.settle()
		w.explain(opState, event.ErrCaptured, &s)
	case event.Closed:
		s.settle()
		w.explain(opState, event.ErrClosed, &s)
	case event.Failed:
		s.settle()
		if w.strict(e.dev) && !s.view.fuzzy && !w.excused(&s) {
			w.wrong(opState, &s, state, fmt.Sprintf("nothing has failed; Err answers %v", s.obj.Err()))
		}
	}
	return true
}

func (w *worker) err() bool {
	e := w.event()
	release, ok := e.asks()
	if !ok {
		return false
	}
	defer release()
	var s sight
	if !w.see(&s, e) {
		return false
	}
	w.begin(opErr, e, nil)
	err := s.obj.Err()
	w.over(err)
	s.settle()
	w.mustBeClosed(opErr, &s, err)
	if err != nil {
		w.explain(opErr, err, &s)
	} else if s.complete && all(s.all, isCaptured) {
		w.wrong(opErr, &s, err, "its record is a place in a graph")
	}
	return true
}

func (w *worker) attributes() bool {
	e := w.event()
	o := e.obj.Load()
	if o == nil {
		return false
	}
	w.begin(opAttributes, e, nil)
	before := o.Generation()
	_ = o.String()
	if e.closeEnded.Load() != 0 && !o.IsClosed() {
		w.find("IsClosed of %v answered no after Close\n%s", e, e.history.String())
	}
	if o.IsTimingEnabled() != e.timing || o.IsExternal() != e.external ||
		o.IsIPCEnabled() != e.ipc || o.IsBlockingSync() != e.blocking {
		w.find("%v does not have the attributes that it was made with", e)
	}
	if after := o.Generation(); after < before {
		w.find("Generation of %v went from %d to %d", e, before, after)
	}
	w.over(nil)
	return true
}

// sub takes the time between two events, and wants the first refusal in the documented order.
func (w *worker) sub() bool {
	a, b := w.event(), w.event()
	if w.oneIn(2) {
		for range 16 { // some that can be compared
			if a.dev == b.dev && a.timing && b.timing {
				break
			}
			a, b = w.event(), w.event()
		}
	}
	for _, e := range []*ev{a, b} {
		release, ok := e.asks()
		if !ok {
			return false
		}
		defer release()
	}
	var start, end sight
	if !w.see(&start, a) || !w.see(&end, b) {
		return false
	}
	w.begin(opSub, b, nil)
	d, err := end.obj.Sub(start.obj)
	w.over(err)
	start.settle()
	end.settle()
	w.checkSub(&start, &end, d, err)
	return true
}

// checkSub walks the refusals in their order: one that could hold is allowed, and one that must
// hold ends the list.
func (w *world) checkSub(start, end *sight, d time.Duration, err error) {
	both := [2]*sight{start, end}
	could := func(is func(*sight) bool) bool { return is(start) || is(end) }
	var allowed []error
	var must error
	refuse := func(cause error, possible, certain bool) {
		if must != nil {
			return
		}
		if possible || certain {
			allowed = append(allowed, cause)
		}
		if certain {
			must = cause
		}
	}
	blank := func(s *sight) bool {
		return !s.complete || some(s.all, func(r *record) bool { return r == nil })
	}
	fuzzy := func(s *sight) bool {
		return !s.complete || s.view.fuzzy || s.e.open.Load() || some(s.all, isUnknown)
	}
	refuse(event.ErrClosed, could(func(s *sight) bool { return s.e.closeBegan.Load() != 0 }),
		could(func(s *sight) bool { return s.wasClosed }))
	a, b := start.e.dev, end.e.dev
	refuse(event.ErrBackendMismatch, false, a.backend != b.backend)
	refuse(event.ErrDeviceMismatch, false, a != b)
	refuse(event.ErrTimingDisabled, false, !start.e.timing || !end.e.timing)
	certainlyBlank := func(s *sight) bool {
		r, ok := s.exact()
		return ok && r == nil && !s.e.open.Load()
	}
	refuse(event.ErrNotRecorded, could(blank) || could(fuzzy), could(certainlyBlank))
	mayBeCaptured := func(s *sight) bool { return fuzzy(s) || some(s.all, mayCaptured) }
	refuse(event.ErrCaptured, could(mayBeCaptured),
		could(func(s *sight) bool { return s.complete && all(s.all, isCaptured) }))
	ready := func(s *sight) bool { return s.view.isDone && !s.view.grown() }
	refuse(event.ErrNotReady, could(func(s *sight) bool { return !ready(s) }),
		could(func(s *sight) bool {
			return s.complete && all(s.all, (*record).pending) && !fuzzy(s)
		}))
	if err == nil {
		if must != nil {
			w.wrong(opSub, end, d,
				"it had to be refused: "+must.Error()+"\n  the start:\n"+start.account())
		}
		if d > time.Hour || d < -time.Hour {
			w.wrong(opSub, end, d, "no run takes that long")
		}
		return
	}
	for _, cause := range allowed {
		if errors.Is(err, cause) {
			return
		}
	}
	var driver *event.DriverError
	if errors.As(err, &driver) && (!w.strict(a) || !w.strict(b)) {
		w.tolerated.Add(1)
		return
	}
	for _, s := range both {
		s.e.history.add(step{at: w.now(), what: opSub, result: "(seen by the check)"})
	}
	w.wrong(opSub, end, err,
		"the model expects another refusal, or none\n  the start:\n"+start.account())
}

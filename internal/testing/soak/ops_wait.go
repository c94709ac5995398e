package soak

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

// lateness is how long waits outlast their contexts.
type lateness struct {
	measured, over atomic.Int64 // over: more than 50 ms
	worst          atomic.Int64
}

func (l *lateness) add(d time.Duration) {
	l.measured.Add(1)
	if d > 50*time.Millisecond {
		l.over.Add(1)
	}
	for {
		old := l.worst.Load()
		if int64(d) <= old || l.worst.CompareAndSwap(old, int64(d)) {
			return
		}
	}
}

func (l *lateness) String() string {
	return fmt.Sprintf("%d contexts ended waits, the latest %v after its end, %d later than 50ms",
		l.measured.Load(), time.Duration(l.worst.Load()).Round(time.Microsecond), l.over.Load())
}

// limit is a context for a wait, which knows when it ended.
type limit struct {
	context.Context
	cancel func()
	ended  atomic.Int64 // in time since it was made
	turn   atomic.Int64 // the watch then
	began  time.Time
}

// limit makes a context of a random kind: without end, with a deadline, cancelled in the middle,
// ended.
func (w *worker) limit() *limit {
	l := &limit{Context: context.Background(), cancel: func() {}, began: time.Now()}
	pause := time.Duration(w.n(3000)) * time.Microsecond
	switch w.n(8) {
	case 0, 1, 2:
		l.Context, l.cancel = context.WithTimeout(l.Context, pause)
	case 3:
		ctx, cancel := context.WithCancel(l.Context)
		t := time.AfterFunc(pause, cancel)
		l.Context, l.cancel = ctx, func() { t.Stop(); cancel() }
	case 4:
		l.Context, l.cancel = context.WithCancel(l.Context)
		l.cancel()
	default:
		return l
	}
	context.AfterFunc(l.Context, func() {
		l.turn.Store(w.watch.Load())
		l.ended.Store(int64(time.Since(l.began)))
	})
	return l
}

// tooLate is when the end of a context is overdue, in turns of the watchdog. What is later than 50
// ms is counted, and reported; a machine with other work can't be held to that.
const tooLate = int64(400 * time.Millisecond / turn)

// tooLate allows form Real more, since others use its machine.
func (w *world) tooLate() int64 {
	if w.Form == Real {
		return 5 * tooLate
	}
	return tooLate
}

// returned checks how long a wait has outlasted its context.
func (w *worker) returned(k opKind, l *limit, err error) {
	now := time.Since(l.began)
	defer l.cancel()
	if isContext(err) && l.Err() == nil {
		w.find("%s returned %v, but its context has not ended", k, err)
		return
	}
	if ended := l.ended.Load(); ended != 0 {
		late := now - time.Duration(ended)
		if isContext(err) {
			w.late.add(late)
		}
		if w.watch.Load()-l.turn.Load() > w.tooLate() && !w.skips("late") && !w.starved() {
			w.find("%s returned %v after the end of its context", k, late)
		}
	}
}

func (w *worker) wait() bool {
	e := w.event()
	var s sight
	if !w.see(&s, e) {
		return false
	}
	l := w.limit()
	w.begin(opWait, e, nil)
	err := s.obj.Wait(l)
	w.over(err)
	w.returned(opWait, l, err)
	s.settle()
	w.mustBeClosed(opWait, &s, err)
	switch {
	case err == nil:
		w.saidDone(opWait, &s)
	case !isContext(err):
		w.explain(opWait, err, &s)
	}
	return true
}

func (w *worker) sync() bool {
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
	w.begin(opSync, e, nil)
	err := s.obj.Sync()
	w.over(err)
	s.settle()
	w.mustBeClosed(opSync, &s, err)
	if err == nil {
		w.saidDone(opSync, &s)
	} else {
		w.explain(opSync, err, &s)
	}
	return true
}

// several picks events for a wait.
func (w *worker) several() (sights []*sight, objects []*event.Event) {
	for range 2 + w.n(4) {
		s := new(sight)
		if !w.see(s, w.event()) {
			return nil, nil
		}
		sights, objects = append(sights, s), append(objects, s.obj)
	}
	return sights, objects
}

func (w *worker) waitAny() bool {
	sights, objects := w.several()
	if sights == nil {
		return false
	}
	l := w.limit()
	w.begin(opWaitAny, sights[0].e, nil)
	i, err := event.WaitAny(l, objects...)
	w.over(fmt.Sprint(i, " ", err))
	w.returned(opWaitAny, l, err)
	for _, s := range sights {
		s.settle()
	}
	switch {
	case i < 0:
		if !isContext(err) {
			w.find("WaitAny returned %d, %v", i, err)
		}
		return true
	case i >= len(sights):
		w.find("WaitAny returned %d of %d", i, len(sights))
		return true
	case err == nil:
		w.saidDone(opWaitAny, sights[i])
	case !isContext(err):
		w.explain(opWaitAny, err, sights[i])
	}
	if w.skips("any-first") {
		return true
	}
	for _, earlier := range sights[:i] {
		r, ok := earlier.exact()
		if ok && r != nil && earlier.told && earlier.e.closeBegan.Load() == 0 &&
			w.strict(earlier.e.dev) && !earlier.e.open.Load() {
			w.wrong(opWaitAny, earlier, i, "an earlier one was known to be done before the call")
		}
	}
	return true
}

func (w *worker) waitAll() bool {
	sights, objects := w.several()
	if sights == nil {
		return false
	}
	l := w.limit()
	w.begin(opWaitAll, sights[0].e, nil)
	err := event.WaitAll(l, objects...)
	w.over(err)
	w.returned(opWaitAll, l, err)
	if err == nil {
		for _, s := range sights {
			s.settle()
			w.saidDone(opWaitAll, s)
		}
		return true
	}
	if isContext(err) {
		return true
	}
	for _, s := range sights {
		s.settle()
		if errors.Is(err, event.ErrClosed) && s.e.closeBegan.Load() != 0 ||
			errors.Is(err, event.ErrCaptured) &&
				(!s.complete || some(s.all, mayCaptured) || s.view.fuzzy) ||
			!w.strict(s.e.dev) || w.excused(s) {
			return true
		}
	}
	w.wrong(opWaitAll, sights[0], err, "nothing explains that error")
	return true
}

package soak

import (
	"errors"

	"github.com/gpuevent/gpuevent/event"
)

// record records an event on a stream of its device. The caller shares the stream and the event's
// recording.
func (w *world) record(e *ev, o *event.Event, s *stream, st *event.Stream) error {
	kind := plain
	if e.ipc && !s.dev.ipcOrders {
		kind = unknown
	}
	r := e.truth.begin(w, s, kind)
	r.alone = !e.open.Load() && !s.isDefault
	err := o.Record(st)
	e.truth.end(w, r, w.outcomeOf(err))
	w.recordsMade.Add(1)
	if err == nil {
		w.recordsDone.Add(1)
	}
	return err
}

// outcomeOf reports whether a call that failed may have recorded all the same.
func (w *world) outcomeOf(err error) outcome {
	switch {
	case err == nil:
		return made
	case errors.Is(err, event.ErrClosed):
		return not
	}
	return maybe
}

// pair picks an event and a stream of one device and begins to use both.
func (w *worker) pair() (e *ev, o *event.Event, s *stream, st *event.Stream, release func()) {
	e = w.event()
	s = w.streamOf(e.dev)
	if s == nil || s.dev != e.dev || !e.recording.TryRLock() {
		return
	}
	if st = s.share(); st == nil {
		e.recording.RUnlock()
		return
	}
	release = func() {
		s.unshare()
		e.recording.RUnlock()
	}
	if o = e.obj.Load(); o == nil {
		release()
		release = nil
	}
	return
}

func (w *worker) recordEvent() bool {
	e, o, s, st, release := w.pair()
	if release == nil {
		return false
	}
	defer release()
	wasClosed := e.closeEnded.Load() != 0 || s.closeEnded.Load() != 0
	w.begin(opRecord, e, s)
	err := w.record(e, o, s, st)
	w.over(err)
	if err != nil {
		w.explainRecord(opRecord, e, s, err)
	} else if wasClosed {
		w.find("Record of %v on %v succeeded after Close\n%s", e, s, e.history.String())
	}
	return true
}

// explainRecord checks an error of a call that recorded.
func (w *world) explainRecord(k opKind, e *ev, s *stream, err error) {
	var v sight
	v.e, v.complete = e, true
	w.explain(k, err, &v, s)
}

func (w *worker) recordNew() bool {
	i := w.n(len(w.events))
	old := w.events[i].Load()
	s := w.streamOf(old.dev)
	if s == nil || s.dev != old.dev {
		return false
	}
	st := s.share()
	if st == nil {
		return false
	}
	defer s.unshare()
	e, options := w.plan(s.dev)
	kind := plain
	if e.ipc && !s.dev.ipcOrders {
		kind = unknown
	}
	e.truth = newTruth()
	r := e.truth.begin(w.world, s, kind)
	r.alone = !e.open.Load() && !s.isDefault
	w.begin(opRecordNew, e, s)
	o, err := st.RecordNew(options...)
	e.truth.end(w.world, r, made)
	w.over(err)
	w.recordsMade.Add(1)
	if err != nil {
		w.explainRecord(opRecordNew, e, s, err)
		return true
	}
	w.recordsDone.Add(1)
	e.obj.Store(o)
	if w.events[i].CompareAndSwap(old, e) {
		w.close(old)
	} else {
		w.close(e)
	}
	return true
}

// mismatch makes calls that are refused before the driver sees them.
func (w *worker) mismatch() bool {
	e, s := w.event(), w.anyStream()
	o, st := e.obj.Load(), s.obj.Load()
	if o == nil || st == nil || e.dev == s.dev {
		return false
	}
	want := event.ErrDeviceMismatch
	if e.dev.backend != s.dev.backend {
		want = event.ErrBackendMismatch
	}
	w.begin(opMismatch, e, s)
	err := o.Record(st)
	w.over(err)
	if !errors.Is(err, want) && !errors.Is(err, event.ErrClosed) {
		w.find("Record of %v on %v returned %v instead of %v", e, s, err, want)
	}
	err = o.Record(nil)
	if !errors.Is(err, event.ErrNilStream) && !errors.Is(err, event.ErrClosed) {
		w.find("Record of %v on no stream returned %v", e, err)
	}
	return true
}

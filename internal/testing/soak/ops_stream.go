package soak

import (
	"fmt"
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
)

// longest is how long a gate stays closed.
const longest = 3 * time.Millisecond

// gate holds a stream up for a while.
func (w *worker) gate() bool {
	s := w.anyStream()
	if len(merge(s.held(), nil)) > 6 {
		return false
	}
	st := s.share()
	if st == nil {
		return false
	}
	defer s.unshare()
	hold := time.Duration(w.n(int(longest)))
	g := newGate()
	if s.dev.blocksCaller || !s.dev.caps.Has(event.CapHostFunc) {
		return w.simulatedGate(s, st, g, hold)
	}
	began, p := w.now(), s.progress
	release := s.dev.holds.begin()
	w.begin(opGate, nil, s)
	err := st.HostFunc(func() error {
		p.pass(began)
		<-g.let
		return nil
	})
	w.over(err)
	open := func() { close(g.let); release(w.watch.Load()) }
	if err != nil {
		w.explain(opGate, err, nil, s)
		g.openIn(w.world, 0, s.dev.dead, open) // it may be there all the same
		return true
	}
	if !s.doubtful.Load() {
		s.hold(g)
	}
	g.openIn(w.world, hold, s.dev.dead, open)
	return true
}

// simulatedGate is a gate for drivers without host functions.
func (w *worker) simulatedGate(s *stream, st *event.Stream, g *gate, hold time.Duration) bool {
	if w.machine == nil || s.isDefault || s.dev.failing.Load() || !s.raw.TryRLock() {
		return false
	}
	defer s.raw.RUnlock()
	h := natives.Word(st)
	if h == 0 {
		return false
	}
	release := s.dev.holds.begin()
	sg := w.machine.Gate(h)
	s.hold(g)
	g.openIn(w.world, hold, s.dev.dead, func() { sg.Open(); release(w.watch.Load()) })
	return true
}

// mostExits bounds the functions that end their goroutines.
const mostExits = 200

// mark has the stream tell how far it has come.
func (w *worker) mark() bool {
	s := w.anyStream()
	if !s.dev.caps.Has(event.CapHostFunc) {
		return false
	}
	st := s.share()
	if st == nil {
		return false
	}
	defer s.unshare()
	began, p := w.now(), s.progress
	w.begin(opMark, nil, s)
	err := st.HostFunc(func() error {
		p.pass(began)
		return nil
	})
	w.over(err)
	if err != nil {
		w.explain(opMark, err, nil, s)
	}
	return true
}

// usable picks an event that streams may wait for.
// fact: amd-ipc-wait-slots
func (w *worker) usable() *ev {
	e := w.event()
	switch {
	case e.mayCapture:
		return nil
	case e.ipc && e.elsewhere.Load() && e.dev != nil && e.dev.backend == event.HIP:
		return nil // such a wait is for the newest record, which may come to be behind it
	}
	return e
}

func (w *worker) waitEvent() bool {
	e, s := w.usable(), w.anyStream()
	if e == nil || e.dev == nil {
		return false
	}
	across := e.dev.backend != s.dev.backend
	if across {
		if !s.dev.caps.Has(event.CapHostFunc) || w.oneIn(2) || !w.crosses(s) {
			return false
		}
	}
	st := s.share()
	if st == nil {
		return false
	}
	defer s.unshare()
	var v sight
	if !w.see(&v, e) {
		return false
	}
	w.begin(opWaitEvent, e, s)
	err := st.WaitEvent(v.obj)
	w.over(err)
	v.settle()
	if err != nil {
		w.explain(opWaitEvent, err, &v, s)
		return true
	}
	if v.wasClosed {
		w.wrong(opWaitEvent, &v, "no error", "the event was closed before")
	}
	// A wait across vendors ends with an error where something fails.
	if r, ok := v.exact(); ok && r != nil && r.kind == plain && (!across || w.plain()) {
		s.hold(r.behind...)
	}
	return true
}

func (w *worker) waitStream() bool {
	s, other := w.anyStream(), w.anyStream()
	if s.dev.backend != other.dev.backend &&
		(!s.dev.caps.Has(event.CapHostFunc) || !w.crosses(s)) {
		return false
	}
	st := s.share()
	if st == nil {
		return false
	}
	defer s.unshare()
	so := other.share()
	if so == nil {
		return false
	}
	defer other.unshare()
	behind := other.held()
	w.begin(opWaitStream, nil, s)
	err := st.WaitStream(so)
	w.over(err)
	switch {
	case err != nil:
		w.explain(opWaitStream, err, nil, s, other)
	case s.dev.backend == other.dev.backend || w.plain():
		s.hold(behind...)
	}
	return true
}

// crosses reports whether a stream may wait across backends. If that can fail, the stream fails
// with it and skips its functions, so that the gates of a GPU's stream prove nothing from then on.
func (w *worker) crosses(s *stream) bool {
	switch {
	case w.Form == Real && !s.dev.caps.Has(event.CapWaitValue) && s.dev.backend != event.Host:
		return false // the wait would occupy the thread that gates need
	case w.plain() || s.dev.backend == event.Host:
		return true
	case w.Form == Kill: // whose other devices must not fail
		return false
	}
	s.doubtful.Store(true)
	return true
}

// early reports work that was called done although a gate that was closed before the call still is.
func (w *world) early(k opKind, s *stream, behind []*gate) {
	if anyClosed(behind) {
		w.find("%s of %v said done behind a closed gate\n%s", k, s, s.history.String())
	}
}

func (w *worker) streamIsDone() bool {
	s := w.anyStream()
	if !s.dev.asking.TryRLock() {
		return false
	}
	defer s.dev.asking.RUnlock()
	st := s.share()
	if st == nil {
		return false
	}
	defer s.unshare()
	behind := s.held()
	w.begin(opStreamIsDone, nil, s)
	done, err := st.IsDone()
	w.over(done)
	switch {
	case err != nil:
		w.explain(opStreamIsDone, err, nil, s)
	case done:
		w.early(opStreamIsDone, s, behind)
	}
	return true
}

func (w *worker) streamWait() bool {
	s := w.anyStream()
	st := s.share()
	if st == nil {
		return false
	}
	defer s.unshare()
	behind := s.held()
	l := w.limit()
	w.begin(opStreamWait, nil, s)
	err := st.Wait(l)
	w.over(err)
	w.returned(opStreamWait, l, err)
	switch {
	case err == nil:
		w.early(opStreamWait, s, behind)
	case !isContext(err):
		w.explain(opStreamWait, err, nil, s)
	}
	return true
}

func (w *worker) streamSync() bool {
	s := w.anyStream()
	if !s.dev.asking.TryRLock() {
		return false
	}
	defer s.dev.asking.RUnlock()
	st := s.share()
	if st == nil {
		return false
	}
	defer s.unshare()
	behind, began := s.held(), w.now()
	w.begin(opStreamSync, nil, s)
	err := st.Sync()
	w.over(err)
	switch {
	case err == nil:
		w.early(opStreamSync, s, behind)
		if w.plain() {
			s.progress.pass(began)
		}
	default:
		w.explain(opStreamSync, err, nil, s)
	}
	return true
}

func (w *worker) deviceSync() bool {
	d := w.device()
	if !d.syncing.TryLock() {
		return false
	}
	defer d.syncing.Unlock()
	var streams []*stream
	var behind [][]*gate
	for i := range w.streams {
		if s := w.streams[i].Load(); s.dev == d {
			streams, behind = append(streams, s), append(behind, s.held())
		}
	}
	w.syncs.Store(d)
	w.begin(opDeviceSync, nil, nil)
	err := d.dev.Sync()
	w.over(err)
	w.syncs.Store(nil)
	if err != nil {
		w.created(fmt.Sprint(opDeviceSync), d, err)
		return true
	}
	if !w.strict(d) { // a failed stream waits for nothing any more, and a device need not tell
		return true
	}
	for i, s := range streams {
		w.early(opDeviceSync, s, behind[i])
	}
	return true
}

package soak

import (
	"errors"

	"github.com/gpuevent/gpuevent/event"
)

// plan is an event to be made, with random options that the device can honour.
func (w *worker) plan(d *device) (*ev, []event.EventOption) {
	e := &ev{dev: d}
	var options []event.EventOption
	switch {
	case w.oneIn(2):
		e.timing = true
		options = append(options, event.WithTiming())
	case w.oneIn(8) && d.shares:
		e.ipc = true
		e.open.Store(true)
		options = append(options, event.WithIPC())
	}
	if w.oneIn(4) {
		e.blocking = true
		options = append(options, event.WithBlockingSync())
	}
	if w.oneIn(8) && d.caps.Has(event.CapExternal) {
		e.external = true
		options = append(options, event.WithExternal())
	}
	if w.oneIn(8) && d.backend == event.HIP && !e.ipc {
		options = append(options, event.WithFence(event.Fence(w.n(3))))
	}
	e.mayCapture = d.caps.Has(event.CapCapture) && !e.ipc && !e.external && w.oneIn(4)
	return e, options
}

func (w *worker) newEvent(d *device) (*ev, error) {
	e, options := w.plan(d)
	e.truth = newTruth()
	w.begin(opCloseEvent, nil, nil)
	o, err := d.dev.NewEvent(options...)
	w.over(err)
	if err != nil {
		return nil, err
	}
	e.obj.Store(o)
	return e, nil
}

func (w *worker) newStream(d *device) (*stream, error) {
	s := &stream{dev: d, progress: new(progress)}
	var options []event.StreamOption
	if w.oneIn(4) {
		s.blocking = true
		options = append(options, event.WithLegacySync())
	}
	if w.oneIn(4) {
		least, greatest := d.dev.PriorityRange()
		options = append(options, event.WithPriority(greatest+w.n(least-greatest+1)))
	}
	w.begin(opCloseStream, nil, s)
	o, err := d.dev.NewStream(options...)
	w.over(err)
	if err != nil {
		return nil, err
	}
	s.obj.Store(o)
	return s, nil
}

// created checks the error of a call that creates something.
func (w *world) created(what string, d *device, err error) {
	if w.strict(d) {
		w.find("%s on %s: %v", what, d.name, err)
		return
	}
	w.tolerated.Add(1)
}

// replace puts a new event in the place of a random one and returns the old one.
func (w *worker) replace() *ev {
	i := w.n(len(w.events))
	old := w.events[i].Load()
	d := w.devices[i%len(w.devices)]
	e, err := w.newEvent(d)
	if err != nil {
		w.created("NewEvent", d, err)
		return nil
	}
	if !w.events[i].CompareAndSwap(old, e) {
		w.close(e)
		return nil
	}
	return old
}

func (w *worker) closeEvent() bool {
	if w.oneIn(2) { // one that others go on using
		w.close(w.event())
		return true
	}
	old := w.replace()
	if old == nil {
		return false
	}
	w.close(old)
	return true
}

// close closes an event, unless its handle is in use.
func (w *worker) close(e *ev) {
	if !e.raw.TryLock() {
		return
	}
	defer e.raw.Unlock()
	o := e.obj.Load()
	if o == nil {
		return
	}
	e.closeBegan.CompareAndSwap(0, w.now())
	w.begin(opCloseEvent, e, nil)
	err := o.Close()
	w.over(err)
	e.closeEnded.Store(w.now())
	switch {
	case e.wrapped && errors.Is(err, event.ErrNotReady): // its native event stays for now
	case err != nil:
		w.lost.Add(1)
		w.explainRecordless(opCloseEvent, e, err)
	case e.wrapped:
		e.destroyNative(w.world)
	}
}

// destroyNative destroys the native event of a wrapper that is closed. The caller keeps others from
// using it.
func (e *ev) destroyNative(w *world) {
	if e.native == 0 {
		return
	}
	err := e.dev.within(func() error { // which fails first on a device that is lost
		h := e.native
		e.native = 0
		return e.dev.destroyEvent(h)
	})
	if err != nil {
		w.lost.Add(1)
		w.raws("event destruction", e.dev, err)
	}
}

// explainRecordless checks the error of a call that can fail through the driver only.
func (w *world) explainRecordless(k opKind, e *ev, err error) {
	if w.strict(e.dev) {
		w.find("%s of %v: %v\n%s", k, e, err, e.history.String())
		return
	}
	w.tolerated.Add(1)
}

// dropEvent leaves an event to the garbage collector.
func (w *worker) dropEvent() bool {
	old := w.replace()
	if old == nil || old.wrapped {
		return false
	}
	old.obj.Store(nil)
	return true
}

func (w *worker) replaceStream() *stream {
	i := w.n(w.Streams)
	old := w.streams[i].Load()
	if old.stays.Load() {
		return nil
	}
	s, err := w.newStream(old.dev)
	if err != nil {
		w.created("NewStream", old.dev, err)
		return nil
	}
	if !w.streams[i].CompareAndSwap(old, s) {
		_ = s.obj.Load().Close()
		return nil
	}
	return old
}

func (w *worker) closeStream() bool {
	s := w.streams[w.n(w.Streams)].Load()
	if w.oneIn(2) || s.closeBegan.Load() != 0 {
		if s = w.replaceStream(); s == nil {
			return false
		}
	}
	o := s.share()
	if o == nil {
		return false
	}
	defer s.unshare()
	if !s.raw.TryLock() {
		return false
	}
	defer s.raw.Unlock()
	if s.stays.Load() {
		return false
	}
	s.closeBegan.CompareAndSwap(0, w.now())
	w.begin(opCloseStream, nil, s)
	err := o.Close()
	w.over(err)
	s.closeEnded.Store(w.now())
	if err != nil {
		w.lost.Add(1)
		if w.strict(s.dev) {
			w.find("Close of %v: %v\n%s", s, err, s.history.String())
		}
	}
	return true
}

func (w *worker) dropStream() bool {
	s := w.replaceStream()
	if s == nil {
		return false
	}
	s.obj.Store(nil)
	return true
}

package soak

import (
	"errors"
	"runtime"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
)

// within runs f as a user of the bindings would, with the device current.
func (d *device) within(f func() error) error {
	switch d.backend {
	case event.Host:
		return f()
	case event.HIP:
		return hip.Device(d.dev.Ordinal()).Do(f)
	}
	c, err := d.dev.Context()
	if err != nil {
		return err
	}
	return cudrv.Context(c).Do(f)
}

// rawRecord records an event through the handles of event and stream. Not one that is recorded in
// captures: the package can't know that a raw record has replaced a captured one.
func (w *worker) rawRecord() bool {
	e, o, s, st, release := w.pair()
	if release == nil {
		return false
	}
	defer release()
	if s.isDefault || e.mayCapture || e.dev.backend == event.Host || !e.raw.TryRLock() {
		return false
	}
	defer e.raw.RUnlock()
	if !s.raw.TryRLock() {
		return false
	}
	defer s.raw.RUnlock()
	if s.dev.backend == event.HIP && !w.stay(s, st) {
		return false
	}
	w.begin(opRawRecord, e, s)
	e.open.Store(true)
	e.elsewhere.Store(true)
	h, sh := natives.Word(o), natives.Word(st)
	if h == 0 || sh == 0 {
		w.over("closed")
		return true
	}
	kind := plain
	if e.ipc && !s.dev.ipcOrders {
		kind = unknown
	}
	r := e.truth.begin(w.world, s, kind)
	err := s.dev.within(func() error {
		if s.dev.backend == event.CUDA {
			return cudrv.EventRecord(cudrv.Event(h), cudrv.Stream(sh))
		}
		return hip.EventRecord(hip.Event(h), hip.Stream(sh))
	})
	e.truth.end(w.world, r, w.outcomeOf(err))
	w.over(err)
	runtime.KeepAlive(o)
	runtime.KeepAlive(st)
	w.raws("record", s.dev, err)
	return true
}

// mostStays is how many streams stay open for the sake of raw records.
const mostStays = 4

// stay has a stream stay open to the end.
func (w *worker) stay(s *stream, st *event.Stream) bool {
	if s.stays.Load() {
		return true
	}
	if s.closeBegan.Load() != 0 || w.stays.Add(1) > mostStays {
		return false
	}
	s.stays.Store(true)
	w.atTheEnd(st.Close) // which also keeps it from the garbage collector
	return true
}

// raws checks the error of a raw call.
func (w *world) raws(what string, d *device, err error) {
	if err != nil && w.strict(d) {
		w.find("raw %s on %s: %v", what, d.name, err)
	}
}

// atTheEnd has something destroyed when the run is over.
func (w *world) atTheEnd(f func() error) {
	w.leftMu.Lock()
	defer w.leftMu.Unlock()
	w.left = append(w.left, f)
}

// Things that stay until the end of the run are few.
const (
	mostWraps  = 400
	mostGraphs = 400
	mostNodes  = 2000
)

// wrapEvent puts an event of somebody else's making in the place of a random one.
func (w *worker) wrapEvent() bool {
	i := w.n(len(w.events))
	d := w.devices[i%len(w.devices)]
	if d.backend == event.Host || w.wraps.Load() > mostWraps {
		return false
	}
	if d.blocksCaller { // and says of an event that was never recorded that it is not done
		return false
	}
	w.wraps.Add(1)
	e := &ev{dev: d, wrapped: true, truth: newTruth()}
	e.open.Store(true)
	var h uintptr
	var o *event.Event
	w.begin(opWrapEvent, e, nil)
	err := d.within(func() error {
		if d.backend == event.CUDA {
			raw, err := cudrv.EventCreate(cudrv.EventDisableTiming)
			h = uintptr(raw)
			return err
		}
		raw, err := hip.EventCreateWithFlags(hip.EventDisableTiming)
		h = uintptr(raw)
		return err
	})
	e.native = h
	w.atTheEnd(func() error { // where it could not be destroyed after Close
		err := o.Close()
		if !errors.Is(err, event.ErrNotReady) {
			e.destroyNative(w.world)
		}
		return err
	})
	if err != nil {
		w.over(err)
		w.raws("event creation", d, err)
		return true
	}
	o, err = d.dev.WrapEvent(h)
	w.over(err)
	if err != nil {
		w.created("WrapEvent", d, err)
		return true
	}
	e.obj.Store(o)
	old := w.events[i].Load()
	if w.events[i].CompareAndSwap(old, e) {
		w.close(old)
	} else {
		w.close(e)
	}
	return true
}

// destroyEvent wants the device to be current.
func (d *device) destroyEvent(h uintptr) error {
	if d.backend == event.CUDA {
		return cudrv.EventDestroy(cudrv.Event(h))
	}
	return hip.EventDestroy(hip.Event(h))
}

// wrapStream uses a stream through a wrapper of its handle.
func (w *worker) wrapStream() bool {
	e, o, s, st, release := w.pair()
	if release == nil {
		return false
	}
	defer release()
	if s.isDefault || s.dev.backend == event.Host || !s.raw.TryRLock() {
		return false
	}
	defer s.raw.RUnlock()
	h := natives.Word(st)
	if h == 0 {
		return false
	}
	w.begin(opWrapStream, e, s)
	alias, err := s.dev.dev.WrapStream(h)
	if err != nil {
		w.over(err)
		w.created("WrapStream", s.dev, err)
		return true
	}
	kind := plain
	if e.ipc && !s.dev.ipcOrders {
		kind = unknown
	}
	r := e.truth.begin(w.world, s, kind)
	err = o.Record(alias)
	e.truth.end(w.world, r, w.outcomeOf(err))
	w.over(err)
	if err != nil {
		w.explainRecord(opWrapStream, e, s, err)
	}
	w.begin(opWrapStream, e, s)
	err = alias.Close()
	w.over(err)
	if err != nil {
		w.created("Close of a wrapper", s.dev, err)
	}
	runtime.KeepAlive(st)
	return true
}

// importEvent imports a shared event, uses it and closes it again.
func (w *worker) importEvent() bool {
	e := w.event()
	if !e.ipc || e.dev == nil || !e.raw.TryRLock() {
		return false
	}
	defer e.raw.RUnlock()
	o := e.obj.Load()
	if o == nil {
		return false
	}
	d := w.device()
	if d.backend != e.dev.backend {
		d = e.dev
	}
	e.elsewhere.Store(true)
	w.begin(opImport, e, nil)
	descriptor, err := o.IPCDescriptor()
	if err != nil {
		w.over(err)
		if e.closeBegan.Load() == 0 {
			w.find("IPCDescriptor of %v: %v", e, err)
		}
		return true
	}
	text, err := descriptor.MarshalText()
	if err == nil {
		err = descriptor.UnmarshalText(text)
	}
	if err != nil {
		w.find("the text of a descriptor: %v", err)
		return true
	}
	io, err := d.dev.ImportEvent(descriptor)
	w.over(err)
	if err != nil {
		w.created("ImportEvent", d, err)
		return true
	}
	i := &ev{dev: e.dev, truth: e.truth, ipc: true, blocking: e.blocking, imported: true}
	i.elsewhere.Store(true)
	i.open.Store(true)
	i.obj.Store(io)
	for range 1 + w.n(4) {
		w.useImported(i, d)
	}
	i.closeBegan.Store(w.now())
	w.begin(opImport, i, nil)
	err = io.Close()
	w.over(err)
	i.closeEnded.Store(w.now())
	if err != nil {
		w.created("Close of an imported event", d, err)
	}
	runtime.KeepAlive(o)
	return true
}

func (w *worker) useImported(i *ev, d *device) {
	switch w.n(3) {
	case 0:
		if release, ok := i.asks(); ok {
			w.isDoneOf(i)
			release()
		}
	case 1:
		var s sight
		if !w.see(&s, i) {
			return
		}
		l := w.limit()
		w.begin(opWait, i, nil)
		err := s.obj.Wait(l)
		w.over(err)
		w.returned(opWait, l, err)
		s.settle()
		if err == nil {
			w.saidDone(opWait, &s)
		} else if !isContext(err) {
			w.explain(opWait, err, &s)
		}
	case 2:
		s := w.streamOf(d)
		if s == nil || s.dev != d {
			return
		}
		if st := s.share(); st != nil {
			w.begin(opRecord, i, s)
			err := w.record(i, i.obj.Load(), s, st)
			w.over(err)
			s.unshare()
			if err != nil {
				w.explainRecord(opRecord, i, s, err)
			}
		}
	}
}

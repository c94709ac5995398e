package soak

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
)

// Random operations seldom meet at the worst moment. The ones here arrange for it, on streams and
// events that nobody else uses.

// privateStream returns a stream of the worker's own, on a device that can be held up.
func (w *worker) privateStream() (*stream, *event.Stream) {
	d := w.device()
	if d.blocksCaller || !d.caps.Has(event.CapHostFunc) || d.failing.Load() {
		return nil, nil
	}
	if w.private == nil {
		w.private = map[*device]*stream{}
	}
	s := w.private[d]
	if s == nil {
		// Not a blocking one, for the default stream may wait for other workers' gates.
		s = &stream{dev: d, progress: new(progress)}
		o, err := d.dev.NewStream()
		if err != nil {
			w.created("NewStream", d, err)
			return nil, nil
		}
		s.obj.Store(o)
		w.private[d] = s
	}
	return s, s.obj.Load()
}

// crowd records several events at once on a stream that is held up, and puts another gate somewhere
// between them. When the first gate is opened, the channels of those before the second must close.
func (w *worker) crowd() bool {
	s, st := w.privateStream()
	if s == nil || w.Form == Faults {
		return false
	}
	var events []*event.Event
	if w.oneIn(2) {
		_ = natives.Word(st) // from then on a record has more to do before it reaches the driver
	}
	for range 3 + w.n(4) {
		o, err := s.dev.dev.NewEvent()
		if err != nil {
			w.created("NewEvent", s.dev, err)
			break
		}
		defer w.used(o, s.dev)
		events = append(events, o)
	}
	gate := func() (open func(), reached chan struct{}, err error) {
		let, reached := make(chan struct{}), make(chan struct{})
		release := s.dev.holds.begin()
		err = st.HostFunc(func() error { close(reached); <-let; return nil })
		return sync.OnceFunc(func() { close(let); release(w.watch.Load()) }), reached, err
	}
	w.begin(opCrowd, nil, s)
	defer func() { w.over(nil) }()
	first, _, err := gate()
	defer first()
	if err != nil {
		w.created("HostFunc", s.dev, err)
		return true
	}
	var second func()
	var reached chan struct{}
	var all sync.WaitGroup
	start := make(chan struct{})
	after := w.n(len(events) + 2)
	passed := make([]atomic.Bool, len(events)) // by the stream
	for i, o := range events {
		all.Go(func() {
			<-start
			if i >= after {
				runtime.Gosched()
			}
			if err := o.Record(st); err != nil {
				w.created("Record", s.dev, err)
				return
			}
			_ = st.HostFunc(func() error { passed[i].Store(true); return nil })
		})
	}
	all.Go(func() {
		<-start
		var err error
		if second, reached, err = gate(); err != nil {
			w.created("HostFunc", s.dev, err)
		}
	})
	close(start)
	all.Wait()
	defer second()
	var channels []<-chan struct{}
	for _, o := range events {
		channels = append(channels, o.Done())
	}
	stalls, stalling := w.stalled.Load(), w.stalling.Load() > 0
	first()
	if !w.soon(reached) {
		return true
	}
	for i, o := range events { // nobody has asked, which would tell the waiters
		if passed[i].Load() && !w.soon(channels[i]) && w.strict(s.dev) &&
			!stalling && stalls == w.stalled.Load() {
			w.overdueChannel(channels[i], "a channel of Done of %v stays open although its "+
				"stream has come further; another record of the stream is pending", o)
			return true
		}
	}
	if s.dev.asking.TryRLock() { // questions would end a capture
		for i, o := range events {
			done, err := o.IsDone()
			if done && err == nil && w.strict(s.dev) && !w.soon(channels[i]) {
				w.overdueChannel(channels[i], "a channel of Done of %v stays open although "+
					"IsDone says yes; another record of its stream is pending", o)
				break
			}
		}
		s.dev.asking.RUnlock()
	}
	second()
	// A question of the poller may hang, which says nothing of the others; and who asks tells the
	// waiters.
	if !w.soon(w.through(st)) || !s.dev.asking.TryRLock() {
		return true
	}
	defer s.dev.asking.RUnlock()
	for i, c := range channels {
		if _, err := events[i].IsDone(); err != nil {
			continue
		}
		if !w.soon(c) && w.strict(s.dev) {
			w.overdueChannel(c, "a channel of Done of %v stays open after the last gate was opened",
				events[i])
			break
		}
	}
	return true
}

// through is closed when the stream has come to where it is now; never if it fails.
func (w *world) through(st *event.Stream) <-chan struct{} {
	c := make(chan struct{})
	_ = st.HostFunc(func() error { close(c); return nil })
	return c
}

// used closes an event that served one operation.
func (w *worker) used(o *event.Event, d *device) {
	if err := o.Close(); err != nil {
		w.lost.Add(1)
		w.created("Event.Close", d, err)
	}
}

// soonest is how long [world.soon] waits, in turns of the watchdog.
const soonest = int64(time.Second / turn)

// soon reports whether a channel is closed within a time that is long for the package and short for
// the watchdog.
func (w *world) soon(c <-chan struct{}) bool {
	began := w.watch.Load()
	for {
		select {
		case <-c:
			return true
		case <-time.After(turn):
			if w.watch.Load()-began > soonest {
				return false
			}
		}
	}
}

// rejoin records an event through its handle behind a gate while others wait for it: whoever begins
// to wait then must not be given the answer to a question that was asked before.
func (w *worker) rejoin() bool {
	s, st := w.privateStream()
	if s == nil || s.dev.backend == event.Host || w.Form == Faults {
		return false
	}
	o, err := s.dev.dev.NewEvent()
	if err != nil {
		w.created("NewEvent", s.dev, err)
		return false
	}
	defer w.used(o, s.dev)
	h, sh := natives.Word(o), natives.Word(st)
	raw := func() error {
		return s.dev.within(func() error {
			if s.dev.backend == event.CUDA {
				return cudrv.EventRecord(cudrv.Event(h), cudrv.Stream(sh))
			}
			return hip.EventRecord(hip.Event(h), hip.Stream(sh))
		})
	}
	w.begin(opRejoin, nil, s)
	defer func() { w.over(nil) }()
	hold := func() (open func()) {
		open, _ = w.held(s.dev, st)
		return open
	}
	first := hold()
	defer first()
	w.raws("record", s.dev, raw())
	var others sync.WaitGroup
	for range 2 {
		others.Go(func() { _ = o.Wait(context.Background()) })
	}
	// While the record before becomes done, the next goes behind another gate.
	second := hold()
	defer second()
	go first()
	for range w.n(200) {
		runtime.Gosched()
	}
	record := raw
	if w.oneIn(2) {
		record = func() error { return o.Record(st) }
	}
	err = record()
	w.raws("record", s.dev, err)
	for range 3 {
		pause := time.Duration(w.n(60)) * time.Microsecond
		ctx, cancel := context.WithTimeout(context.Background(), pause)
		waited := o.Wait(ctx)
		cancel()
		if waited == nil && err == nil && w.strict(s.dev) {
			w.find("Wait of %v, whose handle was given out, returned nil; "+
				"its record is behind a closed gate", o)
		}
	}
	second()
	others.Wait()
	return true
}

// handOver closes events that are pending while others ask about them. In the place of each it
// records one that is done at once and may get the closed one's handle: whoever comes late must not
// be given that one's answer.
func (w *worker) handOver() bool {
	// Where all host functions have one thread, the gate would hold up everybody's. Several workers
	// at once would keep the processors busy.
	if w.Form == Faults || w.Form == OneThread || !w.handing.TryLock() {
		return false
	}
	defer w.handing.Unlock()
	s, st := w.privateStream()
	if s == nil || !s.dev.asking.TryRLock() { // questions would end a capture
		return false
	}
	defer s.dev.asking.RUnlock()
	free, err := w.newStream(s.dev)
	if err != nil {
		w.created("NewStream", s.dev, err)
		return false
	}
	idle := free.obj.Load()
	defer func() { w.raws("Stream.Close", s.dev, idle.Close()) }()
	w.begin(opHandOver, nil, s)
	defer func() { w.over(nil) }()
	open, ok := w.held(s.dev, st)
	defer open()
	if !ok {
		return true
	}
	var asked atomic.Pointer[event.Event]
	var over atomic.Bool
	var other sync.WaitGroup
	other.Go(func() {
		for !over.Load() { // without a pause, to meet Close
			done, err := asked.Load().IsDone()
			if done && err == nil && !over.Load() && w.strict(s.dev) {
				w.find("IsDone of an event that is behind a closed gate answered done")
				return
			}
		}
	})
	for began := time.Now(); time.Since(began) < 3*time.Millisecond; {
		e, err := st.RecordNew()
		if err != nil {
			w.created("RecordNew", s.dev, err)
			break
		}
		asked.Store(e)
		for range w.n(1000) { // so that Close comes at any moment of a query
			_ = over.Load()
		}
		w.used(e, s.dev)
		if next, err := idle.RecordNew(); err != nil {
			w.created("RecordNew", s.dev, err)
		} else {
			w.used(next, s.dev)
		}
	}
	over.Store(true)
	open() // not after the wait: the driver may take its time for the last query
	other.Wait()
	return true
}

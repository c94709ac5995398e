package event

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/door"
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/poll"
)

// handle is a native event or stream: used by calls, closed by its owner, and destroyed once, when
// nothing uses it any more. A use is two atomic additions and no lock, so that a call which blocks
// delays no other. A handle is never destroyed under a lock, since AMD's driver may wait for work
// then. Nor does that run on a caller's goroutine, except for a Close that returns the driver's
// error.
type handle struct {
	state  atomic.Uint64 // five flags, the number of users, and the number of records
	device *Device       // whose driver destroys it
	native driver.Object
	kind   handleKind
	// list is where the native event may go when the event is closed; nil for no list.
	list *poolList
	// ms is where the driver writes a time, for the user of useAlone.
	ms float32
	// cleanup closes an event's handle if the event is dropped; guarded by the event's mu.
	cleanup runtime.Cleanup

	// on is the stream on which this package last recorded an event. If the driver needs that
	// stream while the event is queried, this counts as a use of the stream. For a wrapper of a
	// stream of this package it is that stream.
	on atomic.Pointer[handle]
	// watchers counts the completions that query an event's last record, or records on a stream.
	watchers atomic.Int32
	traits   atomic.Uint32
	// passed: records of a stream that precede this number should be done, unless the device
	// failed.
	passed atomic.Uint32
	// questions counts the queries in flight about events of a stream that rely on its handle not
	// having been given out.
	questions atomic.Int32
	// failure is a stream's failure; nil if it has not failed.
	failure atomic.Pointer[streamFailure]
	// shadows counts the uses of a stream that are shadows: see Stream.shadow.
	shadows atomic.Int32
	// launches are the kernels that package compute has launched on a stream; nil if none.
	launches atomic.Pointer[door.Launches]
	// others counts the numbers of a stream that no record has. wraps counts the overflows of the
	// numbers, less those of others.
	others atomic.Uint32
	wraps  atomic.Int32
}

type handleKind uint8

const (
	isStream  handleKind = 1 << iota
	isOwned              // this package destroys it
	isDefault            // the device's default stream
	isForeign            // its device is unknown
	isShared             // an event that can be shared with other processes
	isCounted            // an event that counts in Device.Stats
	// Traits of the driver, see traitsOf, copied here for speed.
	bindsEvents // events need the stream that they were recorded on
	hearsAll    // a query of an event ends the capture of its stream
)

// Traits that a handle acquires.
const (
	mayCapture  = 1 << iota // a stream: a capture may have begun on it, or spread to it
	isDrained               // a stream: closed, and its work is done
	isKept                  // an event: part of a graph, and never destroyed
	isGiven                 // an event: others, or a graph, may have its handle
	isReused                // an event from the pool: the driver still has an earlier record of it
	isDiscarded             // a stream: its capture can't be ended
	isHeld                  // a discarded stream: kept until its Close
)

const (
	handleClosed    = 1 << 0 // no new uses
	handleDisposing = 1 << 1 // its destruction is under way
	handleClaimed   = 1 << 2 // it is being destroyed
	handleAlone     = 1 << 3 // a user of useAlone is active
	handleWraps     = 1 << 4 // a wrapper of another stream, whose records are counted there
	handleUser      = 1 << 5
	handleUsers     = handleRecord - handleUser
	handleRecord    = 1 << 32 // in the upper 32 bits; may wrap around
)

// traitsOf returns those traits of a driver that its handles have.
func traitsOf(t driver.Traits) (all handleKind) {
	if t.EventsNeedStream {
		all |= bindsEvents
	}
	if t.StreamHearsQuestions {
		all |= hearsAll
	}
	return all
}

func newHandle(d *Device, o driver.Object, kind handleKind) *handle {
	h := &handle{device: d, native: o, kind: kind | d.traits}
	if h.is(isStream) && h.is(isOwned) && h.is(bindsEvents) {
		d.streams.Store(o.Word, h)
	}
	return h
}

func (h *handle) is(k handleKind) bool  { return h.kind&k != 0 }
func (h *handle) has(trait uint32) bool { return h.traits.Load()&trait != 0 }
func (h *handle) note(trait uint32) {
	if !h.has(trait) {
		h.traits.Or(trait)
	}
}

// use begins a use. It returns false if the handle is closed; then there is nothing to release.
func (h *handle) use() bool {
	if h.state.Add(handleUser)&(handleClosed|handleClaimed) == 0 {
		return true
	}
	h.release()
	return false
}

// pin is use for callers that got the handle while it was open. It returns false only if the handle
// is being destroyed.
func (h *handle) pin() bool {
	if h.state.Add(handleUser)&handleClaimed == 0 {
		return true
	}
	h.release()
	return false
}

// useAlone is use for callers that must not run concurrently. It waits for the current one. End it
// with releaseAlone.
func (h *handle) useAlone() bool {
	for pause := time.Duration(0); ; {
		s := h.state.Load()
		switch {
		case s&(handleClosed|handleClaimed) != 0:
			return false
		case s&handleAlone != 0:
			time.Sleep(pause)
			pause = min(2*pause+time.Microsecond, time.Millisecond)
		case h.state.CompareAndSwap(s, (s|handleAlone)+handleUser):
			return true
		}
	}
}

// tryAlone is useAlone without waiting.
func (h *handle) tryAlone() bool {
	s := h.state.Load()
	return s&(handleClosed|handleClaimed|handleAlone) == 0 &&
		h.state.CompareAndSwap(s, (s|handleAlone)+handleUser)
}

func (h *handle) releaseAlone() {
	if s := h.state.Add(^uint64(handleUser + handleAlone - 1)); s&handleClosed != 0 {
		h.releasedClosed(s)
	}
}

// beginRecord numbers a record. It is use as well, unless the caller uses the stream already. If ok
// is false, the stream is closed and there is nothing to release.
func (h *handle) beginRecord(use bool) (number uint32, ok bool) {
	add := uint64(handleRecord)
	if use {
		add += handleUser
	}
	s := h.state.Add(add)
	if s&handleWraps != 0 { // the stream numbers the records, and no event keeps a wrapper
		h.state.Add(^uint64(handleRecord - 1))
		if s&handleClosed == 0 {
			return h.on.Load().number(), true
		}
	} else if number = uint32(s >> 32); number == 0 {
		h.wraps.Add(1)
	}
	if s&handleClosed == 0 {
		return number, true
	}
	if use {
		h.release()
	}
	return 0, false
}

// wrap makes h, which is new, a wrapper of another stream of this package.
func (h *handle) wrap(root *handle) {
	h.on.Store(root)
	h.state.Store(handleWraps)
}

// notRecorded counts a number that is no record's.
func (h *handle) notRecorded() {
	if h.others.Add(1) == 0 {
		h.wraps.Add(-1)
	}
}

// number returns a number that follows those of all records made on a stream before.
func (h *handle) number() uint32 {
	n := uint32(h.state.Add(handleRecord) >> 32)
	if n == 0 {
		h.wraps.Add(1)
	}
	return n
}

// askNumber is number for a caller that makes no record.
func (h *handle) askNumber() uint32 {
	h.notRecorded()
	return h.number()
}

// advance notes that the stream's records with numbers before n should be done.
func (h *handle) advance(n uint32) {
	if driver.IsPerThread(h.native.Word) { // stands for many streams
		return
	}
	for {
		known := h.passed.Load()
		if int32(n-known) <= 0 || h.passed.CompareAndSwap(known, n) {
			return
		}
	}
}

// hasPassed reports whether a record of a stream that ended with number n should be done.
func (h *handle) hasPassed(n uint32) bool { return int32(n-h.passed.Load()) < 0 }

// records returns the newest number given to a record.
func (h *handle) records() uint32 { return uint32(h.state.Load() >> 32) }

// quiet waits a moment for the handle to be unused, and reports whether it is.
func (h *handle) quiet() bool { return soon(patience, func() bool { return !h.inUse() }) }

// patience is how long a call waits for others that may be held up by a driver call.
const patience = 100 * time.Millisecond

// soon waits for a condition that takes microseconds unless a driver call hangs. It reports whether
// the condition came true in time.
func soon(limit time.Duration, is func() bool) bool {
	for began := time.Now(); !is(); time.Sleep(10 * time.Microsecond) {
		if time.Since(began) > limit {
			return false
		}
	}
	return true
}

// inUse reports whether a call uses the handle or it is pinned.
func (h *handle) inUse() bool { return h.state.Load()&handleUsers != 0 }

// isBusy reports whether a call may be using a closed handle, shadows aside. Shadows are counted
// after their use began, and no longer before it ends, so that they are never taken for less.
func (h *handle) isBusy() bool {
	users := h.state.Load() & handleUsers / handleUser
	return users > uint64(h.shadows.Load())
}

// release ends a use. After the last one a closed handle is destroyed.
func (h *handle) release() {
	if s := h.state.Add(^uint64(handleUser - 1)); s&handleClosed != 0 {
		h.releasedClosed(s)
	}
}

func (h *handle) releasedClosed(s uint64) {
	if h.takeDisposal(s) {
		h.disposeLater(nil)
	}
}

// takeDisposal claims the destruction of a closed handle that nobody uses, and reports whether the
// caller got it. s is the state as last read.
func (h *handle) takeDisposal(s uint64) bool {
	for s&(handleClosed|handleDisposing|handleUsers) == handleClosed {
		if h.state.CompareAndSwap(s, s|handleDisposing) {
			return true
		}
		s = h.state.Load()
	}
	return false
}

func (h *handle) closed() bool { return h.state.Load()&handleClosed != 0 }

// shut forbids new uses. It returns true to the first caller, which must then destroy the handle.
func (h *handle) shut() (first bool) {
	for {
		s := h.state.Load()
		if s&handleClosed != 0 {
			return false
		}
		if h.state.CompareAndSwap(s, s|handleClosed|handleDisposing) {
			return true
		}
	}
}

// claimUnused is shut and a claim in one step, for a handle that can be destroyed at once. Where it
// returns false, nothing has changed.
func (h *handle) claimUnused() bool {
	s := h.state.Load()
	return s&(handleClosed|handleUsers) == 0 && !h.needsIdle() &&
		h.state.CompareAndSwap(s, s|handleClosed|handleDisposing|handleClaimed)
}

// close closes the handle, which is destroyed now or after its last use. If destroying a stream
// would wait for the stream's work, close waits for it. If it would wait for other streams too,
// close does not wait.
func (h *handle) close() error {
	if h.claimUnused() {
		return h.destroy()
	}
	if !h.shut() {
		h.letGo()
		return nil
	}
	if !h.needsIdle() {
		_, err := h.dispose(h.idle)
		return err
	}
	if h.device.info().Traits.StreamsNeedIdleDevice {
		h.disposeLater(nil)
		return nil
	}
	destroyed := make(chan error, 1)
	h.disposeLater(destroyed)
	return <-destroyed
}

// closeAsync is close without waiting; failures go to the error handler.
func (h *handle) closeAsync() {
	if h.shut() {
		h.disposeLater(nil)
	} else {
		h.letGo()
	}
}

// disposal destroys a handle when it is time.
type disposal struct {
	poll.Item
	handle    *handle
	destroyed chan<- error // receives the result; nil if nobody waits
	// mark is an event behind the work of a stream that can't be queried; 0 if there is none.
	mark driver.Object
}

func (h *handle) disposeLater(destroyed chan<- error) {
	d := &disposal{handle: h, destroyed: destroyed}
	d.Task = d
	if h.waitsForDevice() {
		dispatch(lateLane{h.device}, []func(error){func(error) { d.now() }}, nil)
		return
	}
	h.device.driver.Retire(&d.Item)
}

// waitsForDevice reports whether destroying an event that was recorded waits for the device.
func (h *handle) waitsForDevice() bool {
	return h.is(isShared) && h.device.info().Traits.SharedNeedIdle
}

// lateLane is the lane in which handles are destroyed whose destruction waits for a device. One
// goroutine destroys them in turn, so that they block only one thread.
type lateLane struct{ device *Device }

// destroysLate reports whether the device has handles in its late lane.
func (d *Device) destroysLate() bool {
	dispatcher.Lock()
	defer dispatcher.Unlock()
	_, busy := dispatcher.lanes[lateLane{d}]
	return busy
}

// retiring reports whether the device has handles waiting to be destroyed.
func (d *Device) retiring() bool {
	b, ok := d.driver.(interface{ Retiring() bool })
	return d.destroysLate() || ok && b.Retiring()
}

// now destroys an event, however long it takes.
func (d *disposal) now() {
	d.handle.device.driver.Relaxed(func() {
		_, err := d.Query()
		d.End(err)
	})
}

// Query destroys the handle unless it is too early.
func (d *disposal) Query() (bool, error) { return d.handle.dispose(d.idle) }

// idle is handle.idle. Some releases of ROCm refuse the query of a stream while another thread
// captures: then it queries an event.
// fact: amd-relaxed-threads-heed
func (d *disposal) idle() (idle bool, err error) {
	h := d.handle
	if d.mark == (driver.Object{}) {
		if idle, err = h.idle(); !errors.Is(err, driver.ErrCapturing) {
			return idle, err
		}
		if d.mark, err = h.device.driver.CreateEvent(driver.EventFlags{}); err != nil {
			return true, err
		}
		err = h.device.driver.Record(d.mark, h.native, false)
	}
	if err == nil {
		idle, err = h.device.driver.QueryEvent(d.mark)
	}
	if !idle && err == nil {
		return false, nil
	}
	if err == nil {
		h.note(isDrained)
	}
	return true, joinLater(err, h.device.driver.DestroyEvent(d.mark))
}

// End passes the result on.
func (d *disposal) End(err error) {
	switch {
	case d.destroyed != nil:
		d.destroyed <- err
	case err != nil && !d.handle.device.gone(): // if gone, there is nothing left to destroy
		reportLate(fmt.Errorf("destroy %v: %w", d.handle, err))
	}
}

// dispose destroys the handle unless it is too early. If the handle is in use, dispose leaves that
// to the last user and returns true. isIdle queries a stream that must be idle.
func (h *handle) dispose(isIdle func() (bool, error)) (over bool, err error) {
	if h.needsIdle() {
		var idle bool
		switch idle, err = isIdle(); {
		case err != nil:
		case !idle:
			return false, nil
		}
	}
	for {
		s := h.state.Load()
		if s&handleUsers != 0 {
			if h.state.CompareAndSwap(s, s&^handleDisposing) {
				return true, err
			}
		} else if h.state.CompareAndSwap(s, s|handleClaimed) {
			return true, joinLater(err, h.destroy())
		}
	}
}

// needsIdle reports whether a stream must be idle before it is destroyed.
func (h *handle) needsIdle() bool {
	return h.is(isStream) && h.is(isOwned) && h.device.info().Traits.StreamsNeedIdle &&
		!h.has(isDrained) && !h.device.gone()
}

// idle reports whether a closed stream can be destroyed without waiting for work. A stream that is
// being captured can't be queried and counts as idle.
func (h *handle) idle() (idle bool, err error) {
	if h.has(mayCapture) {
		if capturing, err := h.device.driver.Capturing(h.native); capturing {
			return true, nil
		} else if err != nil {
			return true, err
		}
	}
	known := true
	if h.device.info().Traits.StreamsNeedIdleDevice {
		idle, known = h.device.allIdle()
	} else {
		idle, err = h.device.driver.QueryStream(h.native)
	}
	if idle && known && err == nil {
		h.note(isDrained)
	}
	return idle, err
}

// allIdle reports whether all streams of this package on the device are idle, including the default
// stream. A stream that can't be queried counts as idle, but then known is false.
func (d *Device) allIdle() (idle, known bool) {
	idle, known = true, true
	ask := func(stream driver.Object) {
		done, err := d.driver.QueryStream(stream)
		idle, known = done || err != nil, known && err == nil
	}
	ask(d.driver.DefaultStream())
	d.streams.Range(func(_, stream any) bool {
		if s := stream.(*handle); idle && s.pin() {
			ask(s.native)
			s.release()
		}
		return idle
	})
	return idle, known
}

func (h *handle) destroy() (err error) {
	owned := h.is(isOwned) && !h.has(isKept) && !h.device.gone()
	if h.is(isStream) {
		h.device.roster.drop(h)
	}
	switch {
	case h.is(isStream) && owned:
		h.device.streams.CompareAndDelete(h.native.Word, h)
		err = h.device.driver.DestroyStream(h.native)
		if h.has(isDiscarded) { // which waited for its work
			h.note(isDrained)
		}
		return err
	case h.is(isStream):
		if h.has(isDiscarded) { // nothing else can be known of its work
			h.note(isDrained)
		}
		return nil
	case owned && (!h.mayReuse() || !h.device.put(h.native, h.list)):
		err = h.device.driver.DestroyEvent(h.native)
	}
	if h.is(isCounted) {
		h.device.counts.events.Add(-1)
	}
	return joinLater(err, h.leaveStream())
}

// mayReuse reports whether another event may get the native event.
func (h *handle) mayReuse() bool { return h.list != nil && !h.has(isGiven) }

// leaveStream ends an event's use of the stream that it was recorded on, and destroys the stream if
// that was the last use.
func (h *handle) leaveStream() error {
	if s := h.on.Load(); s != nil && h.needsStream() {
		return s.leave()
	}
	return nil
}

// leave ends an event's use of a stream, and destroys the stream if that was the last use.
func (s *handle) leave() error {
	if !s.takeDisposal(s.state.Add(^uint64(handleUser - 1))) {
		return nil
	}
	if s.needsIdle() {
		s.disposeLater(nil)
		return nil
	}
	_, err := s.dispose(s.idle)
	return err
}

func (h *handle) needsStream() bool { return h.is(bindsEvents) }

// drained reports whether the stream that an event was recorded on is closed and idle.
func (h *handle) drained() bool {
	s := h.on.Load()
	return s != nil && s.has(isDrained)
}

// root returns the handle that owns the native stream: for a wrapper of a stream of this package,
// that stream's handle.
func (h *handle) root() *handle {
	if h.is(isStream) {
		if r := h.on.Load(); r != nil {
			return r
		}
	}
	return h
}

// askUnlessGiven queries an event directly, unless that could end a capture.
func (h *handle) askUnlessGiven() (done, asked bool, err error) {
	if h.is(hearsAll) {
		if s := h.on.Load(); s != nil {
			return h.askBeforeGiven(s)
		}
	}
	done, err = h.device.driver.QueryEvent(h.native)
	return done, true, err
}

// askBeforeGiven queries an event, unless the handle of the stream it was recorded on was given
// out. givenOut waits for a query in flight.
func (h *handle) askBeforeGiven(s *handle) (done, asked bool, err error) {
	s.questions.Add(1) // no defer, for speed
	if asked = !s.has(mayCapture); asked {
		done, err = h.device.driver.QueryEvent(h.native)
	}
	s.questions.Add(-1)
	return done, asked, err
}

// givenOut notes that a stream's handle was given out, and waits for the queries in flight that
// rely on the contrary.
func (h *handle) givenOut() {
	if h.has(mayCapture) {
		return
	}
	h.note(mayCapture)
	// Longer, since the query would end a capture that may begin now.
	soon(10*patience, func() bool { return h.questions.Load() == 0 })
}

// askAside queries an event through a new relay. The caller uses the event.
func (h *handle) askAside() (bool, error) {
	if h.hasNoRelay() {
		return h.askItself()
	}
	r, err := h.device.newRelay(h)
	if r == nil {
		return err == nil, err
	}
	done, err := h.device.driver.QueryEvent(r.event.native)
	r.giveBack(done)
	return done, err
}

// onGiven reports whether the stream of an event may be being captured.
func (h *handle) onGiven() bool {
	s := h.on.Load()
	return s != nil && s.has(mayCapture)
}

// refuseInCapture returns an error if the stream of an event is being captured, so that the event
// must not be queried.
func (h *handle) refuseInCapture() error {
	s := h.on.Load()
	if s == nil || !s.has(mayCapture) {
		return nil
	}
	capturing, err := h.device.driver.Capturing(s.native)
	if capturing {
		err = driver.ErrCapturing
	}
	return err
}

// id returns the number in the handle's name: the native word on a GPU, an address on the host.
func (h *handle) id() uintptr {
	if h.native.Host != nil {
		return uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&h.native.Host))[1])
	}
	return h.native.Word
}

// String returns "cuda:0 event 0x…", "cuda:0 stream default"; the device is "cuda:?" if it is
// unknown.
func (h *handle) String() string {
	label := h.device.label()
	if h.is(isForeign) {
		label = unknownDevice(h.device)
	}
	switch {
	case h.is(isDefault):
		return label + " stream default"
	case h.is(isStream):
		return fmt.Sprintf("%s stream %#x", label, h.id())
	}
	return eventName(label, h.id())
}

func eventName(label string, id uintptr) string { return fmt.Sprintf("%s event %#x", label, id) }

// unknownDevice returns the name used for an unknown device of a backend.
func unknownDevice(home *Device) string { return string(home.Backend()) + ":?" }

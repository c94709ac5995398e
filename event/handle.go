package event

import (
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gpuevent/gpuevent/event/internal/driver"
	"github.com/gpuevent/gpuevent/event/internal/poll"
)

// handle is a native event or stream: used by calls, closed by its owner, destroyed once, when
// nothing uses it any more. A use is two atomic additions and no lock, so that a call which blocks
// keeps no other out. A handle is never destroyed under a lock, and on nobody's goroutine but that
// of the Close which returns the driver's error: AMD's driver may wait for work meanwhile.
type handle struct {
	state  atomic.Uint64 // four bits, the number of users, and how often it was used for records
	device *Device       // whose driver destroys it
	native driver.Object
	kind   handleKind
	// spareKind says among which spares an event may come at its end; 0 for none.
	spareKind uint8

	// on is the stream that an event was last recorded on by this package. Where the driver needs
	// the stream as long as the event is asked for, it counts as a use of the stream. For the
	// wrapper of a stream of this package it is that stream.
	on atomic.Pointer[handle]
	// watchers counts the completions that ask for the last record of an event, or for records on a
	// stream.
	watchers atomic.Int32
	traits   atomic.Uint32
	// passed: records of a stream that precede this number should be done, unless the device
	// failed.
	passed atomic.Uint32
	// questions counts those under way about events of a stream that rely on its handle being ours.
	questions atomic.Int32
	// failure is how a stream has failed; nil if it has not.
	failure atomic.Pointer[streamFailure]
}

type handleKind uint8

const (
	isStream  handleKind = 1 << iota
	isOwned              // ours to destroy
	isDefault            // the device's default stream
	isForeign            // its device is not known
	isSpare              // an event that was used before: the driver knows of an earlier record
	isShared             // an event that other processes can have
	// What its driver is like, so that calls need not look far for it.
	bindsEvents // events need the stream that they were recorded on
	hearsAll    // a question about an event ends the capture of its stream
)

// What becomes known of a handle.
const (
	mayCapture = 1 << iota // a stream: a capture may have begun on it, or spread to it
	isDrained              // a stream: closed, and its work is done
	isKept                 // an event: part of a graph, and never destroyed
	isGiven                // an event: others may know its handle, or a graph does
)

const (
	handleClosed    = 1 << 0 // no new uses
	handleDisposing = 1 << 1 // somebody sees to its destruction
	handleClaimed   = 1 << 2 // it is being destroyed
	handleAlone     = 1 << 3 // one of the users wants no other of its kind beside it
	handleUser      = 1 << 4
	handleUsers     = handleRecord - handleUser
	handleRecord    = 1 << 32 // counts up to the top, and may wrap around
)

func newHandle(d *Device, o driver.Object, kind handleKind) *handle {
	t := d.info().Traits
	if t.EventsNeedStream {
		kind |= bindsEvents
	}
	if t.StreamHearsQuestions {
		kind |= hearsAll
	}
	h := &handle{device: d, native: o, kind: kind}
	if h.is(isStream) && h.is(isOwned) && t.EventsNeedStream {
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

// use begins a use; false means closed, and there is nothing to release.
func (h *handle) use() bool {
	return h.state.Add(handleUser)&(handleClosed|handleClaimed) == 0 || h.takeBack()
}

// pin is use for those who were given the handle while it was open: it is false only if the handle
// is being destroyed.
func (h *handle) pin() bool { return h.state.Add(handleUser)&handleClaimed == 0 || h.takeBack() }

// takeBack ends a use that came too late.
func (h *handle) takeBack() bool {
	h.release()
	return false
}

// useAlone is use for those who must not run beside each other: it waits for the one before.
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

func (h *handle) releaseAlone() {
	if s := h.state.Add(^uint64(handleUser + handleAlone - 1)); s&handleClosed != 0 {
		h.releasedClosed(s)
	}
}

// useForRecord is use, and numbers the record.
func (h *handle) useForRecord() (number uint32, ok bool) {
	if r := h.on.Load(); r != nil { // a wrapper, whose stream numbers the records
		return r.number(), h.use()
	}
	s := h.state.Add(handleUser + handleRecord)
	if s&handleClosed != 0 {
		h.release()
		return 0, false
	}
	return uint32(s >> 32), true
}

// number returns a number that follows those of all records made on a stream before.
func (h *handle) number() uint32 { return uint32(h.state.Add(handleRecord) >> 32) }

// advance notes that the records of a stream which precede number n should be done.
func (h *handle) advance(n uint32) {
	if driver.IsPerThread(h.native.Word) { // which is many streams
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

// records is the newest number given to a record.
func (h *handle) records() uint32 { return uint32(h.state.Load() >> 32) }

// quiet waits until nobody uses the handle, and reports whether that came soon.
func (h *handle) quiet() bool { return soon(patience, func() bool { return !h.inUse() }) }

// patience is how long calls wait for others that a driver call may hold up.
const patience = 100 * time.Millisecond

// soon waits for what is a matter of microseconds unless a driver call hangs, and reports whether it
// came.
func soon(patience time.Duration, is func() bool) bool {
	for began := time.Now(); !is(); time.Sleep(10 * time.Microsecond) {
		if time.Since(began) > patience {
			return false
		}
	}
	return true
}

// inUse reports whether a call uses the handle, or somebody has pinned it.
func (h *handle) inUse() bool { return h.state.Load()&handleUsers != 0 }

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

// takeDisposal makes the caller the one who sees to the destruction of a closed handle that nobody
// uses, in state s at last sight.
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

// shut forbids new uses and makes the first caller the one who sees to the destruction.
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

// close gives the handle up. It is destroyed now, or after its last use. Where destroying a stream
// waits for its work, so does close; but not for the work of others.
func (h *handle) close() error {
	if !h.shut() {
		return nil
	}
	if !h.needsIdle() {
		_, err := h.dispose()
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

// closeAsync is close for those who don't wait: failures go to the error handler.
func (h *handle) closeAsync() {
	if h.shut() {
		h.disposeLater(nil)
	}
}

// disposal sees to the destruction of a handle.
type disposal struct {
	poll.Item
	handle    *handle
	destroyed chan<- error // nil if nobody waits
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

// lateLane is where what waits for a device is destroyed, one after the other: each would hold up a
// thread that others need.
type lateLane struct{ device *Device }

// now destroys an event, however long that takes.
func (d *disposal) now() {
	d.handle.device.driver.Relaxed(func() {
		_, err := d.Query()
		d.End(err)
	})
}

// Query destroys the handle if it is time.
func (d *disposal) Query() (bool, error) { return d.handle.dispose() }

// End hands on what became of it.
func (d *disposal) End(err error) {
	switch {
	case d.destroyed != nil:
		d.destroyed <- err
	case err != nil && !d.handle.device.gone(): // else there is nothing left to destroy
		reportLate(fmt.Errorf("destroy %v: %w", d.handle, err))
	}
}

// dispose destroys the handle unless it is too early. It is over too where somebody uses the
// handle: the last user sees to it then.
func (h *handle) dispose() (over bool, err error) {
	if h.needsIdle() {
		var idle bool
		switch idle, err = h.idle(); {
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

// needsIdle reports whether a stream's work has to be done before the stream is destroyed.
func (h *handle) needsIdle() bool {
	return h.is(isStream) && h.is(isOwned) && h.device.info().Traits.StreamsNeedIdle &&
		!h.has(isDrained) && !h.device.gone()
}

// idle reports whether a closed stream may be destroyed without waiting for its work. A stream that
// is being captured can't be asked.
func (h *handle) idle() (idle bool, err error) {
	if h.has(mayCapture) {
		if capturing, err := h.device.driver.Capturing(h.native); capturing || err != nil {
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

// allIdle reports whether all streams of this package on the device are idle, the default stream
// among them. One that can't be asked counts as idle, for nothing better can be known, but then the
// answer is none.
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
	switch {
	case h.is(isStream) && owned:
		h.device.streams.CompareAndDelete(h.native.Word, h)
		return h.device.driver.DestroyStream(h.native)
	case h.is(isStream):
		return nil
	case owned && !h.spare():
		err = h.device.driver.DestroyEvent(h.native)
	}
	return joinLater(err, h.leaveStream())
}

// leaveStream gives up the stream that an event was recorded on, which may be waiting for that to
// be destroyed.
func (h *handle) leaveStream() error {
	s := h.on.Load()
	if s == nil || !h.needsStream() {
		return nil
	}
	if !s.takeDisposal(s.state.Add(^uint64(handleUser - 1))) {
		return nil
	}
	if s.needsIdle() {
		s.disposeLater(nil)
		return nil
	}
	_, err := s.dispose()
	return err
}

func (h *handle) needsStream() bool { return h.is(bindsEvents) }

// drained reports whether the stream that an event was recorded on is closed and has done its work.
func (h *handle) drained() bool {
	s := h.on.Load()
	return s != nil && s.has(isDrained)
}

// root is the stream that is used by whoever uses this one: a wrapped stream of this package's is
// the same native one.
func (h *handle) root() *handle {
	if h.is(isStream) {
		if r := h.on.Load(); r != nil {
			return r
		}
	}
	return h
}

// askUnlessGiven asks for an event directly, unless that could end a capture.
func (h *handle) askUnlessGiven() (done, asked bool, err error) {
	if h.is(hearsAll) {
		if s := h.on.Load(); s != nil {
			return h.askBeforeGiven(s)
		}
	}
	done, err = h.device.driver.QueryEvent(h.native)
	return done, true, err
}

// askBeforeGiven asks for an event unless the handle of the stream that it was recorded on was
// given out, which may happen at any moment, and waits for the question.
func (h *handle) askBeforeGiven(s *handle) (done, asked bool, err error) {
	s.questions.Add(1)
	defer s.questions.Add(-1)
	if s.has(mayCapture) {
		return false, false, nil
	}
	done, err = h.device.driver.QueryEvent(h.native)
	return done, true, err
}

// givenOut notes that others have a stream's handle, and waits until no question is under way that
// relies on the contrary.
func (h *handle) givenOut() {
	if h.has(mayCapture) {
		return
	}
	h.note(mayCapture)
	// Longer, for the question would end the capture that may begin now.
	soon(10*patience, func() bool { return h.questions.Load() == 0 })
}

// askAside asks for an event by way of a relay of its own. The caller uses the event.
func (h *handle) askAside() (bool, error) {
	r, err := h.device.newRelay(h)
	if r == nil {
		return err == nil, err
	}
	done, err := h.device.driver.QueryEvent(r.event.native)
	r.giveBack(done)
	return done, err
}

// refuseInCapture refuses a question about an event whose stream is being captured.
func (h *handle) refuseInCapture() error {
	s := h.on.Load()
	if s == nil || !s.has(mayCapture) {
		return nil
	}
	capturing, err := h.device.driver.Capturing(s.native)
	if err == nil && capturing {
		err = driver.ErrCapturing
	}
	return err
}

// id tells handles apart in names: the word of a GPU's, the address of a host's.
func (h *handle) id() uintptr {
	if h.native.Host != nil {
		return uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&h.native.Host))[1])
	}
	return h.native.Word
}

// String returns "cuda:0 event 0x…", "cuda:0 stream default"; the device is "cuda:?" if it is not
// known.
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

// unknownDevice stands for the device of an event of which only the backend is known.
func unknownDevice(home *Device) string { return string(home.Backend()) + ":?" }

package event

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/internal/door"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// nativeStream is a stream of a driver: one that this package owns, or a wrapper of one that it
// does not own. It is never destroyed under a lock, nor on a goroutine of the user, since AMD's
// driver may wait for work then. Only Close does so, which returns the driver's error.
type nativeStream struct {
	uses
	device    *Device // whose driver destroys it
	object    driver.Object
	owned     bool // this package destroys it
	isDefault bool // the device's default stream
	// wraps is the stream of this package that a wrapper stands for; nil if there is none. What
	// follows is that stream's, and unused in the wrapper.
	wraps *nativeStream

	traits  atomic.Uint32
	numbers atomic.Uint64 // the newest number given out; 32 bits of it are used for order
	records atomic.Uint64 // made on the stream
	// passed: records that precede this number should be done, unless the device failed.
	passed   atomic.Uint32
	watchers atomic.Int32 // completions that query records on the stream
	// queries counts the queries in flight about events of the stream that rely on the stream not
	// having been exported.
	queries atomic.Int32
	// keepalives counts the uses that are keepalives: see Stream.keepalive.
	keepalives atomic.Int32
	failure    atomic.Pointer[streamFailure] // nil if it has not failed
	// launches are the kernels that package compute has launched on the stream; nil if none.
	launches atomic.Pointer[door.Launches]
}

// Traits that a stream acquires.
const (
	mayCapture  = 1 << iota // a capture may have begun on it, or spread to it
	isDrained               // closed, and its work is done
	isDiscarded             // its capture can't be ended
	isHeld                  // discarded, and kept until its Close
)

func newNativeStream(d *Device, o driver.Object, owned bool) *nativeStream {
	s := &nativeStream{device: d, object: o, owned: owned}
	if owned && d.about.Traits.EventsNeedStream {
		d.streams.Store(o.Word, s)
	}
	return s
}

func (s *nativeStream) has(trait uint32) bool { return s.traits.Load()&trait != 0 }

func (s *nativeStream) note(trait uint32) {
	if !s.has(trait) {
		s.traits.Or(trait)
	}
}

// root returns the stream that owns the driver's stream: for a wrapper of a stream of this package,
// that stream.
func (s *nativeStream) root() *nativeStream {
	if s.wraps != nil {
		return s.wraps
	}
	return s
}

// release ends a use. After the last one a closed stream is destroyed.
func (s *nativeStream) release() {
	if s.drop() {
		s.disposeLater(nil)
	}
}

// number returns a number that follows those of all records made on the stream before.
func (s *nativeStream) number() uint32 { return uint32(s.root().numbers.Add(1)) }

// newest returns the newest number given out.
func (s *nativeStream) newest() uint32 { return uint32(s.numbers.Load()) }

// advance notes that the stream's records with numbers before n should be done.
func (s *nativeStream) advance(n uint32) {
	if driver.IsPerThread(s.object.Word) { // stands for many streams
		return
	}
	for {
		known := s.passed.Load()
		if int32(n-known) <= 0 || s.passed.CompareAndSwap(known, n) {
			return
		}
	}
}

// hasPassed reports whether a record that ended with number n should be done.
func (s *nativeStream) hasPassed(n uint32) bool { return int32(n-s.passed.Load()) < 0 }

// export notes that the stream's handle was given to code outside of this package, which may begin
// a capture. It waits for the queries in flight that rely on the contrary.
func (s *nativeStream) export() {
	if s.has(mayCapture) {
		return
	}
	s.note(mayCapture)
	// Longer, since the query would end a capture that may begin now.
	soon(10*patience, func() bool { return s.queries.Load() == 0 })
}

// isBusy reports whether a call may be using a closed stream, keepalives aside. Keepalives are
// counted after their use began, and no longer before it ends, so that they are never taken for
// less.
func (s *nativeStream) isBusy() bool { return s.count() > s.keepalives.Load() }

// close closes the stream, which is destroyed now or after its last use. If destroying it would
// wait for its work, close waits for it. If it would wait for other streams too, close does not
// wait.
func (s *nativeStream) close() error {
	switch {
	case !s.shut():
		s.letGo()
		return nil
	case !s.needsIdle():
		_, err := s.dispose(&disposal{})
		return err
	case s.device.info().Traits.StreamsNeedIdleDevice:
		s.disposeLater(nil)
		return nil
	}
	destroyed := make(chan error, 1)
	s.disposeLater(destroyed)
	return <-destroyed
}

// closeAsync is close without waiting; failures go to the error handler.
func (s *nativeStream) closeAsync() {
	if s.shut() {
		s.disposeLater(nil)
	} else {
		s.letGo()
	}
}

// dropped closes the native stream of a stream that the garbage collector has found, and counts it
// unless the stream was closed.
func (s *nativeStream) dropped() {
	if !s.closed() {
		s.device.counts.leaks.Add(1)
	}
	s.closeAsync()
}

// letGo ends the use that keeps a discarded stream, once.
func (s *nativeStream) letGo() {
	if s.traits.And(^uint32(isHeld))&isHeld != 0 {
		s.release()
	}
}

func (s *nativeStream) disposeLater(destroyed chan<- error) {
	d := &disposal{object: s, device: s.device, destroyed: destroyed}
	d.Task = d
	s.device.driver.Retire(&d.Item)
}

// dispose destroys the stream unless it is too early or the stream is in use.
func (s *nativeStream) dispose(d *disposal) (over bool, err error) {
	if s.needsIdle() {
		idle := false
		if idle, err = d.idle(s); !idle && err == nil {
			return false, nil
		}
	}
	if s.claim() {
		err = joinLater(err, s.destroy())
	}
	return true, err
}

func (s *nativeStream) destroy() (err error) {
	s.device.roster.drop(s)
	if s.owned && !s.device.gone() {
		s.device.streams.CompareAndDelete(s.object.Word, s)
		err = s.device.driver.DestroyStream(s.object)
	}
	if s.has(isDiscarded) { // destroying it waited for its work, or nothing else can be known of it
		s.note(isDrained)
	}
	return err
}

// leave ends an event's use of the stream, and destroys the stream if that was the last use.
func (s *nativeStream) leave() error {
	if !s.drop() {
		return nil
	}
	if s.needsIdle() {
		s.disposeLater(nil)
		return nil
	}
	_, err := s.dispose(&disposal{})
	return err
}

// needsIdle reports whether the stream must be idle before it is destroyed.
func (s *nativeStream) needsIdle() bool {
	return s.owned && s.device.info().Traits.StreamsNeedIdle && !s.has(isDrained) &&
		!s.device.gone()
}

// idle reports whether a closed stream can be destroyed without waiting for work. A stream that is
// being captured can't be queried and counts as idle.
func (s *nativeStream) idle() (idle bool, err error) {
	if s.has(mayCapture) {
		capturing, err := s.device.driver.Capturing(s.object)
		if capturing {
			return true, nil
		}
		if err != nil {
			return true, err
		}
	}
	known := true
	if s.device.info().Traits.StreamsNeedIdleDevice {
		idle, known = s.device.allIdle()
	} else {
		idle, err = s.device.driver.QueryStream(s.object)
	}
	if idle && known && err == nil {
		s.note(isDrained)
	}
	return idle, err
}

// idle is s.idle. Some releases of ROCm refuse the query of a stream while another thread captures:
// then it queries an event.
// fact: amd-relaxed-threads-heed
func (d *disposal) idle(s *nativeStream) (idle bool, err error) {
	drv := s.device.driver
	if d.marker == (driver.Object{}) {
		if idle, err = s.idle(); !errors.Is(err, driver.ErrCapturing) {
			return idle, err
		}
		if d.marker, err = drv.CreateEvent(driver.EventFlags{}); err != nil {
			return true, err
		}
		err = drv.Record(d.marker, s.object, false)
	}
	if err == nil {
		idle, err = drv.QueryEvent(d.marker)
	}
	if !idle && err == nil {
		return false, nil
	}
	if err == nil {
		s.note(isDrained)
	}
	return true, joinLater(err, drv.DestroyEvent(d.marker))
}

// String returns "cuda:0 stream 0x…" or "cuda:0 stream default".
func (s *nativeStream) String() string {
	if s.isDefault {
		return s.device.label() + " stream default"
	}
	return fmt.Sprintf("%s stream %#x", s.device.label(), idOf(s.object))
}

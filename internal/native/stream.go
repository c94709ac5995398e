package native

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/internal/driver"
)

// Stream is a stream of a driver: one that this package owns, or a wrapper of one that it
// does not own. It is never destroyed under a lock, nor on a goroutine of the user, since AMD's
// driver may wait for work then. Only Close does so, which returns the driver's error.
type Stream struct {
	uses
	Device    *Device // whose driver destroys it
	Object    driver.Object
	Owned     bool // this package destroys it
	IsDefault bool // the device's default stream
	// wraps is the stream of this package that a wrapper stands for; nil if there is none. What
	// follows is that stream's, and unused in the wrapper.
	wraps *Stream

	traits  atomic.Uint32
	Numbers atomic.Uint64 // the newest number given out; 32 bits of it are used for order
	Records atomic.Uint64 // made on the stream
	// passed: records that precede this number should be done, unless the device failed.
	passed   atomic.Uint32
	Watchers atomic.Int32 // completions that query records on the stream
	// queries counts the queries in flight about events of the stream that rely on the stream not
	// having been exported.
	queries atomic.Int32
	// keepalives counts the uses that are keepalives: see Keepalive.
	keepalives atomic.Int32
	failure    atomic.Pointer[streamFailure] // nil if it has not failed
	// launches are the kernels that package compute has launched on the stream; nil if none.
	launches atomic.Pointer[launches]
}

// Traits that a stream acquires.
const (
	MayCapture = 1 << iota // a capture may have begun on it, or spread to it
	Drained                // closed, and its work is done
	Discarded              // its capture can't be ended
	isHeld                 // discarded, and kept until its owner closes it
)

// CreateStream creates a stream that this package owns.
func (d *Device) CreateStream(nonBlocking bool, priority int) (*Stream, error) {
	o, err := d.Driver.CreateStream(nonBlocking, priority)
	if err != nil {
		return nil, err
	}
	s := newStream(d, o, true)
	d.roster.add(s)
	return s, nil
}

// DefaultStream returns a new object for the device's default stream.
func (d *Device) DefaultStream() *Stream {
	s := newStream(d, d.Driver.DefaultStream(), false)
	s.IsDefault = true
	d.roster.add(s)
	return s
}

// WrapStream wraps a stream that was created elsewhere, or is one of this package.
func (d *Device) WrapStream(o driver.Object) *Stream {
	s := newStream(d, o, false)
	if own, ok := d.streams.Load(o.Word); ok {
		s.wraps = own.(*Stream)
	}
	d.roster.add(s)
	return s
}

// Keepalive returns a wrapper of the stream, which stays open when the stream is closed. It returns
// nil if the stream is closed. End it with DropKeepalive.
func (s *Stream) Keepalive() *Stream {
	root := s.Root()
	if !root.Retain() {
		return nil
	}
	root.keepalives.Add(1)
	k := newStream(s.Device, root.Object, false)
	k.wraps = root
	k.Note(MayCapture) // the stream's handle may be exported later
	return k
}

// DropKeepalive ends a keepalive. If the stream was closed, it is destroyed after its last one. It
// does nothing for a default stream, which is never closed.
func (s *Stream) DropKeepalive() {
	if s.IsDefault {
		return
	}
	s.CloseAsync()
	s.wraps.keepalives.Add(-1)
	s.wraps.Release()
}

func newStream(d *Device, o driver.Object, owned bool) *Stream {
	s := &Stream{Device: d, Object: o, Owned: owned}
	if owned && d.Info.Traits.EventsNeedStream {
		d.streams.Store(o.Word, s)
	}
	return s
}

// Has reports whether the stream has a trait.
func (s *Stream) Has(trait uint32) bool { return s.traits.Load()&trait != 0 }

// Note adds a trait.
func (s *Stream) Note(trait uint32) {
	if !s.Has(trait) {
		s.traits.Or(trait)
	}
}

// Root returns the stream that owns the driver's stream: for a wrapper of a stream of this package,
// that stream.
func (s *Stream) Root() *Stream {
	if s.wraps != nil {
		return s.wraps
	}
	return s
}

// Release ends a use. After the last one a closed stream is destroyed.
func (s *Stream) Release() {
	if s.drop() {
		s.disposeLater(nil)
	}
}

// Number returns a number that follows those of all records made on the stream before.
func (s *Stream) Number() uint32 { return uint32(s.Root().Numbers.Add(1)) }

// Newest returns the newest number given out.
func (s *Stream) Newest() uint32 { return uint32(s.Numbers.Load()) }

// Advance notes that the stream's records with numbers before n should be done.
func (s *Stream) Advance(n uint32) {
	if driver.IsPerThread(s.Object.Word) { // stands for many streams
		return
	}
	for {
		known := s.passed.Load()
		if int32(n-known) <= 0 || s.passed.CompareAndSwap(known, n) {
			return
		}
	}
}

// HasPassed reports whether a record that ended with number n should be done.
func (s *Stream) HasPassed(n uint32) bool { return int32(n-s.passed.Load()) < 0 }

// Export notes that the stream's handle is given to code that may begin a capture. It waits for the
// queries in flight that rely on the contrary. A capture can begin on a stream only after Export,
// and can spread to it only by a wait for a captured event. Until one of these has happened, a
// record need not query for captures.
func (s *Stream) Export() {
	if s.cantBeCaptured() {
		return
	}
	if s.Owned && s.Object.Host == nil && !s.Has(MayCapture) {
		s.Device.streams.Store(s.Object.Word, s) // WrapStream looks it up
	}
	root := s.Root()
	if !root.Has(MayCapture) {
		root.Note(MayCapture)
		// Longer, since the query would end a capture that may begin now.
		Soon(10*Patience, func() bool { return root.queries.Load() == 0 })
	}
	s.Note(MayCapture)
}

// cantBeCaptured reports whether this is a legacy default stream, or the host's.
func (s *Stream) cantBeCaptured() bool {
	if s.Device.Info.Backend == "host" {
		return s.IsDefault
	}
	return driver.IsDefaultStream(s.Object.Word)
}

// ClosedRefusal returns why a closed stream refuses calls.
func (s *Stream) ClosedRefusal() *driver.Refusal {
	if s.Has(isHeld) {
		return DiscardedRefusal
	}
	return &driver.Refusal{Cause: driver.ErrClosed, Detail: "create a new stream"}
}

// DiscardedRefusal is why a discarded stream refuses calls.
var DiscardedRefusal = &driver.Refusal{Cause: driver.ErrCaptureFailed,
	Detail: "this release of ROCm can't end the capture; close the stream and create a new one"}

// HasEnded reports whether the stream is closed or dropped, and no call that began before is still
// using it. Nothing will be enqueued on it any more, except on its keepalives.
func (s *Stream) HasEnded() bool { return s.Closed() && !s.IsBusy() }

// IsBusy reports whether a call may be using a closed stream, keepalives aside. keepalives are
// counted after their use began, and no longer before it ends, so that they are never taken for
// less.
func (s *Stream) IsBusy() bool { return s.count() > s.keepalives.Load() }

// Close closes the stream, which is destroyed now or after its last use. If destroying it would
// wait for its work, close waits for it. If it would wait for other streams too, close does not
// wait.
func (s *Stream) Close() error {
	switch {
	case !s.shut():
		s.letGo()
		return nil
	case !s.needsIdle():
		_, err := s.dispose(&disposal{})
		return err
	case s.Device.Info.Traits.StreamsNeedIdleDevice:
		s.disposeLater(nil)
		return nil
	}
	destroyed := make(chan error, 1)
	s.disposeLater(destroyed)
	return <-destroyed
}

// CloseAsync is close without waiting; failures go to the error handler.
func (s *Stream) CloseAsync() {
	if s.shut() {
		s.disposeLater(nil)
	} else {
		s.letGo()
	}
}

// Dropped closes the native stream of a stream that the garbage collector has found, and counts it
// unless the stream was closed.
func (s *Stream) Dropped() {
	if !s.Closed() {
		s.Device.Leaks.Add(1)
	}
	s.CloseAsync()
}

// letGo ends the use that keeps a discarded stream, once.
func (s *Stream) letGo() {
	if s.traits.And(^uint32(isHeld))&isHeld != 0 {
		s.Release()
	}
}

func (s *Stream) disposeLater(destroyed chan<- error) {
	d := &disposal{object: s, device: s.Device, destroyed: destroyed}
	d.Task = d
	s.Device.Driver.Retire(&d.Item)
}

// dispose destroys the stream unless it is too early or the stream is in use.
func (s *Stream) dispose(d *disposal) (over bool, err error) {
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

func (s *Stream) destroy() (err error) {
	s.Device.roster.drop(s)
	if s.Owned && !s.Device.Gone() {
		s.Device.streams.CompareAndDelete(s.Object.Word, s)
		err = s.Device.Driver.DestroyStream(s.Object)
	}
	if s.Has(Discarded) { // destroying it waited for its work, or nothing else can be known of it
		s.Note(Drained)
	}
	return err
}

// Leave ends an event's use of the stream, and destroys the stream if that was the last use.
func (s *Stream) Leave() error {
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
func (s *Stream) needsIdle() bool {
	return s.Owned && s.Device.Info.Traits.StreamsNeedIdle && !s.Has(Drained) &&
		!s.Device.Gone()
}

// idle reports whether a closed stream can be destroyed without waiting for work. A stream that is
// being captured can't be queried and counts as idle.
func (s *Stream) idle() (idle bool, err error) {
	if s.Has(MayCapture) {
		capturing, err := s.Device.Driver.Capturing(s.Object)
		if capturing {
			return true, nil
		}
		if err != nil {
			return true, err
		}
	}
	known := true
	if s.Device.Info.Traits.StreamsNeedIdleDevice {
		idle, known = s.Device.allIdle()
	} else {
		idle, err = s.Device.Driver.QueryStream(s.Object)
	}
	if idle && known && err == nil {
		s.Note(Drained)
	}
	return idle, err
}

// idle is s.idle. Some releases of ROCm refuse the query of a stream while another thread captures:
// then it queries an event.
// fact: amd-relaxed-threads-heed
func (d *disposal) idle(s *Stream) (idle bool, err error) {
	drv := s.Device.Driver
	if d.marker == (driver.Object{}) {
		if idle, err = s.idle(); !errors.Is(err, driver.ErrCapturing) {
			return idle, err
		}
		if d.marker, err = drv.CreateEvent(driver.EventFlags{}); err != nil {
			return true, err
		}
		err = drv.Record(d.marker, s.Object, false)
	}
	if err == nil {
		idle, err = drv.QueryEvent(d.marker)
	}
	if !idle && err == nil {
		return false, nil
	}
	if err == nil {
		s.Note(Drained)
	}
	return true, joinLater(err, drv.DestroyEvent(d.marker))
}

// String returns "cuda:0 stream 0x…" or "cuda:0 stream default".
func (s *Stream) String() string {
	if s.IsDefault {
		return s.Device.Info.Label + " stream default"
	}
	return fmt.Sprintf("%s stream %#x", s.Device.Info.Label, ID(s.Object))
}

// Launched notes that a kernel was launched on the stream, which is in use. The name is the
// kernel's, always at the same address. It reports whether the stream may be captured.
func (s *Stream) Launched(name *string) (mayCapture bool) {
	root := s.Root()
	l := root.launches.Load()
	if l == nil {
		root.launches.CompareAndSwap(nil, new(launches))
		l = root.launches.Load()
	}
	l.add(name, root.Newest())
	return s.Has(MayCapture)
}

// InFlight returns the kernels in flight on the stream, which may be nil or a wrapper.
func (s *Stream) InFlight() []string {
	if s == nil {
		return nil
	}
	s = s.Root()
	if l := s.launches.Load(); l != nil {
		return l.names(s.HasPassed)
	}
	return nil
}

// Capturing reports whether the stream is being captured. The caller uses the stream.
func (s *Stream) Capturing() (bool, error) {
	if !s.Has(MayCapture) {
		return false, nil
	}
	if s.Root().Has(Discarded) {
		return false, &driver.Refusal{Cause: driver.ErrCaptureFailed,
			Detail: "this release of ROCm can't end the capture; close the stream"}
	}
	return s.Device.Driver.Capturing(s.Object)
}

// NumberStreams returns a function that notes that all records made before NumberStreams are done.
func (d *Device) NumberStreams() (passed func()) {
	numbers := map[*Stream]uint32{}
	d.streams.Range(func(_, stream any) bool {
		s := stream.(*Stream)
		numbers[s] = s.Number()
		return true
	})
	return func() {
		for s, n := range numbers {
			s.Advance(n)
		}
	}
}

package native

import (
	"errors"

	"github.com/gpuevent/gpuevent/internal/driver"
)

// streamFailure is the failure of a stream. Drivers know only their own failures: they call work
// behind a failed host function done, so each such answer is checked against this.
type streamFailure struct {
	first error // the first failure that became known
	// behind is the error of the work enqueued behind number after; nil if only the driver has
	// failed, which then returns the error itself.
	behind error
	after  uint32
}

// Fail fails what was enqueued on a stream behind number n. The first such failure stays. It must
// be called before the stream can go on.
func (s *Stream) Fail(n uint32, err error) {
	for {
		old := s.failure.Load()
		f := &streamFailure{first: err, behind: err, after: n}
		if old != nil {
			if old.behind != nil {
				return
			}
			f.first = old.first
		}
		if s.failure.CompareAndSwap(old, f) {
			return
		}
	}
}

// FailedBefore returns why work with number n on a stream has failed although the driver calls it
// done. Numbers wrap around: the answer is wrong after two billion records on a failed stream.
func (s *Stream) FailedBefore(n uint32) error {
	if f := s.failure.Load(); f != nil && f.behind != nil && int32(n-f.after) > 0 {
		return f.behind
	}
	return nil
}

// Learn notes a driver's error from a query of the stream's work.
func (s *Stream) Learn(err error) {
	if s.failure.Load() == nil && isOfWork(err) {
		s.failure.CompareAndSwap(nil, &streamFailure{first: err})
	}
}

// Failure returns the first failure of the stream that became known, or nil.
func (s *Stream) Failure() error {
	if f := s.failure.Load(); f != nil {
		return f.first
	}
	return nil
}

// isOfWork reports whether a driver's error means failed work, and not just a refused query.
func isOfWork(err error) bool {
	var d *driver.Error
	return errors.As(err, &d) && d.Class == nil && !d.TookEffect && driver.IsResult(d.Code)
}

// Discard gives up a stream whose capture the driver can't end, and every stream of the backend
// that same reports to be part of that capture. They refuse calls with driver.ErrCaptureFailed from
// now on. The driver's streams stay until Close, since their handles may have been exported.
// fact: amd-failed-capture-stays
func (s *Stream) Discard(same func(driver.Object) bool) {
	for _, d := range s.Device.spread() {
		for _, h := range d.MayBeCaptured() {
			if h != s && h != s.Root() && same(h.Object) {
				h.discard()
			}
			h.Release()
		}
	}
	s.discard()
	if root := s.Root(); root != s {
		root.discard()
	}
}

// SetSiblings sets the devices of a backend: captures of their streams can spread to all of them.
func SetSiblings(all []*Device) {
	for _, d := range all {
		d.siblings.Store(&all)
	}
}

// spread returns the devices to which captures of this device's streams can spread.
func (d *Device) spread() []*Device {
	if all := d.siblings.Load(); all != nil {
		return *all
	}
	return []*Device{d}
}

// IsDiscarded reports whether the stream was discarded, and whether its work is known to have
// ended. It has once the driver's stream is destroyed.
func (s *Stream) IsDiscarded() (is, ended bool) {
	root := s.Root()
	return root.Has(Discarded), root.Has(Drained)
}

// discard forbids new uses of a stream. A use of its own keeps the native stream until letGo.
func (s *Stream) discard() {
	if !s.Pin() {
		return
	}
	// Before it is closed: see closedError.
	if s.traits.Or(MayCapture|Discarded|isHeld)&isHeld != 0 {
		s.Release()
		return
	}
	if !s.shut() { // by its owner
		s.letGo()
		return
	}
	s.claim() // leaves it to the last user, which is at least the use that letGo ends
	// The capture is active still, or invalidated. The query invalidates it: then the runtime refuses
	// more work on the stream, and lets other streams wait for its events.
	// fact: amd-failed-graph-released, amd-wait-captured-isolation
	_, _ = s.Device.Driver.QueryStream(s.Object)
}

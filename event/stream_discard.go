package event

import (
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/native"
)

// discard gives up a stream whose capture the driver can't end, and every stream of the backend
// that same reports to be part of that capture. Their calls return [ErrCaptureFailed] from now on.
// The native streams stay until Close: their handles may have been given out.
// fact: amd-failed-capture-stays
func (s *Stream) discard(same func(driver.Object) bool) {
	for _, d := range s.device.siblings() {
		for _, h := range d.native.MayBeCaptured() {
			if h != s.native && h != s.native.Root() && same(h.Object) {
				h.Discard()
			}
			h.Release()
		}
	}
	s.native.Discard()
	if root := s.native.Root(); root != s.native {
		root.Discard()
	}
}

// siblings returns the devices that captures of this device's streams can spread to.
func (d *Device) siblings() []*Device {
	registry.Lock()
	defer registry.Unlock()
	all := []*Device{d}
	for _, other := range registry.answers[d.Backend()].devices {
		if other != d {
			all = append(all, other)
		}
	}
	return all
}

// discardedError returns the error for a call on a discarded stream.
func (s *Stream) discardedError(op string) error {
	return &Error{op, s.String(), ErrCaptureFailed,
		"this release of ROCm can't end the capture; close the stream and create a new one"}
}

// unlessDiscarded returns the error for a failed wait for an event. Old releases refuse to wait for
// an event whose stream was discarded, even if it is done.
// fact: amd-wait-captured-isolation
func (s *Stream) unlessDiscarded(
	op string, e *Event, h *native.Event, rec record, err error,
) error {
	switch on := h.On.Load(); {
	case on == nil || !on.Has(native.Discarded):
		return describe(op, s, about{s.device, e.Device() == s.device}, err)
	case e.known(rec):
		return nil
	}
	return &Error{op, s.String(), ErrCaptureFailed,
		"the event's stream was discarded; wait for the event first, with Event.Wait"}
}

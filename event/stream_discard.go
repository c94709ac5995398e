package event

import "github.com/gpuevent/gpuevent/internal/driver"

// discard gives up a stream whose capture the driver can't end, and every stream of the backend
// that same reports to be part of that capture. Their calls return [ErrCaptureFailed] from now on.
// The native streams stay until Close: their handles may have been given out.
// fact: amd-failed-capture-stays
func (s *Stream) discard(same func(driver.Object) bool) {
	for _, d := range s.device.siblings() {
		for _, h := range d.roster.captured() {
			if h != s.native && h != s.native.root() && same(h.object) {
				h.discard()
			}
			h.release()
		}
	}
	s.native.discard()
	if root := s.native.root(); root != s.native {
		root.discard()
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

// captured returns the open streams on which a capture may have begun, in use.
func (r *roster) captured() (all []*nativeStream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for h := range r.streams {
		if h.has(mayCapture) && h.retain() {
			all = append(all, h)
		}
	}
	return all
}

// discard forbids new uses of a stream. A use of its own keeps the native stream until letGo.
func (h *nativeStream) discard() {
	if !h.pin() {
		return
	}
	// Before it is closed: see closedError.
	if h.traits.Or(mayCapture|isDiscarded|isHeld)&isHeld != 0 {
		h.release()
		return
	}
	if !h.shut() { // by its owner
		h.letGo()
		return
	}
	h.claim() // leaves it to the last user, which is at least the use that letGo ends
	// The capture is active still, or invalidated. The query invalidates it: then the runtime refuses
	// more work on the stream, and lets other streams wait for its events.
	// fact: amd-failed-graph-released, amd-wait-captured-isolation
	_, _ = h.device.driver.QueryStream(h.object)
}

// discardedError returns the error for a call on a discarded stream.
func (s *Stream) discardedError(op string) error {
	return &Error{op, s.String(), ErrCaptureFailed,
		"this release of ROCm can't end the capture; close the stream and create a new one"}
}

// unlessDiscarded returns the error for a failed wait for an event. Old releases refuse to wait for
// an event whose stream was discarded, even if it is done.
// fact: amd-wait-captured-isolation
func (s *Stream) unlessDiscarded(op string, e *Event, h *nativeEvent, rec record, err error) error {
	switch on := h.on.Load(); {
	case on == nil || !on.has(isDiscarded):
		return describe(op, s, about{s.device, e.Device() == s.device}, err)
	case e.known(rec):
		return nil
	}
	return &Error{op, s.String(), ErrCaptureFailed,
		"the event's stream was discarded; wait for the event first, with Event.Wait"}
}

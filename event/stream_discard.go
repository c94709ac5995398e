package event

import "github.com/gpuevent/gpuevent/internal/native"

// unlessDiscarded returns the error for a failed wait for an event. Old releases refuse to wait for
// an event whose stream was discarded, even if it is done.
// fact: amd-wait-captured-isolation
func (s *Stream) unlessDiscarded(
	op string, e *Event, h *native.Event, rec record, err error,
) error {
	switch on := h.On.Load(); {
	case on == nil || !on.Has(native.Discarded):
		return describe(op, s, about{s.device, e.Device() == s.device, s.native}, err)
	case e.known(rec):
		return nil
	}
	return &Error{op, s.String(), ErrCaptureFailed,
		"the event's stream was discarded; wait for the event first, with Event.Wait"}
}

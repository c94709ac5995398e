package event

// keepalive returns another stream object for the native stream, which stays open when the stream
// is closed: package compute orders the end of memory after work that was enqueued before. It
// returns nil if the stream is closed. A default stream is never closed and needs none.
func (s *Stream) keepalive() *Stream {
	if s.native.IsDefault {
		return s
	}
	h := s.native.Keepalive()
	if h == nil {
		return nil
	}
	return &Stream{device: s.device, native: h, priority: s.priority, blocking: s.blocking}
}

// dropKeepalive ends a keepalive.
func (s *Stream) dropKeepalive() {
	if !s.native.IsDefault {
		s.native.DropKeepalive()
	}
}

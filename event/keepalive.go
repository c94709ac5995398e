package event

// keepalive returns another stream object for the native stream, which stays open when the stream
// is closed: package compute orders the end of memory after work that was enqueued before. It
// returns nil if the stream is closed. A default stream is never closed and needs none.
func (s *Stream) keepalive() *Stream {
	if s.native.isDefault {
		return s
	}
	root := s.native.root()
	if !root.retain() {
		return nil
	}
	root.keepalives.Add(1)
	h := newNativeStream(s.device, root.object, false)
	h.wraps = root
	h.note(mayCapture) // the stream's handle may be exported later
	return &Stream{device: s.device, native: h, priority: s.priority, blocking: s.blocking}
}

// dropKeepalive ends a keepalive. If the stream was closed, it is destroyed after its last one.
func (s *Stream) dropKeepalive() {
	if s.native.isDefault {
		return
	}
	s.native.closeAsync()
	root := s.native.root()
	root.keepalives.Add(-1)
	root.release()
}

package event

// shadow returns another stream object for the native stream, which stays open when the stream is
// closed: package compute orders the end of memory behind work that was enqueued before. It returns
// nil if the stream is closed. A default stream is never closed and needs none.
func (s *Stream) shadow() *Stream {
	if s.native.is(isDefault) {
		return s
	}
	root := s.native.root()
	if !root.use() {
		return nil
	}
	root.shadows.Add(1)
	h := newHandle(s.device, root.native, isStream)
	h.wrap(root)
	h.note(mayCapture) // the stream's handle may be given out later
	return &Stream{device: s.device, native: h, priority: s.priority, blocking: s.blocking}
}

// unshadow drops a shadow. If the stream was closed, it is destroyed after its last shadow.
func (s *Stream) unshadow() {
	if s.native.is(isDefault) {
		return
	}
	s.native.closeAsync()
	root := s.native.root()
	root.shadows.Add(-1)
	root.release()
}

package event

// Device returns the device of the stream.
func (s *Stream) Device() *Device {
	if s.isNil() {
		return nil
	}
	return s.device
}

// Backend returns the backend of the stream's device.
func (s *Stream) Backend() Backend { return s.Device().Backend() }

// Context returns the native context of the stream, as [Device.Context] does.
func (s *Stream) Context() (uintptr, error) {
	const op = "Stream.Context"
	if err := s.enter(op); err != nil {
		return 0, err
	}
	defer s.native.release()
	c, err := s.device.driver.Context()
	return c, failed(op, s, err)
}

// Handle returns the native handle for use with cudrv or hip: a cudrv.Stream or hip.Stream; 0 for
// the default stream, on the host, and once the stream is closed, which is the default stream to a
// driver: don't use it then. It stays the stream's: don't destroy it, and keep the stream alive
// while it is used.
//
// With the handle a capture can be begun, so that from the first call on each record asks the
// driver whether there is one.
func (s *Stream) Handle() uintptr {
	if s.isNil() || s.native.closed() {
		return 0
	}
	s.noteHandleGiven()
	return s.native.native.Word
}

// Priority returns the priority the stream was created with; lower numbers go first.
func (s *Stream) Priority() int {
	if s == nil {
		return 0
	}
	return s.priority
}

// IsNonBlocking reports whether the stream was created to ignore the legacy default stream. Of a
// wrapped stream that is not known, and the answer is no.
func (s *Stream) IsNonBlocking() bool {
	return !s.isNil() && s.native.is(isOwned) && !s.blocking
}

// IsDefault reports whether s is its device's default stream.
func (s *Stream) IsDefault() bool { return !s.isNil() && s.native.is(isDefault) }

// IsClosed reports whether the stream was closed.
func (s *Stream) IsClosed() bool { return s.isNil() || s.native.closed() }

// String returns "cuda[0]:stream@0x…", "cuda[0]:stream@default".
func (s *Stream) String() string {
	if s.isNil() {
		return "stream <nil>"
	}
	return s.native.String()
}

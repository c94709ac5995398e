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

// String returns "cuda:0 stream 0x5581…" or "cuda:0 stream default": the name of the device, "stream",
// and what tells the device's streams apart.
func (s *Stream) String() string {
	if s.isNil() {
		return "stream <nil>"
	}
	return s.native.String()
}

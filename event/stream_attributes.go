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
	defer s.native.Release()
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

// IsNonBlocking reports whether the stream was created not to synchronize with the legacy default
// stream. It returns false for a wrapped stream, for which that is unknown.
func (s *Stream) IsNonBlocking() bool {
	return !s.isNil() && s.native.Owned && !s.blocking
}

// IsDefault reports whether s is its device's default stream.
func (s *Stream) IsDefault() bool { return !s.isNil() && s.native.IsDefault }

// IsClosed reports whether the stream was closed.
func (s *Stream) IsClosed() bool { return s.isNil() || s.native.Closed() }

// String returns the device's name, "stream", and "default" or the native handle, an address on the
// host: "cuda:0 stream 0x5581…", "cuda:0 stream default".
func (s *Stream) String() string {
	if s.isNil() {
		return "stream <nil>"
	}
	return s.native.String()
}

package event

// Device returns the device of the stream.
func (s *Stream) Device() *Device {
	if s == nil {
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
	defer s.native.leave()
	c, err := s.device.driver.context()
	return c, failed(op, s, err)
}

// Handle returns the native handle for use with cudrv or hip: a cudrv.Stream or hip.Stream; 0 for the default stream, on the
// host, and once the stream is closed, which is the default stream to a driver: don't use it then. It stays the stream's: don't destroy it, and
// keep the stream alive while it is used.
//
// With the handle a capture can be begun, so that from the first call on each record asks the driver whether there is one.
func (s *Stream) Handle() uintptr {
	if s == nil || s.native.closed() {
		return 0
	}
	s.watched.Store(true)
	return s.native.handle.word
}

// Priority returns the priority the stream was created with; lower numbers go first.
func (s *Stream) Priority() int {
	if s == nil {
		return 0
	}
	return s.priority
}

// IsNonBlocking tells whether the stream was created to ignore the legacy default stream. Of a wrapped stream that is not known, and
// the answer is no.
func (s *Stream) IsNonBlocking() bool { return s != nil && s.native.owned && !s.blocking }

// IsDefault tells whether s is its device's default stream.
func (s *Stream) IsDefault() bool { return s != nil && s.native.standing }

// IsClosed tells whether the stream was closed.
func (s *Stream) IsClosed() bool { return s == nil || s.native.closed() }

// String returns "cuda[0]:stream@0x…", "cuda[0]:stream@default".
func (s *Stream) String() string {
	if s == nil {
		return "stream <nil>"
	}
	return s.native.String()
}

// perThread is the handle that means another stream on each thread. It and those below name no stream of their own: 0 and 1 are the legacy default
// stream. Both vendors agree.
const perThread = 2

// ordered tells whether records on the stream are reached in their order: not if the handle means several streams.
func (s *Stream) ordered() bool { return s.native.handle.word != perThread }

package native

// StreamLink and DeviceLink lead from the streams and devices of package event to those of this
// package. Package event embeds them under unexported names. Their methods are unexported too, so
// that users of event neither see nor call them. The other packages of the module call [StreamOf]
// and [DeviceOf], with types that the compiler checks.
type (
	StreamLink = interface{ stream() *Stream }
	DeviceLink = interface{ device() *Device }
)

func (s *Stream) stream() *Stream { return s }
func (d *Device) device() *Device { return d }

// StreamOf returns the stream of an event.Stream that is neither nil nor its zero value, so that
// its Device method returns a device.
func StreamOf(s StreamLink) *Stream { return s.stream() }

// DeviceOf returns the device of an event.Device that is neither nil nor its zero value, so that
// its Backend method returns a backend.
func DeviceOf(d DeviceLink) *Device { return d.device() }

package compute

import (
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/native"
)

// device is what this package keeps for an event.Device.
type device struct {
	event   *event.Device
	driver  driver.Driver
	backend backend.Backend
	failure error // why there is no backend
	account account
	pending pending // ends of objects in the background

	captures sync.Map    // by id: *capture
	noPools  atomic.Bool // the driver can't allocate in a stream's order after all

	mu     sync.Mutex
	limits *backend.Limits
	peers  map[*device]error // whether this device reads another's memory
}

// deviceOf returns the state of a device, which is made at the first use.
func deviceOf(op string, d *event.Device) (*device, error) {
	if d.Backend() == "" {
		return nil, refusal(op, named("device <nil>"), event.ErrNoDevice,
			"pass a device: event.Default() returns one")
	}
	n := native.DeviceOf(d)
	x := n.Attached(func() any {
		x := &device{event: d, driver: n.Driver}
		x.backend, x.failure = backend.New(n.Driver)
		if h, ok := x.backend.(*backend.Host); ok {
			h.Failed = kernelFailure
		}
		return x
	}).(*device)
	return x, failed(op, d, x.failure)
}

// known returns the limits of the device.
func (d *device) known() (*backend.Limits, error) {
	d.mu.Lock()
	l := d.limits
	d.mu.Unlock()
	if l != nil {
		return l, nil
	}
	limits, err := d.backend.Limits()
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.limits = &limits
	return d.limits, nil
}

// use begins a use of a stream of the device, and returns the native stream. End it with
// Release.
func (d *device) use(op string, s *event.Stream) (driver.Object, error) {
	if on := s.Device(); on != d.event {
		return driver.Object{}, d.elsewhere(op, s, on)
	}
	n := streamOf(s)
	if !n.Retain() {
		return driver.Object{}, closedError(op, s)
	}
	return n.Object, nil
}

// streamOf returns the native stream of a stream, which must not be nil.
func streamOf(s *event.Stream) *native.Stream { return native.StreamOf(s) }

// closedError returns the error for a call on a closed stream.
func closedError(op string, s *event.Stream) error {
	r := streamOf(s).ClosedRefusal()
	return refusal(op, s, r.Cause, "%s", r.Detail)
}

// elsewhere returns the error for a nil stream, or one of another device.
func (d *device) elsewhere(op string, s *event.Stream, on *event.Device) error {
	if on == nil {
		return refusal(op, named("stream <nil>"), event.ErrNilStream,
			"pass a stream; the default stream of %v is its DefaultStream()", d.event)
	}
	cause := event.ErrDeviceMismatch
	if on.Backend() != d.event.Backend() {
		cause = event.ErrBackendMismatch
	}
	return refusal(op, s, cause, "use a stream of %v", d.event)
}

// notCaptured refuses an operation that a capture can't hold.
func (d *device) notCaptured(op string, s *event.Stream, remedy string) error {
	is, err := streamOf(s).Capturing()
	if err != nil {
		return failed(op, s, err)
	}
	if is {
		return refusal(op, s, event.ErrCaptured, "the stream is being captured; %s", remedy)
	}
	return nil
}

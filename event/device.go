package event

import (
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/native"
)

// Backend names the API behind a device.
type Backend string

// The backends.
const (
	CUDA Backend = "cuda" // NVIDIA, through package cudrv
	HIP  Backend = "hip"  // AMD, through package hip
	Host Backend = "host" // this process: work is Go functions, time is the system's monotonic clock
)

// Device is a GPU, or the host. Each has one Device for the life of the process: pointers can be
// compared, and a device can be a map key. All methods are safe for concurrent use. Methods of a
// nil Device return [ErrNoDevice] or zero values.
type Device struct {
	driver        driver.Driver
	about         *driver.Info
	defaultStream *Stream
	native        *native.Device
	cleanups      cleanups
	counts        counts

	lost      atomic.Pointer[driver.Error] // the first error that showed that the device is lost
	diagnosed atomic.Pointer[driver.Error] // the last error that failsAgain was called for
	abroad    atomic.Bool                  // a stream has waited for an event of another device

	attachOnce sync.Once
	attached   any // package compute's
}

func newDevice(drv driver.Driver) *Device {
	d := &Device{driver: drv, about: drv.Info(), native: native.NewDevice(drv, report)}
	d.defaultStream = &Stream{device: d, native: d.native.DefaultStream()}
	return d
}

// nilInfo describes a nil device.
var nilInfo driver.Info

func (d *Device) info() *driver.Info {
	if d.isNil() {
		return &nilInfo
	}
	return d.about
}

// isNil reports whether the device is nil or its zero value, which no function returns.
func (d *Device) isNil() bool { return d == nil || d.driver == nil }

// end returns why the device is gone, or "".
func (d *Device) end() string {
	if d.isNil() {
		return ""
	}
	return d.native.Ended()
}

// present refuses a nil device, and one that is gone.
func (d *Device) present(op string) error {
	if d.isNil() {
		return &Error{op, "device <nil>", ErrNoDevice, "get a device from Default, Devices or Open"}
	}
	if why := d.end(); why != "" {
		return &Error{op, d.String(), ErrClosed, why}
	}
	return nil
}

// Backend returns the API behind the device.
func (d *Device) Backend() Backend { return Backend(d.info().Backend) }

// Ordinal returns the device's number within its backend, from 0. It is also the device's handle
// for use with cudrv or hip: a cudrv.Device or hip.Device.
func (d *Device) Ordinal() int { return d.info().Ordinal }

// IsHost reports whether the device is the host.
func (d *Device) IsHost() bool { return d.Backend() == Host }

// Name returns the product's name.
func (d *Device) Name() string { return d.info().Name }

// Architecture returns the target that code for the device is compiled for: "sm_90", "gfx90a";
// GOARCH for the host. It is "" if an old driver does not report it, and for devices of other
// vendors, which chipStar has.
func (d *Device) Architecture() string { return d.info().Architecture }

// PCIBusID returns the device's address on the PCI bus, "0000:3b:00.0"; "" for the host.
func (d *Device) PCIBusID() string { return d.info().PCI }

// UUID returns the device's unique id; all zero if there is none.
func (d *Device) UUID() [16]byte { return d.info().UUID }

// Capabilities returns what the device and its driver can do. What the driver's version and symbols
// don't show is tried out at the first call.
func (d *Device) Capabilities() Capability {
	if d.isNil() {
		return 0
	}
	return Capability(d.driver.Can())
}

// PriorityRange returns the lowest and the highest priority of streams. Lower numbers go first, so
// greatest <= least. Both are 0 if the driver fails to report them; NewStream then returns the
// error.
func (d *Device) PriorityRange() (least, greatest int) {
	if d.isNil() {
		return 0, 0
	}
	least, greatest, _ = d.driver.Priorities()
	return least, greatest
}

// DefaultStream returns the device's default stream. On a GPU it is the legacy default stream,
// which synchronizes in both directions with all streams created [WithLegacySync].
func (d *Device) DefaultStream() *Stream {
	if d.isNil() {
		return nil
	}
	return d.defaultStream
}

// Sync waits for all work on the device. It occupies an OS thread. A failed stream does not make it
// fail: see [Stream.Err].
func (d *Device) Sync() error {
	const op = "Device.Sync"
	if err := d.present(op); err != nil {
		return err
	}
	passed := d.native.NumberStreams()
	err := d.driver.Sync()
	if err == nil {
		passed()
	}
	return failed(op, d, err)
}

// Context returns the native context of the device's streams and events, a cudrv.Context. On NVIDIA
// it is the primary context, which stays retained for the life of the process. HIP and the host
// have none, and it is 0.
func (d *Device) Context() (uintptr, error) {
	const op = "Device.Context"
	if err := d.present(op); err != nil {
		return 0, err
	}
	c, err := d.driver.Context()
	return c, failed(op, d, err)
}

// String returns the name that [Open] takes: "cuda:0", "host".
func (d *Device) String() string {
	if d.isNil() {
		return "device <nil>"
	}
	return d.label()
}

// label returns the device's part of the names of its streams and events.
func (d *Device) label() string { return d.info().Label }

package event

import (
	"fmt"

	"github.com/gpuevent/gpuevent/internal/dl"
)

// Backend names what is behind a device.
type Backend string

// The backends.
const (
	CUDA Backend = "cuda" // NVIDIA, through package cudrv
	HIP  Backend = "hip"  // AMD, through package hip
	Host Backend = "host" // this process: work is Go functions, time is the system's monotonic clock
)

// Device is a GPU, or the host. There is one Device for each for the life of the process: comparing pointers compares devices, and a device can
// be a map key. All methods are safe for concurrent use. A nil Device answers with zero values and [ErrNoDevice].
type Device struct {
	driver   driver
	standing *Stream
	polls    *poller

	library    *dl.Library // nil for the host
	generation uint64      // of the library, when the device was found
}

func newDevice(drv driver, standing streamHandle) *Device {
	d := &Device{driver: drv, polls: newPoller(drv)}
	n := newNativeStream(d, standing, false)
	n.standing = true
	d.standing = &Stream{device: d, native: n}
	return d
}

// gone tells whether the device's library serves no more: its handles mean nothing to another one.
func (d *Device) gone() bool { return d.library != nil && d.library.Generation() != d.generation }

// nilInfo is what is known of a nil device.
var nilInfo deviceInfo

func (d *Device) info() *deviceInfo {
	if d == nil {
		return &nilInfo
	}
	return d.driver.info()
}

// present refuses a nil device.
func (d *Device) present(op string) error {
	if d == nil {
		return &Error{op, "device <nil>", ErrNoDevice, "get a device from Default, Devices or Open"}
	}
	return nil
}

// Backend returns what is behind the device.
func (d *Device) Backend() Backend { return d.info().backend }

// Ordinal returns the device's number within its backend, from 0. It is also the device's handle for use with cudrv or hip: a
// cudrv.Device or hip.Device.
func (d *Device) Ordinal() int { return d.info().ordinal }

// IsHost tells whether the device is the host.
func (d *Device) IsHost() bool { return d.Backend() == Host }

// Name returns the product's name.
func (d *Device) Name() string { return d.info().name }

// Architecture returns what code for the device is compiled for: "sm_90", "gfx90a"; GOARCH for the host. It is "" if an old driver does not tell.
func (d *Device) Architecture() string { return d.info().architecture }

// Memory returns the size of the device's memory in bytes; 0 if the system does not tell.
func (d *Device) Memory() uint64 { return d.info().memory }

// PCIBusID returns the device's place on the PCI bus, "0000:3b:00.0"; "" for the host.
func (d *Device) PCIBusID() string { return d.info().pci }

// UUID returns the device's unique id; all zero where there is none.
func (d *Device) UUID() [16]byte { return d.info().uuid }

// Capabilities returns what the device and its driver can do.
func (d *Device) Capabilities() Capability { return d.info().capabilities }

// PriorityRange returns the lowest and the highest priority of streams. Lower numbers go first, so greatest <= least. Both are 0 if the
// device does not tell; NewStream then returns the reason.
func (d *Device) PriorityRange() (least, greatest int) {
	if d == nil {
		return 0, 0
	}
	least, greatest, _ = d.driver.priorities()
	return least, greatest
}

// DefaultStream returns the device's default stream: the legacy default stream of a GPU, which waits for all streams created [WithLegacySync] and
// is waited for by them.
func (d *Device) DefaultStream() *Stream {
	if d == nil {
		return nil
	}
	return d.standing
}

// Sync waits for all work on the device. It blocks an OS thread.
func (d *Device) Sync() error {
	const op = "Device.Sync"
	if err := d.present(op); err != nil {
		return err
	}
	return failed(op, d, d.driver.sync())
}

// Context returns the native context in which the device's streams and events live, a cudrv.Context: the primary context on NVIDIA, 0 for HIP and the host,
// which have none. It stays retained while the process lives.
func (d *Device) Context() (uintptr, error) {
	const op = "Device.Context"
	if err := d.present(op); err != nil {
		return 0, err
	}
	c, err := d.driver.context()
	return c, failed(op, d, err)
}

// String returns the name that [Open] takes: "cuda:0", "host".
func (d *Device) String() string {
	switch {
	case d == nil:
		return "device <nil>"
	case d.IsHost():
		return string(Host)
	}
	return fmt.Sprintf("%s:%d", d.Backend(), d.Ordinal())
}

// label returns the form that names of streams and events begin with.
func (d *Device) label() string { return d.info().label }

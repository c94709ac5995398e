package event

import (
	"sync"

	"github.com/gpuevent/gpuevent/event/internal/driver"
)

// Backend names what is behind a device.
type Backend string

// The backends.
const (
	CUDA Backend = "cuda" // NVIDIA, through package cudrv
	HIP  Backend = "hip"  // AMD, through package hip
	Host Backend = "host" // this process: work is Go functions, time is the system's monotonic clock
)

// Device is a GPU, or the host. There is one Device for each for the life of the process: comparing
// pointers compares devices, and a device can be a map key. All methods are safe for concurrent
// use. A nil Device answers with zero values and [ErrNoDevice].
type Device struct {
	driver        driver.Driver
	about         *driver.Info
	defaultStream *Stream
	relays        relays
	spares        spares
	young         young
	// streams are this package's by native handle: all where events need theirs, else those whose
	// handles were given out.
	streams sync.Map
}

func newDevice(drv driver.Driver) *Device {
	d := &Device{driver: drv, about: drv.Info()}
	h := newHandle(d, drv.DefaultStream(), isStream|isDefault)
	d.defaultStream = &Stream{device: d, native: h}
	return d
}

// nilInfo is what is known of a nil device.
var nilInfo driver.Info

func (d *Device) info() *driver.Info {
	if d.isNil() {
		return &nilInfo
	}
	return d.about
}

// isNil reports whether the device is nil or its zero value, which no function returns.
func (d *Device) isNil() bool { return d == nil || d.driver == nil }

// gone reports whether the device's library was replaced: its handles mean nothing any more.
func (d *Device) gone() bool { return d.driver.Gone() }

// present refuses a nil device.
func (d *Device) present(op string) error {
	if d.isNil() {
		return &Error{op, "device <nil>", ErrNoDevice, "get a device from Default, Devices or Open"}
	}
	return nil
}

// Backend returns what is behind the device.
func (d *Device) Backend() Backend { return Backend(d.info().Backend) }

// Ordinal returns the device's number within its backend, from 0. It is also the device's handle
// for use with cudrv or hip: a cudrv.Device or hip.Device.
func (d *Device) Ordinal() int { return d.info().Ordinal }

// IsHost reports whether the device is the host.
func (d *Device) IsHost() bool { return d.Backend() == Host }

// Name returns the product's name.
func (d *Device) Name() string { return d.info().Name }

// Architecture returns what code for the device is compiled for: "sm_90", "gfx90a"; GOARCH for the
// host. It is "" if an old driver does not tell.
func (d *Device) Architecture() string { return d.info().Architecture }

// PCIBusID returns the device's place on the PCI bus, "0000:3b:00.0"; "" for the host.
func (d *Device) PCIBusID() string { return d.info().PCI }

// UUID returns the device's unique id; all zero where there is none.
func (d *Device) UUID() [16]byte { return d.info().UUID }

// Capabilities returns what the device and its driver can do.
// What can't be told from the driver's version and symbols is tried at the first call.
func (d *Device) Capabilities() Capability {
	if d.isNil() {
		return 0
	}
	return Capability(d.driver.Can())
}

// PriorityRange returns the lowest and the highest priority of streams. Lower numbers go first, so
// greatest <= least. Both are 0 if the device does not tell; NewStream then returns the reason.
func (d *Device) PriorityRange() (least, greatest int) {
	if d.isNil() {
		return 0, 0
	}
	least, greatest, _ = d.driver.Priorities()
	return least, greatest
}

// DefaultStream returns the device's default stream: the legacy default stream of a GPU, which
// waits for all streams created [WithLegacySync] and is waited for by them.
func (d *Device) DefaultStream() *Stream {
	if d.isNil() {
		return nil
	}
	return d.defaultStream
}

// Sync waits for all work on the device. It blocks an OS thread. A stream that has failed does not
// fail its device: [Stream.Err] reports that.
func (d *Device) Sync() error {
	const op = "Device.Sync"
	if err := d.present(op); err != nil {
		return err
	}
	passed := d.numberStreams()
	err := d.driver.Sync()
	if err == nil {
		passed()
	}
	return failed(op, d, err)
}

// numberStreams returns what notes that all records which were made before are done.
func (d *Device) numberStreams() (passed func()) {
	numbers := map[*handle]uint32{}
	d.streams.Range(func(_, stream any) bool {
		s := stream.(*handle)
		numbers[s] = s.number()
		return true
	})
	return func() {
		for s, n := range numbers {
			s.advance(n)
		}
	}
}

// Context returns the native context in which the device's streams and events live, a
// cudrv.Context: the primary context on NVIDIA, 0 for HIP and the host, which have none. It stays
// retained while the process lives.
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

// label returns what the names of the device's streams and events begin with.
func (d *Device) label() string { return d.info().Label }

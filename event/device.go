package event

import (
	"strings"
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
	deviceLink    // the native device, for the module's other packages
	driver        driver.Driver
	about         *driver.Info
	defaultStream *Stream
	native        *native.Device
	cleanups      cleanups
	counts        counts

	lost      atomic.Pointer[driver.Error] // the first error that showed that the device is lost
	diagnosed atomic.Pointer[driver.Error] // the last error that failsAgain was called for
	abroad    atomic.Bool                  // a stream has waited for an event of another device
}

type deviceLink = native.DeviceLink

func newDevice(drv driver.Driver) *Device {
	n := native.NewDevice(drv, report)
	d := &Device{deviceLink: n, driver: drv, about: drv.Info(), native: n}
	d.defaultStream = newStream(d, n.DefaultStream())
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

// Do runs f on a locked OS thread with the device's primary context (NVIDIA) or the device (AMD)
// current, as raw calls through cudrv or hip need it. Afterwards the thread's own context or device
// is current again, even if f panics, calls [runtime.Goexit] or makes another one current. On the
// host Do just runs f.
//
// The methods of this package don't need it. Raw calls do that allocate memory, load modules,
// launch on the default stream or refer to the current device. Calls of Do may nest, also for
// different devices.
//
// Do returns f's error unchanged. If the context or the device can't be made current, f does not
// run and the error is a [DriverError]. A failure to restore the thread is joined to f's error.
func (d *Device) Do(f func() error) error {
	const op = "Device.Do"
	if err := d.present(op); err != nil {
		return err
	}
	if f == nil {
		return &Error{op, d.String(), ErrInvalidOption, "the function is nil"}
	}
	var own error
	err := d.driver.Do(func() { own = f() })
	return joinLater(own, failed(op, d, err))
}

// MemoryInfo is a device's total and free memory, in bytes.
type MemoryInfo struct {
	Total uint64
	// Free is what could be allocated at the time of the call; others may take it meanwhile.
	Free uint64
}

// Memory returns the device's total and free memory. On NVIDIA the driver answers for the primary
// context, which is created at first use. For the host it returns the machine's memory; free is
// what programs can get without swapping. If free memory can't be queried, the error is
// [ErrUnsupported]; Total is still set if it is known.
func (d *Device) Memory() (MemoryInfo, error) {
	const op = "Device.Memory"
	if err := d.present(op); err != nil {
		return MemoryInfo{}, err
	}
	total, free, err := d.driver.Memory()
	if err != nil {
		total = max(total, d.about.Memory)
	}
	return MemoryInfo{Total: total, Free: free}, failed(op, d, err)
}

// Capability is a set of optional features of a device.
type Capability uint

const (
	CapTiming   Capability = 1 << iota // [WithTiming]: every device so far
	CapIPC                             // [WithIPC]
	CapExternal                        // [WithExternal]
	CapHostFunc                        // [Stream.HostFunc]
	// Streams can wait for a value in memory (cuStreamWaitValue64, hipStreamWaitValue64).
	CapWaitValue
	CapCapture // streams can be captured into graphs
	// Captures record launches of kernels. Every device with [CapCapture] has it, except on ROCm
	// before 5.3.
	CapCaptureLaunch
)

var capabilityNames = []string{"timing", "ipc", "external", "host-func", "wait-value", "capture",
	"capture-launch"}

// Has reports whether all of d are in c.
func (c Capability) Has(d Capability) bool { return c&d == d }

// String returns the names, as in "timing|ipc".
func (c Capability) String() string {
	var names []string
	for i, n := range capabilityNames {
		if c&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return strings.Join(names, "|")
}

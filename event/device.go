package event

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// Backend names what is behind a device.
type Backend string

// The backends.
const (
	CUDA Backend = "cuda" // NVIDIA, through package cudrv
	HIP  Backend = "hip"  // AMD, through package hip
	Host Backend = "host" // this process: work is Go functions, time is the system's monotonic clock
)

// Device is a GPU, or the host. There is one Device for each for the life of the process: comparing pointers compares devices. All
// methods are safe for concurrent use.
type Device struct {
	driver   driver
	standing *Stream
	polls    *poller
}

func newDevice(drv driver, standing streamHandle) *Device {
	d := &Device{driver: drv, polls: newPoller(drv)}
	d.standing = newStream(d, standing, func() error { return nil })
	d.standing.standing = true
	return d
}

// registry holds the devices that were found. A backend that failed is asked again the next time: a driver may have been installed, or [cudrv.Load] called.
var registry struct {
	sync.Mutex
	found map[Backend][]*Device
}

// opener finds the devices of one backend.
type opener struct {
	backend Backend
	open    func() ([]*Device, error)
}

// openers are the backends in the order of preference; the host comes last.
var openers = []opener{{CUDA, openCUDA}, {HIP, openHIP}, {Host, openHost}}

func devicesOf(o opener) ([]*Device, error) {
	registry.Lock()
	defer registry.Unlock()
	if ds, ok := registry.found[o.backend]; ok {
		return ds, nil
	}
	ds, err := o.open()
	if err != nil {
		return nil, err
	}
	if registry.found == nil {
		registry.found = map[Backend][]*Device{}
	}
	registry.found[o.backend] = ds
	return ds, nil
}

// Devices returns all devices: those of NVIDIA, those of AMD, and the host, which is always there and last. What keeps a backend from being used is
// told by [Unavailable].
func Devices() []*Device {
	var all []*Device
	for _, o := range openers {
		ds, _ := devicesOf(o)
		all = append(all, ds...)
	}
	return all
}

// Unavailable tells why a backend has no devices: no library, no device, a driver that is broken. It is nil if it has some.
func Unavailable(b Backend) error {
	for _, o := range openers {
		if o.backend == b {
			_, err := devicesOf(o)
			return err
		}
	}
	return &Error{"Unavailable", string(b), ErrNoDevice, "the backends are cuda, hip and host"}
}

// Default returns the first GPU, or the host if there is none.
func Default() *Device { return Devices()[0] }

// Open returns the device of a name: "cuda:0", "hip:1", "host". A backend alone is its first device.
func Open(name string) (*Device, error) {
	const op = "Open"
	backend, number, numbered := strings.Cut(name, ":")
	ordinal := 0
	if numbered {
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 {
			return nil, &Error{op, strconv.Quote(name), ErrNoDevice, "a device is called cuda:0, hip:1 or host; numbers count from 0"}
		}
		ordinal = n
	}
	for _, o := range openers {
		if string(o.backend) != backend {
			continue
		}
		ds, err := devicesOf(o)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", &Error{op, strconv.Quote(name), ErrNoDevice, backend + " can't be used here"}, err)
		}
		if ordinal >= len(ds) {
			return nil, &Error{op, strconv.Quote(name), ErrNoDevice, fmt.Sprintf("%s has %d device(s), counted from 0", backend, len(ds))}
		}
		return ds[ordinal], nil
	}
	return nil, &Error{op, strconv.Quote(name), ErrNoDevice, "the backends are cuda, hip and host"}
}

// Backend returns what is behind the device.
func (d *Device) Backend() Backend { return d.driver.info().backend }

// Ordinal returns the device's number within its backend, from 0.
func (d *Device) Ordinal() int { return d.driver.info().ordinal }

// IsHost tells whether the device is the host.
func (d *Device) IsHost() bool { return d.Backend() == Host }

// Name returns the product's name.
func (d *Device) Name() string { return d.driver.info().name }

// Architecture returns what code for the device is compiled for: "sm_90", "gfx90a"; GOARCH for the host.
func (d *Device) Architecture() string { return d.driver.info().architecture }

// Memory returns the size of the device's memory in bytes; 0 if the system does not tell.
func (d *Device) Memory() uint64 { return d.driver.info().memory }

// PCIBusID returns the device's place on the PCI bus, "0000:3b:00.0"; "" for the host.
func (d *Device) PCIBusID() string { return d.driver.info().pci }

// UUID returns the device's unique id; all zero where there is none.
func (d *Device) UUID() [16]byte { return d.driver.info().uuid }

// PriorityRange returns the lowest and the highest priority of streams. Lower numbers go first, so greatest <= least.
func (d *Device) PriorityRange() (least, greatest int) {
	i := d.driver.info()
	return i.least, i.greatest
}

// Capabilities returns what the device and its driver can do.
func (d *Device) Capabilities() Capability { return d.driver.info().capabilities }

// DefaultStream returns the device's default stream: the legacy default stream of a GPU, which waits for all streams created [WithLegacySync] and
// is waited for by them.
func (d *Device) DefaultStream() *Stream { return d.standing }

// Sync waits for all work on the device. It blocks an OS thread.
func (d *Device) Sync() error { return failed("Device.Sync", d, d.driver.sync()) }

// Context returns the native context in which the device's streams and events live, a cudrv.Context: the primary context on NVIDIA, 0 for HIP and the host,
// which have none. It stays retained while the process lives.
func (d *Device) Context() (uintptr, error) {
	c, err := d.driver.context()
	return c, failed("Device.Context", d, err)
}

// Handle returns the device's number for use with cudrv or hip: a cudrv.Device or hip.Device.
func (d *Device) Handle() int { return d.Ordinal() }

// String returns the name that [Open] takes: "cuda:0", "host".
func (d *Device) String() string {
	if d == nil {
		return "device <nil>"
	}
	if d.IsHost() {
		return string(Host)
	}
	return fmt.Sprintf("%s:%d", d.Backend(), d.Ordinal())
}

// label returns the form that names of streams and events begin with.
func (d *Device) label() string { return fmt.Sprintf("%s[%d]", d.Backend(), d.Ordinal()) }

// poller returns who asks for the event.
func (e *Event) poller() *poller {
	if e.device != nil {
		return e.device.polls
	}
	return e.importer.polls
}

// errHandle and errNotReady are what backends make of the driver's answers that callers tell apart.
var (
	errHandle   = errors.New("invalid handle")
	errNotReady = errors.New("not ready")
)

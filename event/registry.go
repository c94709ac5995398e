package event

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/native"
)

// opener finds the devices of one backend.
type opener struct {
	backend Backend
	open    func() ([]driver.Driver, error)
	// generation changes when another library serves the backend.
	generation func() uint64
}

// openers are the backends in order of preference; the host comes last.
var openers = []opener{
	{CUDA, driver.OpenCUDA, libs.CUDA.Generation},
	{HIP, driver.OpenHIP, libs.HIP.Generation},
	{Host, driver.OpenHost, func() uint64 { return 0 }},
}

// registry holds each backend's result. A search takes tens of milliseconds even if there is no
// device, so failures are kept too, until another library is loaded or the backend is asked for by
// name.
var registry struct {
	sync.Mutex
	answers map[Backend]answer
}

type answer struct {
	devices    []*Device
	err        error
	generation uint64
}

// devices returns the backend's devices. If again is set, it repeats a search that failed.
func (o opener) devices(again bool) ([]*Device, error) {
	registry.Lock()
	defer registry.Unlock()
	a, asked := registry.answers[o.backend]
	if asked && a.generation == o.generation() && (a.err == nil || !again) {
		return a.devices, a.err
	}
	drivers, err := o.open()
	a = answer{err: err, generation: o.generation()}
	var natives []*native.Device
	for _, d := range drivers {
		found := newDevice(d)
		a.devices = append(a.devices, found)
		natives = append(natives, found.native)
	}
	native.SetSiblings(natives)
	if registry.answers == nil {
		registry.answers = map[Backend]answer{}
	}
	registry.answers[o.backend] = a
	return a.devices, a.err
}

func openerOf(b Backend) (opener, bool) {
	for _, o := range openers {
		if o.backend == b {
			return o, true
		}
	}
	return opener{}, false
}

// Devices returns all devices: those of NVIDIA, those of AMD, and last the host, which always
// exists. [Unavailable] returns why a backend has none.
func Devices() []*Device {
	var all []*Device
	for _, o := range openers {
		ds, _ := o.devices(false)
		all = append(all, ds...)
	}
	return all
}

// Unavailable returns why a backend has no devices: no library, no device, a broken driver. It
// returns nil if it has some. A backend that failed before is tried again.
func Unavailable(b Backend) error {
	o, ok := openerOf(b)
	if !ok {
		return &Error{"Unavailable", strconv.Quote(string(b)), ErrNoDevice,
			"the backends are cuda, hip and host"}
	}
	_, err := o.devices(true)
	return err
}

// Default returns the first GPU, or the host if there is none. [DefaultGPU] does not fall back.
func Default() *Device { return Devices()[0] }

// DefaultGPU returns the first GPU: NVIDIA's before AMD's. If there is none, the error is
// [ErrNoDevice] and gives the reason for each backend: a missing library and where it was searched
// for, a driver that fails, or no device. A backend that failed before is tried again.
func DefaultGPU() (*Device, error) {
	cuda, err := firstOf(CUDA)
	if err == nil {
		return cuda, nil
	}
	hip, hipErr := firstOf(HIP)
	if hipErr == nil {
		return hip, nil
	}
	none := &Error{"DefaultGPU", "GPU", ErrNoDevice,
		"neither cuda nor hip has one; Default falls back to the host"}
	return nil, fmt.Errorf("%w; cuda: %w; hip: %w", none, err, hipErr)
}

// firstOf returns a backend's first device. It repeats a search that failed.
func firstOf(b Backend) (*Device, error) {
	o, _ := openerOf(b)
	ds, err := o.devices(true)
	if err != nil {
		return nil, err
	}
	return ds[0], nil
}

// Open returns a device by name: "cuda:0", "hip:1", "host". A backend's name alone means its first
// device. A backend that failed before is tried again.
func Open(name string) (*Device, error) {
	refuse := func(why string) error { return &Error{"Open", strconv.Quote(name), ErrNoDevice, why} }
	backend, number, numbered := strings.Cut(name, ":")
	o, ok := openerOf(Backend(backend))
	if !ok {
		return nil, refuse("the backends are cuda, hip and host")
	}
	ordinal := 0
	if numbered {
		n, err := strconv.ParseUint(number, 10, 31)
		if err != nil {
			return nil, refuse("use a name such as cuda:0, hip:1 or host; numbers count from 0")
		}
		ordinal = int(n)
	}
	ds, err := o.devices(true)
	if err != nil {
		return nil, errors.Join(refuse(backend+" can't be used here"), err)
	}
	if ordinal >= len(ds) {
		return nil, refuse(fmt.Sprintf("%s has %d device(s), counted from 0", backend, len(ds)))
	}
	return ds[ordinal], nil
}

package event

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/gpuevent/gpuevent/event/internal/hook"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/host"
)

// opener finds the devices of one backend.
type opener struct {
	backend Backend
	open    func() ([]*Device, error)
	library *dl.Library // nil for the host, which needs none
}

// openers are the backends in the order of preference; the host comes last.
var openers = []opener{{CUDA, openCUDA, &dl.CUDA}, {HIP, openHIP, &dl.HIP}, {Host, openHost, nil}}

// registry holds what each backend answered. A search takes tens of milliseconds even where there is no device, so a failure is kept as well, until
// another library is loaded or somebody asks for that backend by name.
var registry struct {
	sync.Mutex
	answers map[Backend]answer
}

type answer struct {
	devices []*Device
	err     error
	serving serving
}

// serving is what serves a backend: path is that of the library in use, "" without one.
type serving struct {
	generation uint64
	path       string
}

func (o opener) serving() serving {
	if o.library == nil {
		return serving{}
	}
	return serving{o.library.Generation(), o.library.Path()}
}

// devices returns the backend's devices; with again, it looks anew if it has failed before. It always does where another
// library serves than at the last answer: devices of that one are gone.
func (o opener) devices(again bool) ([]*Device, error) {
	registry.Lock()
	defer registry.Unlock()
	now := o.serving()
	if a, asked := registry.answers[o.backend]; asked && a.serving.generation == now.generation &&
		(a.err == nil || !again && a.serving.path == now.path) {
		return a.devices, a.err
	}
	ds, err := o.open()
	for _, d := range ds {
		d.library, d.generation = o.library, now.generation
	}
	if registry.answers == nil {
		registry.answers = map[Backend]answer{}
	}
	now.path = o.serving().path // the search may have opened one
	registry.answers[o.backend] = answer{ds, err, now}
	return ds, err
}

func openerOf(b Backend) (opener, bool) {
	for _, o := range openers {
		if o.backend == b {
			return o, true
		}
	}
	return opener{}, false
}

func init() {
	hook.NewHost = func(engine any) any { return newHostDevice(engine.(*host.Engine)) }
}

// Devices returns all devices: those of NVIDIA, those of AMD, and the host, which is always there and last. What keeps a backend from being used is
// told by [Unavailable].
func Devices() []*Device {
	var all []*Device
	for _, o := range openers {
		ds, _ := o.devices(false)
		all = append(all, ds...)
	}
	return all
}

// Unavailable tells why a backend has no devices: no library, no device, a driver that is broken. It is nil if it has some. A backend that
// failed before is tried again.
func Unavailable(b Backend) error {
	o, ok := openerOf(b)
	if !ok {
		return &Error{"Unavailable", strconv.Quote(string(b)), ErrNoDevice, "the backends are cuda, hip and host"}
	}
	_, err := o.devices(true)
	return err
}

// Default returns the first GPU, or the host if there is none.
func Default() *Device { return Devices()[0] }

// Open returns the device of a name: "cuda:0", "hip:1", "host". A backend alone is its first device. A backend that failed before is tried
// again.
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
			return nil, refuse("a device is called cuda:0, hip:1 or host; numbers count from 0")
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

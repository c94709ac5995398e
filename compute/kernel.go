package compute

import (
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/image"
)

// Kernel is a function that a device runs in many threads. Get one with [Module.Kernel], and run it
// with [Kernel.Launch]. It is valid until its module is closed. All methods are safe for concurrent
// use.
type Kernel struct {
	module     *Module
	device     *device
	function   backend.Function
	name       string
	noted      *string // the name, for streams, which keep it without the kernel
	limits     *backend.Limits
	attributes backend.Attributes
	params     []param
	known      bool // params are known

	mu      sync.Mutex
	allowed atomic.Int64 // dynamic shared memory, in bytes
}

// param is a parameter of a kernel.
type param struct {
	size uintptr
	kind image.ParamKind
	goes reflect.Type // the Go type, on the host device; nil elsewhere
	elem reflect.Type // of a buffer there
}

// withoutAsking is the shared memory, static and dynamic, that every device gives a block.
const withoutAsking = 48 << 10

// learn finds out what is known about the kernel.
func (k *Kernel) learn(symbol string) error {
	limits, err := k.device.known()
	if err != nil {
		return err
	}
	k.limits = limits
	if k.attributes, err = k.device.backend.Attributes(k.function); err != nil {
		return err
	}
	k.allowed.Store(withoutAsking - int64(max(k.attributes.Shared, 0)))
	if f := k.function.Host; f != nil {
		k.known = true
		for _, p := range f.Params() {
			k.params = append(k.params, param{uintptr(p.Size), image.Any, p.Type, p.Elem})
		}
		return nil
	}
	var told image.Kernel
	if k.module.known != nil {
		told, _ = k.module.known.Kernel(symbol)
	}
	params, ok, err := k.device.backend.Params(k.function)
	if err != nil {
		return err
	}
	if !ok {
		params, ok = told.Params, told.ParamsKnown
	}
	k.known = ok
	for i, p := range params {
		kind := p.Kind
		if kind == image.Any && told.ParamsKnown && len(told.Params) == len(params) {
			kind = told.Params[i].Kind
		}
		k.params = append(k.params, param{size: uintptr(p.Size), kind: kind})
	}
	return k.compare()
}

// compare adds the parameter kinds of the Go function of the same name, and refuses a function that
// takes something else.
func (k *Kernel) compare() error {
	twin := k.module.twins.funcs[k.name]
	if twin == nil {
		return nil
	}
	if !k.known {
		k.known = true
		for _, p := range twin.Params() {
			k.params = append(k.params, param{size: uintptr(p.Size), kind: p.Kind.InImage()})
		}
		return nil
	}
	differ := func(format string, args ...any) error {
		return &driver.Refusal{Cause: ErrType, Detail: fmt.Sprintf("Source.Host[%q] ", k.name) +
			fmt.Sprintf(format, args...)}
	}
	params := twin.Params()
	if len(params) != len(k.params) {
		return differ("takes %d arguments; the kernel takes %d", len(params), len(k.params))
	}
	for i, p := range params {
		own := &k.params[i]
		kind := p.Kind.InImage()
		if uintptr(p.Size) != own.size || !agree(own.kind, kind) {
			return differ("takes %v as argument %d; the kernel takes %s", p.Type, i, own.describe())
		}
		own.kind = kind
	}
	return nil
}

// agree reports whether a parameter in an image can be that of a Go function.
func agree(told, goes image.ParamKind) bool {
	switch told {
	case image.Any, goes:
		return true
	case image.Word:
		return goes == image.Integer || goes == image.Pointer
	case image.Integer:
		return goes == image.Pointer
	case image.Bytes: // as PTX has a half
		return goes == image.Integer
	}
	return false
}

// Name returns the name that the kernel was asked for by.
func (k *Kernel) Name() string {
	if k == nil {
		return ""
	}
	return k.name
}

// isNil reports whether the kernel is nil or its zero value, which no function returns.
func (k *Kernel) isNil() bool { return k == nil || k.module == nil }

// String returns the device's name, "kernel" and the name: "cuda:0 kernel saxpy".
func (k *Kernel) String() string {
	if k.isNil() {
		return "kernel <nil>"
	}
	return k.device.event.String() + " kernel " + k.name
}

// Module returns the module that the kernel is part of.
func (k *Kernel) Module() *Module {
	if k == nil {
		return nil
	}
	return k.module
}

// Attributes are what a kernel's code takes of the device. -1 means that it is not known.
type Attributes struct {
	Registers  int // per thread
	Shared     int // static shared memory per block, in bytes
	Local      int // memory per thread for spilled registers and arrays, in bytes
	Constant   int // constant memory, in bytes
	MaxThreads int // per block
}

// Attributes returns what the kernel takes.
func (k *Kernel) Attributes() Attributes {
	if k == nil {
		return Attributes{}
	}
	a := &k.attributes
	return Attributes{a.Registers, a.Shared, a.Local, a.Constant, a.MaxThreads}
}

// Parameter describes a parameter of a kernel.
type Parameter struct {
	Size int    // in bytes
	Kind string // "pointer", "integer", "float", ...; "" if not known
}

// Parameters returns the kernel's parameters. ok is false if neither the driver nor the image has
// them; launches are then checked less.
func (k *Kernel) Parameters() (params []Parameter, ok bool) {
	if k == nil || !k.known {
		return nil, false
	}
	for _, p := range k.params {
		kind := p.kind.String()
		switch {
		case p.goes != nil:
			kind = p.goes.String()
		case p.kind == image.Any:
			kind = ""
		}
		params = append(params, Parameter{int(p.size), kind})
	}
	return params, true
}

// Occupancy returns how many blocks of a number of threads, with some dynamic shared memory in
// bytes, a processor of the device runs at once.
func (k *Kernel) Occupancy(threads, shared int) (int, error) {
	const op = "Kernel.Occupancy"
	if err := k.open(op); err != nil {
		return 0, err
	}
	if threads <= 0 || shared < 0 {
		return 0, refusal(op, k, ErrConfig, "%d threads with %d bytes of shared memory", threads, shared)
	}
	n, err := k.device.backend.Occupancy(k.function, threads, shared)
	return n, failed(op, k, err)
}

// Suggest returns the number of threads per block that keeps the device busiest, and the number of
// such blocks that fills it. Each block has shared bytes of dynamic shared memory.
func (k *Kernel) Suggest(shared int) (blocks, threads int, err error) {
	const op = "Kernel.Suggest"
	if err := k.open(op); err != nil {
		return 0, 0, err
	}
	if shared < 0 {
		return 0, 0, refusal(op, k, ErrConfig, "%d bytes of shared memory", shared)
	}
	blocks, threads, err = k.device.backend.Suggest(k.function, shared, 0)
	return blocks, threads, failed(op, k, err)
}

// open refuses a nil kernel, and one of a closed module.
func (k *Kernel) open(op string) error {
	if k.isNil() {
		return refusal(op, named("kernel <nil>"), ErrNil, "get one with Module.Kernel")
	}
	if k.module.isClosed() {
		return k.closedError(op)
	}
	return nil
}

func (k *Kernel) closedError(op string) error {
	return refusal(op, k, event.ErrClosed, "its module is closed; compile or load it again")
}

// describe says what a parameter is, for a message.
func (p param) describe() string {
	switch {
	case p.goes != nil:
		return p.goes.String()
	case p.kind == image.Any:
		return fmt.Sprintf("%d bytes", p.size)
	}
	return fmt.Sprintf("%d bytes (%v)", p.size, p.kind)
}

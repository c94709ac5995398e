package compute

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/image"
)

// LoadOption is an option of [Load], for the driver's compilation of PTX. AMD's runtime has none;
// there they are refused. A nil option has no effect.
type LoadOption interface{ apply(*backend.JIT) }

type loadOption func(*backend.JIT)

func (o loadOption) apply(j *backend.JIT) { o(j) }

// WithMaxRegisters limits the registers of a thread.
func WithMaxRegisters(n int) LoadOption {
	return loadOption(func(o *backend.JIT) { o.MaxRegisters = n })
}

// WithOptimization sets the level of optimization, from 0 to 4; 4 is the driver's own choice.
func WithOptimization(level int) LoadOption {
	return loadOption(func(o *backend.JIT) {
		if o.Optimization = level; level == 0 {
			o.Optimization = -1
		}
	})
}

// WithLineInfo keeps the lines of the source for profilers.
func WithLineInfo() LoadOption {
	return loadOption(func(o *backend.JIT) { o.LineInfo = true })
}

// WithDebugInfo compiles for a debugger.
func WithDebugInfo() LoadOption {
	return loadOption(func(o *backend.JIT) { o.Debug = true })
}

// Load loads an image on a device: PTX, a cubin or a fatbin on NVIDIA, a code object (HSACO) or a
// bundle of them on AMD. The bytes may come from [CompileFor], a file or go:embed; they are copied.
// An image that is damaged, of the other vendor, for another architecture or too new for the driver
// is refused with [ErrImage], and the error says which.
func Load(d *event.Device, code []byte, options ...LoadOption) (*Module, error) {
	const op = "Load"
	x, err := deviceOf(op, d)
	if err != nil {
		return nil, err
	}
	var jit backend.JIT
	for _, o := range options {
		if o != nil {
			o.apply(&jit)
		}
	}
	if _, ok := x.backend.(*backend.Host); ok {
		return nil, refusal(op, d, event.ErrUnsupported,
			"the host device runs Go functions: use Compile with Source.Host")
	}
	return load(op, x, code, nil, "", jit)
}

func load(op string, d *device, code []byte, lowered map[string]string, log string,
	jit backend.JIT) (*Module, error) {
	known, err := d.read(op, code)
	if err != nil {
		return nil, err
	}
	kept := keep(code)
	native, messages, err := d.backend.Load(kept, jit)
	if err != nil {
		return nil, d.unloadable(op, known, code, messages, err)
	}
	return d.module(native, kept, known, lowered, log+messages), nil
}

var modules atomic.Uint64

func (d *device) module(native backend.Module, code []byte, known *image.Image,
	lowered map[string]string, log string) *Module {
	x := &loaded{device: d, native: native, code: code,
		label: fmt.Sprintf("%v module %d", d.event, modules.Add(1))}
	m := &Module{loaded: x, known: known, lowered: lowered, log: log}
	m.whole = runtime.AddCleanup(m, (*loaded).closeAsync, x)
	return m
}

// read reads an image, and refuses what the device's driver can't load.
func (d *device) read(op string, code []byte) (*image.Image, error) {
	i, err := image.Read(code)
	if err != nil {
		return nil, refusal(op, d.event, ErrImage, "%v", err)
	}
	ours := i.Kind.CUDA()
	wants := "PTX, a cubin or a fatbin"
	if d.event.Backend() == event.HIP {
		ours, wants = i.Kind.HIP(), "a code object or a bundle of them"
	}
	if !ours {
		return nil, refusal(op, d.event, ErrImage, "%s; the driver loads %s", image.Describe(code), wants)
	}
	return i, nil
}

// unloadable returns the error for an image that the driver refused.
func (d *device) unloadable(op string, i *image.Image, code []byte, log string, err error) error {
	failure := failed(op, d.event, err)
	if isDeviceFailure(err) || !errors.Is(err, backend.ErrImage) {
		return failure
	}
	detail := image.Describe(code)
	if len(i.Targets) > 0 {
		detail += fmt.Sprintf(" for %v", i.Targets)
	}
	detail += fmt.Sprintf("; the device is %s", d.event.Architecture())
	limits, e := d.known()
	if e == nil && limits.DriverMajor != 0 {
		detail += fmt.Sprintf(", its driver is for CUDA %d.%d", limits.DriverMajor, limits.DriverMinor)
		if !i.PTXVersion.IsZero() {
			detail += fmt.Sprintf(", the PTX needs %s", i.PTXVersion.CUDA())
		}
	}
	if log != "" {
		detail += "; the driver says: " + log
	}
	return errors.Join(refusal(op, d.event, ErrImage, "%s", detail), failure)
}

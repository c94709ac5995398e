package compute

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
	"github.com/gpuevent/gpuevent/compute/internal/cache"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/kernel"
	"github.com/gpuevent/gpuevent/internal/native"
)

// CompileOption is an option of [Compile] and [CompileFor]. A nil option has no effect.
type CompileOption interface{ apply(*compileOptions) }

type compileOption func(*compileOptions)

func (o compileOption) apply(all *compileOptions) { o(all) }

type compileOptions struct{ cache *cache.Cache }

// WithoutCache compiles even if the result is in the cache on disk, and does not keep it.
func WithoutCache() CompileOption {
	return compileOption(func(o *compileOptions) { o.cache = nil })
}

// WithCache keeps results in a folder of your own, of at most so many bytes; 0 means 256 MiB. By
// default they are kept in the user's folder for caches, under gpuevent/kernels. The environment
// variable GPUEVENT_KERNEL_CACHE names another folder, or turns the cache "off". A folder that
// another user owns or may write to is not used, since a user who writes to it chooses the code
// that runs. The handler of [event.SetErrorHandler] is called once with the reason.
func WithCache(folder string, bytes int64) CompileOption {
	return compileOption(func(o *compileOptions) { o.cache = cacheIn(folder, bytes) })
}

// caches has one cache for each folder and size, since it counts what is in the folder.
var caches sync.Map

func cacheIn(folder string, bytes int64) *cache.Cache {
	type place struct {
		folder string
		bytes  int64
	}
	p := place{folder, bytes}
	if c, ok := caches.Load(p); ok {
		return c.(*cache.Cache)
	}
	c, _ := caches.LoadOrStore(p, cache.Open(folder, bytes))
	return c.(*cache.Cache)
}

// Compile compiles a source for a device, and loads it there. On a GPU that takes NVIDIA's NVRTC or
// AMD's hipRTC, which are found where they are installed; nothing else of a toolkit is needed. The
// result is kept on disk, so compiling the same again takes a millisecond.
//
// A source with errors returns a [CompileError], whose text has the compiler's messages with their
// lines. Without a compiler the error is [ErrNotInstalled]; code that was compiled elsewhere can be
// loaded with [Load]. On the host device the Go functions of Source.Host are the module.
//
// The end of ctx ends the compilation, or abandons it where the compiler can't be stopped.
func Compile(ctx context.Context, d *event.Device, s Source, options ...CompileOption) (
	*Module, error) {
	const op = "Compile"
	x, err := deviceOf(op, d)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, refusal(op, d, err, "the context ended before the compilation")
	}
	twins, err := twinsOf(op, d, s.Host)
	if err != nil {
		return nil, err
	}
	if h, ok := x.backend.(*backend.Host); ok {
		return x.define(op, h, twins)
	}
	target, err := x.target(op)
	if err != nil {
		return nil, err
	}
	simulate(d, 0, twins.funcs)
	i, err := compileFor(ctx, op, d.Backend(), target, s, options)
	if err != nil {
		return nil, err
	}
	m, err := load(op, x, i.Code, i.lowered, i.Log, backend.JIT{})
	if err == nil {
		m.twins = twins
		simulate(d, m.native.Word, twins.funcs)
	}
	return m, err
}

// simulate gives a simulated device the Go functions of a source. module is 0 before the source is
// compiled.
func simulate(d *event.Device, module uintptr, kernels map[string]*kernel.Func) {
	if s := kernel.SimulatorOf(native.DeviceOf(d).Driver); s != nil && len(kernels) > 0 {
		s.Twins(module, kernels)
	}
}

// Image is code for a kind of GPU.
type Image struct {
	Code     []byte // PTX, a cubin or a code object, for [Load] and for files
	Kind     string // "cubin", "PTX", "code object", "bundle"
	Target   string // what it was compiled for
	Compiler string // its name and version
	Log      string // warnings; often empty
	// Symbols are the names in the code of the expressions in Source.Names.
	Symbols map[string]string
	lowered map[string]string
}

// CompileFor compiles a source without a device: for "sm_90", an NVIDIA GPU of compute capability
// 9.0, "compute_90", PTX that later ones run too, or "gfx942", an AMD GPU. The compiler of that
// vendor must be on this machine. Another target is ErrTarget.
func CompileFor(ctx context.Context, target string, s Source, options ...CompileOption) (
	*Image, error) {
	const op = "CompileFor"
	b := event.CUDA
	switch prefix, _, _ := strings.Cut(target, "_"); {
	case prefix == "sm", prefix == "compute":
	case strings.HasPrefix(target, "gfx"):
		b = event.HIP
	default:
		return nil, refusal(op, named("target "+target), ErrTarget, "NVIDIA's are like sm_90, or "+
			"compute_90 for PTX; AMD's are like gfx942; for another device, use Compile with the device")
	}
	if err := ctx.Err(); err != nil {
		return nil, refusal(op, named("target "+target), err,
			"the context ended before the compilation")
	}
	return compileFor(ctx, op, b, target, s, options)
}

func compileFor(ctx context.Context, op string, b event.Backend, target string, s Source,
	options []CompileOption) (*Image, error) {
	r, err := s.request(op, target)
	if err != nil {
		return nil, err
	}
	o := compileOptions{cache: cacheIn("", 0)}
	for _, option := range options {
		if option != nil {
			option.apply(&o)
		}
	}
	compile := o.cache.CUDA
	if b == event.HIP {
		compile = o.cache.HIP
	}
	c, err := compile(ctx, r)
	report(o.cache.Refusal())
	if err != nil {
		return nil, compileError(err) // it begins with "compile" and the source's name
	}
	return &Image{Code: c.Image, Kind: c.Kind, Target: target, Compiler: c.Compiler, Log: c.Log,
		Symbols: c.Lowered, lowered: c.Lowered}, nil
}

// target returns the architecture to compile for. It is "" on HIP devices of other vendors than
// AMD, whose compiler knows them.
func (d *device) target(op string) (string, error) {
	t := d.event.Architecture()
	if t == "" && d.event.Backend() != event.HIP {
		return "", refusal(op, d.event, event.ErrUnsupported, "the driver does not report the device's "+
			"architecture; compile with CompileFor, and Load the image")
	}
	return t, nil
}

// define makes a module of Go functions.
func (d *device) define(op string, h *backend.Host, kernels twins) (*Module, error) {
	if len(kernels.funcs)+len(kernels.variables) == 0 {
		return nil, refusal(op, d.event, event.ErrUnsupported,
			"the host device runs Go functions: set Source.Host")
	}
	return d.module(h.Define(kernels.funcs, kernels.variables), nil, nil, nil, ""), nil
}

// twins are the Go functions and variables of a source, by the names of the device's.
type twins struct {
	funcs     map[string]*kernel.Func
	variables map[string][]byte
}

// twinsOf checks Go kernels and variables.
func twinsOf(op string, d *event.Device, host map[string]HostKernel) (twins, error) {
	all := twins{map[string]*kernel.Func{}, map[string][]byte{}}
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(host)) {
		memory, isVariable, err := kernel.Variable(host[name])
		if isVariable && err == nil {
			all.variables[name] = memory
			continue
		}
		var k *kernel.Func
		if !isVariable {
			k, err = kernel.Of(host[name])
		}
		if err != nil {
			wrong = append(wrong, refusal(op, d, ErrType, "Source.Host[%q]: %v", name, err))
			continue
		}
		all.funcs[name] = k.Named(name)
	}
	return all, errors.Join(wrong...)
}

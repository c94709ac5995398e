package backend

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/host"
	"github.com/gpuevent/gpuevent/internal/image"
	"github.com/gpuevent/gpuevent/internal/kernel"
)

// Host is the host device: memory is Go memory, kernels are Go functions.
type Host struct {
	// Failed makes the error that waits return of the failure of a kernel; nil: the failure itself.
	Failed func(*kernel.Failure) error

	driver driver.Driver
	frames sync.Pool

	memory  ranges
	pinned  ranges
	mu      sync.Mutex
	modules map[uintptr]hostModule
	next    uintptr
}

// hostModule is a module of Go functions and variables.
type hostModule struct {
	kernels   map[string]*kernel.Func
	variables map[string][]byte
}

// NewHost returns the backend of a host device.
func NewHost(d driver.Driver) *Host {
	return &Host{driver: d, modules: map[uintptr]hostModule{}}
}

// The host takes the shapes that GPUs take, so that a program that runs here runs there.
func (h *Host) Limits() (Limits, error) {
	return Limits{
		Grid:    kernel.Dim{X: 1<<31 - 1, Y: 65535, Z: 65535},
		Block:   kernel.Dim{X: 1024, Y: 1024, Z: 64},
		Threads: 1024, Shared: 48 << 10, SharedMost: 64 << 10,
		Processors: uint32(runtime.NumCPU()), Warp: 32, ParameterBytes: 4096,
		CanUpdateKernels: true, PointersAreShared: true,
	}, nil
}

// Define makes a module of Go kernels, and of variables, whose memory becomes memory of the device.
func (h *Host) Define(kernels map[string]*kernel.Func, variables map[string][]byte) Module {
	for _, memory := range variables {
		h.memory.add(memory)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next++
	h.modules[h.next] = hostModule{kernels, variables}
	return Module{Word: h.next}
}

// Load refuses images: the host runs no code of GPUs.
func (h *Host) Load([]byte, JIT) (Module, string, error) {
	return Module{}, "", &driver.Refusal{Cause: driver.ErrUnsupported,
		Detail: "the host device runs Go functions: compile with Source.Host"}
}

func (h *Host) Unload(m Module) error {
	h.mu.Lock()
	variables := h.modules[m.Word].variables
	delete(h.modules, m.Word)
	h.mu.Unlock()
	for _, memory := range variables {
		h.memory.remove(uintptr(unsafe.Pointer(unsafe.SliceData(memory))))
	}
	return nil
}

func (h *Host) Function(m Module, name string) (Function, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.modules[m.Word].kernels[name]
	if f == nil {
		return Function{}, ErrNotFound
	}
	return Function{Host: f}, nil
}

func (h *Host) Global(m Module, name string) (address, bytes uintptr, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	memory := h.modules[m.Word].variables[name]
	if memory == nil {
		return 0, 0, ErrNotFound
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(memory))), uintptr(len(memory)), nil
}

// Params returns nothing: the Go function has its parameters.
func (h *Host) Params(Function) ([]image.Param, bool, error) { return nil, false, nil }

func (h *Host) Attributes(Function) (Attributes, error) {
	return Attributes{Registers: -1, Local: -1, Constant: -1, MaxThreads: 1024, SharedMost: 64 << 10,
		BinaryTarget: -1}, nil
}

func (h *Host) AllowShared(Function, int) error { return nil }
func (h *Host) Ready(Function) error            { return nil }

// Occupancy is one block at a time on each processor.
func (h *Host) Occupancy(Function, int, int) (int, error) { return 1, nil }

func (h *Host) Suggest(_ Function, _, limit int) (blocks, threads int, err error) {
	threads = 256
	if limit > 0 {
		threads = min(threads, limit)
	}
	return runtime.NumCPU(), threads, nil
}

func (h *Host) Clusters(Function, *Config) (int, error) {
	return 0, &driver.Refusal{Cause: driver.ErrUnsupported,
		Detail: "the host has no clusters of blocks"}
}

func (h *Host) Frame() *Frame {
	if f, _ := h.frames.Get().(*Frame); f != nil {
		return f
	}
	return &Frame{}
}

func (h *Host) PutFrame(f *Frame) {
	f.Reset()
	h.frames.Put(f)
}

// Launch enqueues the Go function.
func (h *Host) Launch(s driver.Object, f Function, c *Config, p *Frame) error {
	run, err := h.bind(f, c, p)
	if err != nil {
		return err
	}
	return h.do(s, "kernel "+f.Host.Name(), run)
}

// bind returns what a launch does.
func (h *Host) bind(f Function, c *Config, p *Frame) (func() error, error) {
	bound, err := f.Host.Bind(p.Args...)
	if err != nil {
		return nil, err
	}
	l := kernel.Launch{Grid: c.Grid, Block: c.Block, Shared: int(c.Shared)}
	return func() error {
		err := bound.Run(context.Background(), l)
		var failure *kernel.Failure
		if h.Failed != nil && errors.As(err, &failure) {
			return h.Failed(failure)
		}
		return err
	}, nil
}

// do enqueues a function.
func (h *Host) do(s driver.Object, what string, f func() error) error {
	err := s.Host.(*host.Queue).Do(f)
	if err != nil {
		return &driver.Error{Call: what, Code: err}
	}
	return nil
}

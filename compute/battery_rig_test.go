package compute_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/door"
	"github.com/gpuevent/gpuevent/internal/testing/images"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// bench is a machine of two simulated devices in the place of a vendor's library, for one attempt
// at an operation. There is one at a time: tests with a bench don't run in parallel.
type bench struct {
	target  target
	m       *sim.Machine
	undo    func()
	device  *event.Device
	stream  *event.Stream
	closers []func() error

	mu       sync.Mutex
	reported []error // what the error handler heard
}

// obstacle is how a step of preparation fails.
type obstacle struct{ err error }

func must[T any](v T, err error) T {
	ensure(err)
	return v
}

func ensure(err error) {
	if err != nil {
		panic(obstacle{err})
	}
}

func newBench(to target, o sim.Options) *bench {
	b := &bench{target: to, m: sim.NewMachine(o)}
	if to.backend == event.CUDA {
		b.undo = b.m.InstallCUDA(profile(to))
	} else {
		b.undo = b.m.InstallHIP(profile(to))
	}
	event.SetErrorHandler(func(err error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.reported = append(b.reported, err)
	})
	return b
}

// profile is the simulator's name for a version.
func profile(to target) string {
	all := sim.HIPProfiles()
	if to.backend == event.CUDA {
		all = sim.CUDAProfiles()
	}
	i := slices.IndexFunc(all, func(p string) bool {
		return p == to.version || strings.HasPrefix(p, to.version+".")
	})
	return all[i]
}

func (b *bench) remove() {
	event.SetErrorHandler(nil)
	b.undo()
}

// open finds the devices and makes a stream.
func (b *bench) open() {
	b.device = b.numbered(0)
	b.device.Capabilities() // which queries the driver for some, once
	b.stream = b.newStream(b.device)
}

func (b *bench) numbered(n int) *event.Device {
	return must(event.Open(fmt.Sprintf("%s:%d", b.target.backend, n)))
}

func (b *bench) newStream(d *event.Device) *event.Stream {
	s := must(d.NewStream())
	b.later(s.Close)
	return s
}

// later has f called at the end, before what was handed over earlier.
func (b *bench) later(f func() error) { b.closers = append(b.closers, f) }

func (b *bench) closeAll() (errs []error) {
	for i := len(b.closers) - 1; i >= 0; i-- {
		if err := b.closers[i](); err != nil {
			errs = append(errs, err)
		}
	}
	b.closers = nil
	return errs
}

func (b *bench) reports() []error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.reported)
}

// hold keeps a stream busy until the gate opens, at the end if not before.
func (b *bench) hold(s *event.Stream) *sim.Gate {
	native, _ := door.Stream(s)
	g := b.m.Gate(native.Word)
	b.later(func() error { g.Open(); return nil })
	return g
}

// load loads kernels, and on NVIDIA a variable.
func (b *bench) load(kernels map[string]compute.HostKernel) *compute.Module {
	m := must(compute.Load(b.device, b.image(kernels)))
	b.later(m.Close)
	return m
}

func (b *bench) image(kernels map[string]compute.HostKernel) []byte {
	var list []images.Kernel
	for name, fn := range kernels {
		b.m.Kernel(name, fn)
		list = append(list, must(images.KernelOf(name, fn)))
	}
	slices.SortFunc(list, func(x, y images.Kernel) int { return strings.Compare(x.Name, y.Name) })
	if b.target.backend == event.HIP {
		return images.CodeObject(b.device.Architecture(), list...)
	}
	text := strings.TrimRight(string(images.PTX("7.0", "sm_70", list...)), "\x00")
	return []byte(text + "\n.visible .global .align 4 .b32 table[4];\n\x00")
}

// saxpy is a loaded kernel.
func (b *bench) saxpy() *compute.Kernel {
	return must(b.load(map[string]compute.HostKernel{"saxpy": saxpyGo}).Kernel("saxpy"))
}

// floats is a buffer with values.
func (b *bench) floats(values ...float32) *compute.Buffer[float32] {
	x := must(compute.From(b.stream, values))
	b.later(x.Close)
	return x
}

// handles counts what a test must close, without what package event keeps for reuse.
func (b *bench) handles() sim.Handles {
	for n := range 2 {
		if d, err := event.Open(fmt.Sprintf("%s:%d", b.target.backend, n)); err == nil {
			door.Settle(d)
		}
	}
	h := b.m.HIPLive()
	if b.target.backend == event.CUDA {
		h = b.m.CUDALive()
	}
	h.Events -= b.m.GraphEvents()
	h.Contexts = 0
	return h
}

// usage adds up the accounts of both devices.
func (b *bench) usage() (u compute.Usage) {
	for n := range 2 {
		d, err := event.Open(fmt.Sprintf("%s:%d", b.target.backend, n))
		if err != nil {
			continue
		}
		one, err := compute.UsageOf(d)
		if err != nil {
			continue
		}
		u.Buffers += one.Buffers
		u.Bytes += one.Bytes
		u.PinnedBuffers += one.PinnedBuffers
		u.PinnedBytes += one.PinnedBytes
	}
	return u
}

// bind makes the other device current on the calling thread, to which the goroutine is locked, or,
// where that exists, nothing.
func (b *bench) bind(nothing bool) {
	if b.target.backend == event.HIP {
		ensure(hip.SetDevice(1))
		return
	}
	ensure(cudrv.Init(0))
	var ctx cudrv.Context
	if !nothing {
		ctx = must(cudrv.DevicePrimaryCtxRetain(1))
	}
	ensure(cudrv.CtxSetCurrent(ctx))
}

// current returns what is current on the calling thread.
func (b *bench) current() uintptr {
	if b.target.backend == event.CUDA {
		return b.m.CUDACurrent()
	}
	return uintptr(b.m.HIPCurrent())
}

// thread is the number of the calling thread, as the machine sees it.
func (b *bench) thread() uint64 {
	b.m.ClearLog()
	asked := "cuDriverGetVersion"
	if b.target.backend == event.CUDA {
		_, _ = cudrv.DriverGetVersion()
	} else {
		asked = "hipRuntimeGetVersion"
		_, _ = hip.RuntimeGetVersion()
	}
	for _, c := range b.m.Log() {
		if c.Name == asked {
			return c.Thread
		}
	}
	return 0
}

// strangers are the threads but the calling one that something is current on.
func (b *bench) strangers(mine uint64) []string {
	var found []string
	if b.target.backend == event.CUDA {
		for id, stack := range b.m.CUDAThreads() {
			if id != mine && stack[len(stack)-1] != 0 {
				found = append(found, fmt.Sprintf("thread %d is left in context %#x", id, stack[len(stack)-1]))
			}
		}
		return found
	}
	for id, d := range b.m.HIPThreads() {
		if id != mine && d != 0 {
			found = append(found, fmt.Sprintf("thread %d is left on device %d", id, d))
		}
	}
	return found
}

// result is the vendor's error for a number.
func (b *bench) result(code int32) error {
	if b.target.backend == event.CUDA {
		return cudrv.Result(code)
	}
	return hip.Result(code)
}

// eventually waits for what goroutines do on their own.
func eventually(f func() bool) bool { return within(5*time.Second, f) }

func within(limit time.Duration, f func() bool) bool {
	for began := time.Now(); time.Since(began) < limit; time.Sleep(100 * time.Microsecond) {
		if f() {
			return true
		}
		runtime.Gosched()
	}
	return f()
}

// driverErrors are all failed calls in a tree of errors.
func driverErrors(err error) (found []*event.DriverError) {
	if err == nil {
		return nil
	}
	if d, ok := err.(*event.DriverError); ok {
		found = append(found, d)
	}
	switch u := err.(type) {
	case interface{ Unwrap() []error }:
		for _, e := range u.Unwrap() {
			found = append(found, driverErrors(e)...)
		}
	default:
		found = append(found, driverErrors(errors.Unwrap(err))...)
	}
	return found
}

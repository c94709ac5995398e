// Package battery makes each driver call of an operation fail in each way, one at a time, and
// judges the outcome. The packages under test have their own lists of operations.
package battery

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// Rig is a machine of two simulated devices in the place of a vendor's library. There is one at a
// time, so tests with a rig don't run in parallel.
type Rig struct {
	Backend event.Backend
	Machine *sim.Machine
	undo    func()

	mu       sync.Mutex
	reported []error // to the error handler
	closers  []func() error
}

// New installs a machine, until Remove.
func New(b event.Backend, profile string, o sim.Options) *Rig {
	r := &Rig{Backend: b, Machine: sim.NewMachine(o)}
	if b == event.CUDA {
		r.undo = r.Machine.InstallCUDA(profile)
	} else {
		r.undo = r.Machine.InstallHIP(profile)
	}
	event.SetErrorHandler(func(err error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.reported = append(r.reported, err)
	})
	return r
}

func (r *Rig) Remove() {
	event.SetErrorHandler(nil)
	r.undo()
}

// Reports are the errors that the error handler got.
func (r *Rig) Reports() []error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.reported)
}

// Later has f called by CloseAll, before earlier functions.
func (r *Rig) Later(f func() error) { r.closers = append(r.closers, f) }

func (r *Rig) CloseAll() (errs []error) {
	for i := len(r.closers) - 1; i >= 0; i-- {
		if err := r.closers[i](); err != nil {
			errs = append(errs, err)
		}
	}
	r.closers = nil
	return errs
}

// Failure is the panic of a failed step of preparation.
type Failure struct{ Err error }

func Obtain[T any](v T, err error) T {
	Ensure(err)
	return v
}

func Ensure(err error) {
	if err != nil {
		panic(Failure{err})
	}
}

func (r *Rig) Device(n int) *event.Device {
	return Obtain(event.Open(fmt.Sprintf("%s:%d", r.Backend, n)))
}

// Stream makes a stream that CloseAll closes.
func (r *Rig) Stream(d *event.Device, options ...event.StreamOption) *event.Stream {
	s := Obtain(d.NewStream(options...))
	r.Later(s.Close)
	return s
}

// Live counts the handles that exist, except the events of graphs, which are never destroyed.
func (r *Rig) Live() sim.Handles {
	h := r.Machine.HIPLive()
	if r.Backend == event.CUDA {
		h = r.Machine.CUDALive()
	}
	h.Events -= r.Machine.GraphEvents()
	return h
}

// Binding is the current context or device of the calling thread.
type Binding string

const (
	Unbound      Binding = "none"
	SameDevice   Binding = "same"
	OtherContext Binding = "other context"
	OtherDevice  Binding = "other device"
)

// Bindings are the bindings that a vendor has.
func Bindings(b event.Backend) []Binding {
	if b == event.CUDA {
		return []Binding{Unbound, SameDevice, OtherContext, OtherDevice}
	}
	return []Binding{SameDevice, OtherDevice} // some device is always current
}

// Bind makes something current on the calling thread, to which the goroutine must be locked. The
// objects under test belong to device 0.
func (r *Rig) Bind(b Binding) {
	if r.Backend == event.HIP {
		n := int32(0)
		if b == OtherDevice {
			n = 1
		}
		Ensure(hip.SetDevice(n))
		return
	}
	Ensure(cudrv.Init(0))
	var ctx cudrv.Context
	switch b {
	case SameDevice:
		ctx = Obtain(cudrv.DevicePrimaryCtxRetain(0))
	case OtherDevice:
		ctx = Obtain(cudrv.DevicePrimaryCtxRetain(1))
	case OtherContext:
		ctx = Obtain(cudrv.CtxCreate(0, 0))
	}
	Ensure(cudrv.CtxSetCurrent(ctx))
}

// Current returns the current context or device of the calling thread.
func (r *Rig) Current() uintptr {
	if r.Backend == event.CUDA {
		return r.Machine.CUDACurrent()
	}
	return uintptr(r.Machine.HIPCurrent())
}

// Strangers are the threads other than the given one that have a context or device current.
func (r *Rig) Strangers(mine uint64) []string {
	var found []string
	if r.Backend == event.CUDA {
		for id, stack := range r.Machine.CUDAThreads() {
			if id != mine && stack[len(stack)-1] != 0 {
				found = append(found, fmt.Sprintf("thread %d is left in context %#x", id, stack[len(stack)-1]))
			}
		}
		return found
	}
	for id, d := range r.Machine.HIPThreads() {
		if id != mine && d != 0 {
			found = append(found, fmt.Sprintf("thread %d is left on device %d", id, d))
		}
	}
	return found
}

// Thread is the number of the calling thread on the machine, whose log it clears.
func (r *Rig) Thread() uint64 {
	r.Machine.ClearLog()
	call := "cuDriverGetVersion" // which no other goroutine calls meanwhile
	if r.Backend == event.CUDA {
		_, _ = cudrv.DriverGetVersion()
	} else {
		call = "hipRuntimeGetVersion"
		_, _ = hip.RuntimeGetVersion()
	}
	for _, c := range r.Machine.Log() {
		if c.Name == call {
			return c.Thread
		}
	}
	return 0
}

// Eventually waits for the work of other goroutines.
func Eventually(f func() bool) bool { return Within(5*time.Second, f) }

func Within(limit time.Duration, f func() bool) bool {
	for began := time.Now(); time.Since(began) < limit; time.Sleep(100 * time.Microsecond) {
		if f() {
			return true
		}
		runtime.Gosched()
	}
	return f()
}

// GoroutinesBack waits until there are no more goroutines than before.
func GoroutinesBack(tb testing.TB, before int) {
	tb.Helper()
	if !Eventually(func() bool { return runtime.NumGoroutine() <= before }) {
		buf := make([]byte, 1<<16)
		tb.Fatalf("goroutines were left behind: %d before, %d now\n%s", before,
			runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
	}
}

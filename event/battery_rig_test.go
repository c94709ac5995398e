package event_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// face is a driver that the simulator can play.
type face struct {
	backend event.Backend
	profile string
}

func (f face) String() string { return fmt.Sprintf("%s-%s", f.backend, f.profile) }

// faces are all drivers; in short mode the newest of each vendor.
func faces() []face {
	var all []face
	for backend, profiles := range map[event.Backend][]string{
		event.CUDA: sim.CUDAProfiles(), event.HIP: sim.HIPProfiles(),
	} {
		if testing.Short() {
			profiles = profiles[len(profiles)-1:]
		}
		for _, p := range profiles {
			// it waits for all that is held up, at each destroy; the suite and the soak have it
			if p == "cpu" {
				continue
			}
			all = append(all, face{backend, p})
		}
	}
	return all
}

func newest(b event.Backend) face {
	if b == event.CUDA {
		return face{b, sim.CUDAProfiles()[len(sim.CUDAProfiles())-1]}
	}
	return face{b, sim.HIPProfiles()[len(sim.HIPProfiles())-1]}
}

// rig is a machine of two simulated devices in the place of a vendor's library. There is one at a
// time: tests with a rig don't run in parallel.
type rig struct {
	face
	m    *sim.Machine
	undo func()

	mu       sync.Mutex
	reported []error // what the error handler heard
	closers  []func() error
}

func newRig(f face, o sim.Options) *rig {
	r := &rig{face: f, m: sim.NewMachine(o)}
	if f.backend == event.CUDA {
		r.undo = r.m.InstallCUDA(f.profile)
	} else {
		r.undo = r.m.InstallHIP(f.profile)
	}
	event.SetErrorHandler(func(err error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.reported = append(r.reported, err)
	})
	return r
}

// testRig is a rig for the duration of a test.
func testRig(tb testing.TB, f face, o sim.Options) *rig {
	tb.Helper()
	r := newRig(f, o)
	tb.Cleanup(func() {
		for _, err := range r.closeAll() {
			tb.Errorf("close: %v", err)
		}
		eventually(func() bool { return !event.AnyRetiring() }) // or it would meet another machine
		event.DrainPools()
		r.remove()
		for _, err := range r.reports() {
			tb.Errorf("reported: %v", err)
		}
		for _, c := range r.m.Misuse() {
			tb.Errorf("misuse: %v", c)
		}
	})
	return r
}

func (r *rig) remove() {
	event.FlushErrors()
	event.SetErrorHandler(nil)
	r.undo()
}

func (r *rig) reports() []error {
	event.FlushErrors()
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]error(nil), r.reported...)
}

// later has f called at the end, before what was handed over earlier.
func (r *rig) later(f func() error) { r.closers = append(r.closers, f) }

func (r *rig) closeAll() (errs []error) {
	for i := len(r.closers) - 1; i >= 0; i-- {
		if err := r.closers[i](); err != nil {
			errs = append(errs, err)
		}
	}
	r.closers = nil
	return errs
}

// setupFailure is how a step of preparation fails.
type setupFailure struct{ err error }

func obtain[T any](v T, err error) T {
	ensure(err)
	return v
}

func ensure(err error) {
	if err != nil {
		panic(setupFailure{err})
	}
}

func (r *rig) device(n int) *event.Device {
	return obtain(event.Open(fmt.Sprintf("%s:%d", r.backend, n)))
}

func (r *rig) stream(d *event.Device, options ...event.StreamOption) *event.Stream {
	s := obtain(d.NewStream(options...))
	r.later(s.Close)
	return s
}

func (r *rig) event(d *event.Device, options ...event.EventOption) *event.Event {
	e := obtain(d.NewEvent(options...))
	r.later(e.Close)
	return e
}

func (r *rig) recorded(s *event.Stream, options ...event.EventOption) *event.Event {
	e := r.event(s.Device(), options...)
	ensure(e.Record(s))
	return e
}

// gate holds a stream up; it is opened at the end if not before.
func (r *rig) gate(s *event.Stream) *sim.Gate {
	g := r.m.Gate(natives.Word(s))
	r.later(func() error { g.Open(); return nil })
	return g
}

// live counts what is there but for the events that a graph has, which are kept for good. Spares
// are destroyed first.
func (r *rig) live() sim.Handles {
	event.DrainPools()
	h := r.m.HIPLive()
	if r.backend == event.CUDA {
		h = r.m.CUDALive()
	}
	h.Events -= r.m.GraphEvents()
	return h
}

func (r *rig) created() sim.Handles {
	if r.backend == event.CUDA {
		return r.m.CUDACreated()
	}
	return r.m.HIPCreated()
}

// call is the name of a function of the vendor, of which only the prefix differs.
func (r *rig) call(name string) string {
	if r.backend == event.CUDA {
		return "cu" + name
	}
	return "hip" + name
}

// beginCapture and endCapture capture on a stream's raw handle, as another library would.
func (r *rig) beginCapture(s *event.Stream) {
	r.onRaw(s, func() {
		if r.backend == event.CUDA {
			ensure(cudrv.StreamBeginCapture(cudrv.Stream(natives.Word(s)), cudrv.StreamCaptureModeRelaxed))
		} else {
			ensure(hip.StreamBeginCapture(hip.Stream(natives.Word(s)), hip.StreamCaptureModeRelaxed))
		}
	})
	r.later(func() error {
		r.endCapture(s)
		return nil
	})
}

func (r *rig) endCapture(s *event.Stream) {
	r.onRaw(s, func() {
		if r.backend == event.CUDA {
			if g, err := cudrv.StreamEndCapture(cudrv.Stream(natives.Word(s))); err == nil && g != 0 {
				_ = cudrv.GraphDestroy(g)
			}
		} else if g, err := hip.StreamEndCapture(hip.Stream(natives.Word(s))); err == nil && g != 0 {
			_ = hip.GraphDestroy(g)
		}
	})
}

// onRaw runs f as a user of the bindings would, with the stream's context current.
func (r *rig) onRaw(s *event.Stream, f func()) {
	if r.backend == event.HIP {
		f()
		return
	}
	ensure(cudrv.Context(obtain(s.Device().Context())).Do(func() error { f(); return nil }))
}

// binding is what is current on the calling thread.
type binding string

const (
	unbound      binding = "none"
	sameDevice   binding = "same"
	otherContext binding = "other context"
	otherDevice  binding = "other device"
)

// bindings are those that the vendor knows.
func (r *rig) bindings() []binding {
	if r.backend == event.CUDA {
		return []binding{unbound, sameDevice, otherContext, otherDevice}
	}
	return []binding{sameDevice, otherDevice} // some device is always current
}

// bind makes something current on the calling thread, to which the goroutine must be locked. The
// objects under test belong to device 0.
func (r *rig) bind(b binding) {
	if r.backend == event.HIP {
		n := int32(0)
		if b == otherDevice {
			n = 1
		}
		ensure(hip.SetDevice(n))
		return
	}
	ensure(cudrv.Init(0))
	var ctx cudrv.Context
	switch b {
	case sameDevice:
		ctx = obtain(cudrv.DevicePrimaryCtxRetain(0))
	case otherDevice:
		ctx = obtain(cudrv.DevicePrimaryCtxRetain(1))
	case otherContext:
		ctx = obtain(cudrv.CtxCreate(0, 0))
	}
	ensure(cudrv.CtxSetCurrent(ctx))
}

// current returns what is current on the calling thread.
func (r *rig) current() uintptr {
	if r.backend == event.CUDA {
		return r.m.CUDACurrent()
	}
	return uintptr(r.m.HIPCurrent())
}

// strangers are the threads but the calling one that something is current on.
func (r *rig) strangers(mine uint64) []string {
	var found []string
	if r.backend == event.CUDA {
		for id, stack := range r.m.CUDAThreads() {
			if id != mine && stack[len(stack)-1] != 0 {
				found = append(found, fmt.Sprintf("thread %d is left in context %#x", id, stack[len(stack)-1]))
			}
		}
		return found
	}
	for id, d := range r.m.HIPThreads() {
		if id != mine && d != 0 {
			found = append(found, fmt.Sprintf("thread %d is left on device %d", id, d))
		}
	}
	return found
}

// eventually waits for what goroutines of the package do on their own.
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

// goroutinesBack waits until there are no more goroutines than before.
func goroutinesBack(tb testing.TB, before int) {
	tb.Helper()
	if !eventually(func() bool { return runtime.NumGoroutine() <= before }) {
		buf := make([]byte, 1<<16)
		require.Failf(tb, "goroutines were left behind", "%d before, %d now\n%s", before,
			runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
	}
}

// leaves are all errors in a tree that are not joins of others, with those that they wrap.
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

// plainName is a C function's name without the suffix of its version.
func plainName(call string) string {
	for _, suffix := range []string{"_v2", "_v3", "_v4", "R0600"} {
		call = strings.TrimSuffix(call, suffix)
	}
	return call
}

package event_test

import (
	"fmt"
	"testing"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/battery"
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

// rig is the battery's rig for a face.
type rig struct {
	*battery.Rig
	face
	m *sim.Machine
}

func newRig(f face, o sim.Options) *rig {
	r := battery.New(f.backend, f.profile, o)
	return &rig{r, f, r.Machine}
}

// testRig is a rig for the duration of a test.
func testRig(tb testing.TB, f face, o sim.Options) *rig {
	tb.Helper()
	r := newRig(f, o)
	tb.Cleanup(func() {
		for _, err := range r.CloseAll() {
			tb.Errorf("close: %v", err)
		}
		// What is destroyed later would meet another machine.
		eventually(func() bool { event.DropAllRelays(); return !event.AnyRetiring() })
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
	r.Remove()
}

func (r *rig) reports() []error {
	event.FlushErrors()
	return r.Reports()
}

func (r *rig) later(f func() error) { r.Later(f) }

func (r *rig) device(n int) *event.Device { return r.Device(n) }

func (r *rig) stream(d *event.Device, options ...event.StreamOption) *event.Stream {
	return r.Stream(d, options...)
}

func obtain[T any](v T, err error) T { return battery.Obtain(v, err) }

var (
	ensure         = battery.Ensure
	eventually     = battery.Eventually
	within         = battery.Within
	goroutinesBack = battery.GoroutinesBack
)

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
	return r.Live()
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

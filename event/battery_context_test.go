package event_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/battery"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// TestBoundContext runs every operation with anything, or nothing, current on the thread, on
// drivers that find contexts by handles and on drivers that insist on a current one.
func TestBoundContext(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	tried := 0
	for _, f := range faces() {
		t.Run(f.String(), func(t *testing.T) {
			for _, strict := range []bool{false, true} {
				if strict && f.backend == event.HIP {
					continue // it has no contexts to insist on
				}
				for _, op := range operations() {
					if op.cuda && f.backend != event.CUDA {
						continue
					}
					for _, b := range battery.Bindings(f.backend) {
						name := fmt.Sprintf("%s, %s current, strict %v", op.name, b, strict)
						tr := attemptOn(f, op, b,
							sim.Options{SameProcessIPC: true, Log: true, StrictContext: strict},
							battery.Target{}, battery.Injection{})
						if tr.Skipped {
							continue
						}
						tried++
						require.Nil(t, tr.Panicked, name)
						require.NoError(t, tr.Err, name)
						require.Equal(t, tr.Before, tr.After,
							"%s: the thread's current context or device has changed", name)
						require.Empty(t, tr.Strange, name)
						require.Empty(t, tr.Closing, name)
						require.Empty(t, tr.Reports, name)
						require.Empty(t, tr.Misuse, name)
						require.Zero(t, tr.live.Streams+tr.live.Events, "%s: handles left: %+v", name, tr.live)
					}
				}
			}
		})
	}
	goroutinesBack(t, goroutines)
	t.Logf("%d operations under bindings", tried)
}

// TestOwnDevice creates on each device while the other is current: what is created must be its own
// device's.
func TestOwnDevice(t *testing.T) {
	for _, f := range faces() {
		t.Run(f.String(), func(t *testing.T) {
			r := testRig(t, f, sim.Options{SameProcessIPC: true})
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for n := range 2 {
				for _, b := range battery.Bindings(r.backend) {
					r.Bind(b)
					before := r.Current()
					d := r.device(n)
					s := r.stream(d)
					e := r.recorded(s, event.WithTiming())
					assert.Equal(t, n, r.m.DeviceOf(natives.Word(s)), "stream made with %s current", b)
					assert.Equal(t, n, r.m.DeviceOf(natives.Word(e)), "event made with %s current", b)
					def := r.recorded(d.DefaultStream())
					require.NoError(t, def.Sync())
					if d.Capabilities().Has(event.CapIPC) {
						i := obtain(d.ImportEvent(obtain(r.event(d, event.WithIPC()).IPCDescriptor())))
						assert.Equal(t, n, r.m.DeviceOf(natives.Word(i)), "event imported with %s current", b)
						require.NoError(t, i.Close())
					}
					if r.backend == event.CUDA {
						c := obtain(d.Context())
						assert.Equal(t, c, r.m.ContextOf(natives.Word(e)))
						assert.Equal(t, c, r.m.ContextOf(natives.Word(s)))
					}
					assert.Equal(t, before, r.Current())
				}
			}
		})
	}
}

// TestDefaultStreamOfItsDevice holds one device's default stream up: an event recorded on the
// other's is done, whatever is current.
func TestDefaultStreamOfItsDevice(t *testing.T) {
	for _, f := range faces() {
		t.Run(f.String(), func(t *testing.T) {
			r := testRig(t, f, sim.Options{})
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for n := range 2 { // the contexts must be there for the gate
				require.NoError(t, r.device(n).Sync())
			}
			gate := r.m.CUDADefaultGate
			if r.backend == event.HIP {
				gate = r.m.HIPDefaultGate
			}
			g := gate(0)
			r.later(func() error { g.Open(); return nil })
			for _, b := range battery.Bindings(r.backend) {
				r.Bind(b)
				held := r.recorded(r.device(0).DefaultStream())
				free := r.recorded(r.device(1).DefaultStream())
				for _, c := range battery.Bindings(r.backend) {
					r.Bind(c)
					assert.False(t, obtain(held.IsDone()), "recorded with %s, asked with %s current", b, c)
					assert.True(t, obtain(free.IsDone()), "recorded with %s, asked with %s current", b, c)
					assert.False(t, obtain(r.device(0).DefaultStream().IsDone()))
					assert.True(t, obtain(r.device(1).DefaultStream().IsDone()))
				}
			}
		})
	}
}

// TestThreadsChange has many goroutines use objects of both devices, from another thread at each
// step, some of them locked to threads on which something of their own is current.
func TestThreadsChange(t *testing.T) {
	const workers = 24
	steps := 60
	if testing.Short() {
		steps = 15
	}
	for _, f := range faces() {
		for _, strict := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s strict=%v", f, strict), func(t *testing.T) {
				r := testRig(t, f, sim.Options{StrictContext: strict})
				devices := []*event.Device{r.device(0), r.device(1)}
				var all sync.WaitGroup
				for w := range workers {
					all.Go(func() {
						defer func() {
							if v := recover(); v != nil {
								t.Errorf("%v", v)
							}
						}()
						random := rand.New(rand.NewPCG(7, uint64(w)))
						locked := w%2 == 0
						if locked {
							runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
							bindings := battery.Bindings(r.backend)
							r.Bind(bindings[w/2%len(bindings)])
						}
						for range steps {
							before := uintptr(0)
							if locked {
								before = r.Current()
							}
							useAll(random, devices)
							if locked && r.Current() != before {
								t.Errorf("worker %d: current was %#x, is %#x", w, before, r.Current())
							}
						}
						if locked && r.backend == event.CUDA {
							ensure(cudrv.CtxSetCurrent(0)) // so that what is left on threads is ours
						} else if locked {
							r.Bind(battery.SameDevice)
						}
					})
				}
				all.Wait()
				assert.True(t, eventually(func() bool { return len(r.Strangers(0)) == 0 }), "%v",
					r.Strangers(0))
				assert.True(t, eventually(func() bool { l := r.live(); return l.Streams+l.Events == 0 }),
					"%+v", r.live())
			})
		}
	}
}

// useAll creates, records, orders, asks, waits and closes, each step perhaps on another thread.
// Failures panic.
func useAll(random *rand.Rand, devices []*event.Device) {
	yield := func() {
		for range random.IntN(3) {
			runtime.Gosched()
		}
	}
	n := random.IntN(2)
	d, other := devices[n], devices[1-n]
	s := obtain(d.NewStream())
	yield()
	q := obtain(other.NewStream())
	yield()
	start := obtain(s.RecordNew(event.WithTiming()))
	yield()
	ensure(q.WaitEvent(start))
	yield()
	end := obtain(s.RecordNew(event.WithTiming()))
	yield()
	if random.IntN(2) == 0 {
		ensure(end.Wait(background))
	} else {
		ensure(end.Sync())
	}
	yield()
	_ = obtain(end.Sub(start))
	yield()
	ensure(end.Record(d.DefaultStream()))
	yield()
	ensure(q.Sync())
	yield()
	ensure(end.Close())
	yield()
	ensure(start.Close())
	ensure(q.Close())
	yield()
	ensure(s.Close())
}

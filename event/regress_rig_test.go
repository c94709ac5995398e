package event_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/battery"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// limit bounds what would else wait for ever; nothing should come near it.
const limit = 20 * time.Second

// onFaces runs a test on each face, with a rig on which nothing may crash at the end.
func onFaces(t *testing.T, faces []face, o sim.Options, test func(t *testing.T, r *rig)) {
	for _, f := range faces {
		t.Run(f.String(), func(t *testing.T) {
			r := testRig(t, f, o)
			r.later(func() error { // the last: what is destroyed later must not reach the next machine
				assert.True(t, eventually(func() bool { return !busy(r) }), "something is asked for still")
				return nil
			})
			defer func() { // a failed step of preparation is the test's
				if v := recover(); v != nil {
					f, ok := v.(battery.Failure)
					if !ok {
						panic(v)
					}
					require.NoError(t, f.Err)
				}
			}()
			test(t, r)
		})
	}
}

// newests are the newest driver of each vendor.
func newests() []face { return []face{newest(event.CUDA), newest(event.HIP)} }

// hipFaces are all HIP profiles but those named.
func hipFaces(except ...string) (all []face) {
	for _, p := range sim.HIPProfiles() {
		if !contains(except, p) {
			all = append(all, face{event.HIP, p})
		}
	}
	return all
}

func cudaFaces() (all []face) {
	for _, p := range sim.CUDAProfiles() {
		all = append(all, face{event.CUDA, p})
	}
	return all
}

func contains(all []string, s string) bool {
	for _, a := range all {
		if a == s {
			return true
		}
	}
	return false
}

// hold holds a stream up without giving its handle out, after which drivers are asked more.
func (r *rig) hold(s *event.Stream) *sim.Gate {
	g := r.m.Gate(event.NativeHandle(s))
	r.later(func() error { g.Open(); return nil })
	return g
}

// heldCall is a driver call that waits until it is let go.
type heldCall struct {
	entered chan struct{}
	gate    chan struct{}
	letGo   func()
}

// holdCall holds up the next call of a driver's function, and no other.
func (r *rig) holdCall(name string) *heldCall {
	return r.holdFault(sim.Fault{Call: r.call(name), OnlyBefore: true})
}

// holdFault holds up the calls that a fault concerns, of which there must be one.
func (r *rig) holdFault(f sim.Fault) *heldCall {
	h := &heldCall{entered: make(chan struct{}), gate: make(chan struct{})}
	h.letGo = sync.OnceFunc(func() { close(h.gate) })
	f.Before = func() {
		close(h.entered)
		<-h.gate
	}
	r.m.Fault(f)
	r.later(func() error { h.letGo(); return nil })
	return h
}

// reached waits for a channel.
func reached[T any](tb testing.TB, what string, c <-chan T) (v T) {
	tb.Helper()
	select {
	case v = <-c:
	case <-time.After(limit):
		require.FailNow(tb, what+" did not happen")
	}
	return v
}

// returns wants f to return.
func returns(tb testing.TB, what string, f func()) {
	tb.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	reached(tb, what, done)
}

func isOpen[T any](c <-chan T) bool {
	select {
	case <-c:
		return false
	default:
		return true
	}
}

// rawRecord records an event on a stream as another library would.
func (r *rig) rawRecord(e uintptr, s *event.Stream) {
	word := event.NativeHandle(s)
	if r.backend == event.HIP {
		ensure(hip.EventRecord(hip.Event(e), hip.Stream(word)))
		return
	}
	r.onRaw(s, func() { ensure(cudrv.EventRecord(cudrv.Event(e), cudrv.Stream(word))) })
}

// beginRaw and endRaw are a capture of another library's. It must survive until its end.
func (r *rig) beginRaw(tb testing.TB, s *event.Stream) {
	tb.Helper()
	r.onRaw(s, func() {
		if r.backend == event.CUDA {
			require.NoError(tb,
				cudrv.StreamBeginCapture(cudrv.Stream(natives.Word(s)), cudrv.StreamCaptureModeRelaxed))
		} else {
			require.NoError(tb,
				hip.StreamBeginCapture(hip.Stream(natives.Word(s)), hip.StreamCaptureModeRelaxed))
		}
	})
}

func (r *rig) endRaw(tb testing.TB, s *event.Stream, what string) {
	tb.Helper()
	r.onRaw(s, func() {
		if r.backend == event.CUDA {
			g, err := cudrv.StreamEndCapture(cudrv.Stream(natives.Word(s)))
			require.NoError(tb, err, "%s: the end of the capture", what)
			require.NoError(tb, cudrv.GraphDestroy(g))
			return
		}
		g, err := hip.StreamEndCapture(hip.Stream(natives.Word(s)))
		require.NoError(tb, err, "%s: the end of the capture", what)
		require.NoError(tb, hip.GraphDestroy(g))
	})
}

package event_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// endGraph ends a capture, and returns what launches and what destroys its graph.
func (r *rig) endGraph(s *event.Stream) (launch, destroy func()) {
	word := event.NativeHandle(s)
	if r.backend == event.HIP {
		g := obtain(hip.StreamEndCapture(hip.Stream(word)))
		x, _, err := hip.GraphInstantiate(g, nil, 0)
		ensure(err)
		ensure(hip.GraphDestroy(g))
		return func() { ensure(hip.GraphLaunch(x, hip.Stream(word))) },
			func() { ensure(hip.GraphExecDestroy(x)) }
	}
	var x cudrv.GraphExec
	r.onRaw(s, func() {
		g := obtain(cudrv.StreamEndCapture(cudrv.Stream(word)))
		x = obtain(cudrv.GraphInstantiateWithFlags(g, 0))
		ensure(cudrv.GraphDestroy(g))
	})
	return func() { r.onRaw(s, func() { ensure(cudrv.GraphLaunch(x, cudrv.Stream(word))) }) },
		func() { r.onRaw(s, func() { ensure(cudrv.GraphExecDestroy(x)) }) }
}

// A graph that records an event, or waits for it, finds its native handle alive at each launch,
// whatever became of the event.
func TestGraphsKeepTheirEvents(t *testing.T) {
	all := cudaFaces()
	for _, p := range []string{"6.4", "7.2.0", "7.2"} {
		all = append(all, face{event.HIP, p})
	}
	for node, add := range map[string]func(s *event.Stream, e *event.Event) error{
		"record": func(s *event.Stream, e *event.Event) error { return e.Record(s) },
		"wait":   func(s *event.Stream, e *event.Event) error { return s.WaitEvent(e) },
	} {
		for end, letGo := range map[string]func(e *event.Event){
			"close": func(e *event.Event) { ensure(e.Close()) },
			"drop":  func(*event.Event) {},
			"again": func(e *event.Event) { // another handle would be taken for a pending record
				s := obtain(e.Device().NewStream())
				ensure(e.Record(s))
				_ = e.Done()
				ensure(e.Record(s))
				ensure(e.Close())
				ensure(s.Close())
			},
		} {
			t.Run(node+"/"+end, func(t *testing.T) {
				onFaces(t, all, sim.Options{}, func(t *testing.T, r *rig) {
					d := r.device(0)
					s := r.stream(d)
					func() {
						e := obtain(d.NewEvent(event.WithExternal()))
						if node == "wait" {
							other := r.stream(d)
							ensure(e.Record(other))
							ensure(e.Wait(background))
						}
						r.beginRaw(t, s)
						require.NoError(t, add(s, e))
						if end == "drop" {
							return
						}
						letGo(e)
					}()
					launch, destroy := r.endGraph(s)
					for range 3 {
						runtime.GC()
						event.FlushErrors()
						launch()
						require.NoError(t, s.Sync())
					}
					destroy()
					assert.Positive(t, r.m.GraphEvents(), "the handle is there")
					r.requireSound(t)
				})
			})
		}
	}
}

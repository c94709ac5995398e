package event_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// A driver may run the host functions of all streams on one thread: waits across vendors must not
// occupy it where the device can wait for a value, or they deadlock as soon as they depend on each
// other.
func TestWaitsAcrossVendorsOnOneHostThread(t *testing.T) {
	for _, cuda := range sim.CUDAProfiles() {
		for _, amd := range sim.HIPProfiles() {
			t.Run(cuda+"/"+amd, func(t *testing.T) {
				r := testRig(t, face{event.CUDA, cuda}, sim.Options{OneHostThread: true})
				undo := r.m.InstallHIP(amd)
				r.later(func() error { undo(); return nil })
				all := []*event.Device{r.device(0), obtain(event.Open("hip:0")), obtain(event.Open("host"))}
				for _, first := range all {
					for _, second := range all {
						if first.Backend() != second.Backend() {
							chainAcross(t, r, first, second)
						}
					}
				}
			})
		}
	}
}

// canHold reports whether a wait on the device occupies none of its threads.
func canHold(d *event.Device) bool {
	return d.IsHost() || d.Capabilities().Has(event.CapWaitValue)
}

// chainAcross has streams of two devices wait for each other in turns, behind one gate: all waits
// are there before the first ends.
func chainAcross(t *testing.T, r *rig, first, second *event.Device) {
	if !canHold(first) || !canHold(second) {
		for _, d := range []*event.Device{first, second} {
			if d.Backend() == event.HIP {
				assert.False(t, d.Capabilities().Has(event.CapWaitValue))
			}
		}
		return
	}
	const links = 4
	type link struct {
		s *event.Stream
		e *event.Event
	}
	var chain []link
	devices := [2]*event.Device{first, second}
	gated := r.stream(first)
	var open func()
	if first.IsHost() {
		c := make(chan struct{})
		ensure(gated.HostFunc(func() error { <-c; return nil }))
		open = func() { close(c) }
	} else {
		g := r.hold(gated)
		open = g.Open
	}
	before := r.recorded(gated)
	for i := range links {
		s := r.stream(devices[(i+1)%2])
		require.NoError(t, s.WaitEvent(before))
		e := r.recorded(s)
		chain = append(chain, link{s, e})
		before = e
	}
	// Host functions of a stream that is not held up run meanwhile.
	for _, d := range devices {
		if !d.Capabilities().Has(event.CapHostFunc) {
			continue
		}
		ran := make(chan struct{})
		require.NoError(t, r.stream(d).HostFunc(func() error { close(ran); return nil }))
		reached(t, "a host function of another stream", ran)
	}
	for _, l := range chain {
		assert.False(t, obtain(l.e.IsDone()), "%v", l.e)
	}
	open()
	for _, l := range chain {
		reached(t, "the end of the chain", l.e.Done())
		assert.NoError(t, l.e.Err())
		assert.NoError(t, l.s.Sync())
	}
}

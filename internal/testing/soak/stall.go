package soak

import (
	"time"

	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// stalls are queries that a driver takes its time to answer. Only the caller has to wait.
const (
	stallFirst = 200 * time.Millisecond
	stallEvery = 3 * time.Second
	// Longer than [world.soon] waits, shorter than the watchdog's patience.
	stallFor = 2200 * time.Millisecond
)

// stall holds up a query of each vendor now and then until the run stops.
func (w *world) stall(stop chan struct{}) {
	var calls []string
	if w.CUDA != "" {
		calls = append(calls, "cuEventQuery")
	}
	if w.HIP != "" {
		calls = append(calls, "hipEventQuery")
	}
	pause := stallFirst
	for {
		select {
		case <-stop:
			return
		case <-time.After(pause):
		}
		pause = stallEvery
		for _, call := range calls {
			w.machine.Fault(sim.Fault{Call: call, OnlyBefore: true, Before: func() {
				w.stalling.Add(1)
				defer w.stalling.Add(-1)
				w.stalled.Add(1)
				select {
				case <-time.After(stallFor):
				case <-stop:
				}
			}})
		}
	}
}

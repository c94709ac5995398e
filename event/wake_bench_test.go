package event_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// BenchmarkWake is the time from completion to wake for one waiter, by how long the work was
// pending: the poller asks the less often the longer nothing happens. The host's engine tells of
// completions itself.
func BenchmarkWake(b *testing.B) {
	for _, pending := range []time.Duration{10 * time.Microsecond, 100 * time.Microsecond, time.Millisecond, 20 * time.Millisecond} {
		b.Run(fmt.Sprintf("device=sim-cuda/pending=%v", pending), func(b *testing.B) {
			r := testRig(b, newest(event.CUDA), sim.Options{})
			s := r.stream(r.device(0))
			wake(b, s, pending, func() func() { return r.m.Gate(s.Handle()).Open })
		})
		b.Run(fmt.Sprintf("device=host/pending=%v", pending), func(b *testing.B) {
			s := obtain(obtain(event.Open("host")).NewStream())
			defer func() { ensure(s.Close()) }()
			wake(b, s, pending, func() func() {
				gate := make(chan struct{})
				ensure(s.HostFunc(func() error { <-gate; return nil }))
				return func() { close(gate) }
			})
		})
	}
}

func wake(b *testing.B, s *event.Stream, pending time.Duration, hold func() (open func())) {
	e := obtain(s.Device().NewEvent())
	defer func() { ensure(e.Close()) }()
	var took []time.Duration
	for b.Loop() {
		open := hold()
		ensure(e.Record(s))
		woken := make(chan time.Time, 1)
		go func() {
			ensure(e.Wait(b.Context()))
			woken <- time.Now()
		}()
		time.Sleep(pending)
		completed := time.Now()
		open()
		took = append(took, (<-woken).Sub(completed))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e3, "p99-µs")
	b.ReportMetric(0, "ns/op")
}

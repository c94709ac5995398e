package event_test

import (
	"slices"
	"testing"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

// BenchmarkHostWake is the time from the end of the host's work to the wakeup of one waiter: the
// engine reports ends itself. GPU drivers, which must be polled, are measured in tools/callbench,
// with work that ends without waking anybody.
func BenchmarkHostWake(b *testing.B) {
	s := obtain(obtain(event.Open("host")).NewStream())
	defer func() { ensure(s.Close()) }()
	e := obtain(s.Device().NewEvent())
	defer func() { ensure(e.Close()) }()
	var took []time.Duration
	for b.Loop() {
		var ended time.Time
		ensure(s.HostFunc(func() error { time.Sleep(time.Millisecond); ended = time.Now(); return nil }))
		ensure(e.Record(s))
		ensure(e.Wait(b.Context()))
		took = append(took, time.Since(ended))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e3, "p99-µs")
	b.ReportMetric(0, "ns/op")
}

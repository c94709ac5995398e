package timeline

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
)

// chunk is how many spans are begun between two flushes: less than Options.Pending.
const chunk = 250

// BenchmarkSpan compares a span, with attributes, with two plain records. Between chunks, outside
// of the time, everything is resolved.
func BenchmarkSpan(b *testing.B) {
	for name, op := range costs(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; i < b.N; i++ {
				if i%chunk == 0 {
					b.StopTimer()
					op.settle()
					b.StartTimer()
				}
				op.once(i)
			}
		})
	}
}

type cost struct {
	once   func(int)
	settle func()
}

func costs(t testing.TB) map[string]cost {
	d := hostDevice(t)
	s := stream(t, d)
	tl := open(t, Options{Devices: []*event.Device{d}})
	timed := func() *event.Event {
		e, err := d.NewEvent(event.WithTiming())
		require.NoError(t, err)
		t.Cleanup(func() { _ = e.Close() })
		return e
	}
	begin, end := timed(), timed()
	var pairs [chunk][2]*event.Event
	for i := range pairs {
		pairs[i] = [2]*event.Event{timed(), timed()}
	}
	return map[string]cost{
		"records": {func(int) {
			_, _ = begin.Record(s), end.Record(s)
		}, func() { _ = s.Sync() }},
		"pairs": {func(i int) {
			_, _ = pairs[i%chunk][0].Record(s), pairs[i%chunk][1].Record(s)
		}, func() { _ = s.Sync() }},
		"span": {func(i int) {
			_ = tl.Begin(s, "gemm", Int("m", i), Float("alpha", 0.5), String("type", "f16")).End()
		}, func() { _ = tl.Flush(context.Background()) }},
	}
}

// TestCost compares 1,000,000 spans with as many pairs of records, in turns.
func TestCost(t *testing.T) {
	spans := 1_000_000
	if testing.Short() {
		spans = 20_000
	}
	all := costs(t)
	times := map[string][]time.Duration{}
	for done := -20 * chunk; done < spans; done += chunk { // the first ones fill the pool
		for name, c := range all {
			c.settle()
			began := time.Now()
			for i := range chunk {
				c.once(i)
			}
			if done >= 0 {
				times[name] = append(times[name], time.Since(began))
			}
		}
	}
	median := func(name string) float64 {
		slices.Sort(times[name])
		return float64(times[name][len(times[name])/2]) / chunk
	}
	span, pairs, records := median("span"), median("pairs"), median("records")
	t.Logf("%d spans: median %.0f ns; two records of events of its own %.0f ns, of always the same "+
		"events %.0f ns; ratio %.2f", spans, span, pairs, records, span/pairs)
	assert.Less(t, span, 4*pairs, "far over what was measured, since machines are loaded")
}

// TestNoAllocations counts what the caller of Begin and End allocates: the stream stands still, so
// that the resolver has nothing to do meanwhile.
func TestNoAllocations(t *testing.T) {
	tl := open(t, Options{})
	d := hostDevice(t)
	s := stream(t, d)
	var events []*event.Event
	plain := func() {
		for range 4 {
			e := events[len(events)-1]
			events = events[:len(events)-1]
			_ = e.Record(s)
		}
	}
	span := func() {
		span := tl.Begin(s, "gemm", Int("m", 3), Float("alpha", 0.5), String("type", "f16"))
		inner := span.Begin("inner", Duration("d", time.Second))
		_, _ = inner.End(), span.End()
	}
	const runs = 1000
	round := func(f func()) float64 {
		gate := make(chan struct{})
		require.NoError(t, s.HostFunc(func() error { <-gate; return nil }))
		allocs := testing.AllocsPerRun(runs, f)
		close(gate)
		flushed(t, tl)
		return allocs
	}
	round(span) // fills the pool
	round(span)
	for range 4 * (runs + 1) {
		e, err := d.NewEvent(event.WithTiming())
		require.NoError(t, err)
		defer e.Close()
		events = append(events, e)
	}
	assert.Equal(t, round(plain), round(span), "the host's records that wait take memory")
	assert.Zero(t, tl.Stats().Dropped)
}

// TestWithoutAPause begins spans as fast as it can, faster than they are resolved: it is never held
// up, and each span is finished or counted as dropped.
func TestWithoutAPause(t *testing.T) {
	spans := 1_000_000
	if testing.Short() {
		spans = 20_000
	}
	tl := open(t, Options{})
	s := stream(t, hostDevice(t))
	began := time.Now()
	for range spans {
		_ = tl.Begin(s, "x").End()
	}
	took := time.Since(began)
	shot := flushed(t, tl)
	t.Logf("%v each, %v", took/time.Duration(spans), shot.Stats)
	assert.EqualValues(t, spans, shot.Stats.Finished+shot.Stats.Dropped)
	assert.LessOrEqual(t, len(shot.Items), 1<<16)
	assert.Zero(t, shot.Stats.Failed)
}

package host

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestIdlePathAllocatesNothing(t *testing.T) {
	e := New(Options{})
	q := newQueue(t, e)
	blocking, err := e.NewQueue(QueueOptions{})
	require.NoError(t, err)
	a, b := newEvent(t, e), newEvent(t, e)
	recordOn(t, q, a)
	recordOn(t, q, b)
	for name, f := range map[string]func(){
		"Record":             func() { _, _ = q.Record(a) },
		"Record on blocking": func() { _, _ = blocking.Record(a) },
		"Record on default":  func() { _, _ = e.Default().Record(b) },
		"Event.Query":        func() { _, _ = a.Query() },
		"Queue.Query":        func() { _, _ = q.Query() },
		"Elapsed":            func() { _, _ = Elapsed(a, b) },
		"Event.Sync":         func() { _ = a.Sync() },
		"Queue.Sync":         func() { _ = q.Sync() },
		"State":              func() { _ = a.State() },
		"WaitEvent":          func() { _ = q.WaitEvent(a); _, _ = q.Record(a) },
	} {
		f()
		assert.Zero(t, testing.AllocsPerRun(100, f), name)
	}
}

func BenchmarkRecordIdle(b *testing.B) {
	e := New(Options{})
	q, ev := newQueue(b, e), newEvent(b, e)
	b.ReportAllocs()
	for b.Loop() {
		_, _ = q.Record(ev)
	}
}

func BenchmarkClock(b *testing.B) {
	c := NewRealClock()
	for b.Loop() {
		_ = c.Now()
	}
}

func BenchmarkRecordBehindGate(b *testing.B) {
	e := New(Options{})
	q, ev := newQueue(b, e), newEvent(b, e)
	b.ReportAllocs()
	for b.Loop() {
		g := gate(b, q)
		for range 10_000 {
			_, _ = q.Record(ev)
		}
		g.Open()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/record")
}

func BenchmarkQuery(b *testing.B) {
	e := New(Options{})
	q, ev := newQueue(b, e), newEvent(b, e)
	_, _ = q.Record(ev)
	b.ReportAllocs()
	for b.Loop() {
		_, _ = ev.Query()
	}
}

func BenchmarkElapsed(b *testing.B) {
	e := New(Options{})
	q, x, y := newQueue(b, e), newEvent(b, e), newEvent(b, e)
	_, _ = q.Record(x)
	_, _ = q.Record(y)
	b.ReportAllocs()
	for b.Loop() {
		_, _ = Elapsed(x, y)
	}
}

func BenchmarkDoSync(b *testing.B) {
	q := newQueue(b, New(Options{}))
	f := func() error { return nil }
	b.ReportAllocs()
	for b.Loop() {
		_ = q.Do(f)
		_ = q.Sync()
	}
}

func BenchmarkDoPipelined(b *testing.B) {
	q := newQueue(b, New(Options{}))
	f := func() error { return nil }
	b.ReportAllocs()
	for b.Loop() {
		_ = q.Do(f)
	}
	_ = q.Sync()
}

func BenchmarkWaitAcrossQueues(b *testing.B) {
	e := New(Options{})
	x, y, ev := newQueue(b, e), newQueue(b, e), newEvent(b, e)
	b.ReportAllocs()
	for b.Loop() {
		g := gate(b, x)
		_, _ = x.Record(ev)
		_ = y.WaitEvent(ev)
		g.Open()
	}
}

func BenchmarkWaitDone(b *testing.B) {
	e := New(Options{})
	q, ev := newQueue(b, e), newEvent(b, e)
	_, _ = q.Record(ev)
	b.ReportAllocs()
	for b.Loop() {
		_ = q.WaitEvent(ev)
	}
}

func BenchmarkLaunch(b *testing.B) {
	e := New(Options{})
	for name, g := range map[string]*Graph{
		"chain of 1": capturing(b, e, func(q *Queue) { _ = q.Do(nothing) }),
		"chain of 8": capturing(b, e, func(q *Queue) {
			for range 8 {
				_ = q.Do(nothing)
			}
		}),
		"8 branches": branches(b, e, nothing,
			nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing),
	} {
		b.Run(name, func(b *testing.B) {
			q := newQueue(b, e)
			b.ReportAllocs()
			for b.Loop() {
				_ = g.Launch(q)
				_ = q.Sync()
			}
		})
	}
}

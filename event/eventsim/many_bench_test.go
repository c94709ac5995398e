package eventsim_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

// many runs a benchmark on the host and on a simulated GPU whose time is the system's, for some
// numbers of objects. hold enqueues work on a stream that ends when the function it returns is
// called.
func many(b *testing.B, counts []int,
	f func(b *testing.B, n int, d *event.Device, hold func(*event.Stream) func())) {
	for _, device := range []string{"host", "cuda"} {
		for _, n := range counts {
			b.Run(fmt.Sprintf("%s/%d", device, n), func(b *testing.B) {
				if device == "host" {
					d, err := event.Open("host")
					require.NoError(b, err)
					f(b, n, d, func(s *event.Stream) func() {
						gate := make(chan struct{})
						require.NoError(b, s.HostFunc(func() error { <-gate; return nil }))
						return func() { close(gate) }
					})
					return
				}
				m := eventsim.New(b, eventsim.Config{Backend: event.CUDA, RealTime: true})
				f(b, n, m.Device(0), func(s *event.Stream) func() { return m.Gate(s).Open })
			})
		}
	}
}

// BenchmarkManyEvents creates n events, records and queries each, and closes them. Its figures are
// per event: times, and the heap that a recorded event keeps.
func BenchmarkManyEvents(b *testing.B) {
	many(b, []int{1_000, 1_000_000}, func(b *testing.B, n int, d *event.Device,
		_ func(*event.Stream) func()) {
		s, err := d.NewStream()
		require.NoError(b, err)
		all := make([]*event.Event, n)
		var created, recorded, closed time.Duration
		var heap float64
		for b.Loop() {
			before, began := settledHeap(), time.Now()
			for i := range all {
				all[i], err = d.NewEvent()
				require.NoError(b, err)
			}
			created += time.Since(began)
			began = time.Now()
			for _, e := range all {
				if err = e.Record(s); err == nil {
					_, err = e.IsDone()
				}
				require.NoError(b, err)
			}
			recorded += time.Since(began)
			heap += settledHeap() - before
			began = time.Now()
			for i, e := range all {
				all[i] = nil
				require.NoError(b, e.Close())
			}
			closed += time.Since(began)
		}
		require.NoError(b, s.Close())
		events := float64(n * b.N)
		b.ReportMetric(float64(created)/events, "create-ns")
		b.ReportMetric(float64(recorded)/events, "record-query-ns")
		b.ReportMetric(float64(closed)/events, "close-ns")
		b.ReportMetric(heap/events, "heap-B")
	})
}

// settledHeap is the size of the heap after two collections, since caches survive the first.
func settledHeap() float64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&s)
	return float64(s.HeapAlloc)
}

// BenchmarkManyWaiters has n goroutines wait for one event, and measures the time from the end of
// the work until the last of them is awake.
func BenchmarkManyWaiters(b *testing.B) {
	many(b, []int{1, 1_000, 100_000}, func(b *testing.B, n int, d *event.Device,
		hold func(*event.Stream) func()) {
		s, err := d.NewStream()
		require.NoError(b, err)
		var took time.Duration
		for b.Loop() {
			open := hold(s)
			e, err := s.RecordNew()
			require.NoError(b, err)
			var begun, awake sync.WaitGroup
			begun.Add(n)
			for range n {
				awake.Go(func() {
					begun.Done()
					if err := e.Wait(context.Background()); err != nil {
						b.Error(err)
					}
				})
			}
			begun.Wait()
			time.Sleep(5*time.Millisecond + time.Duration(n)*time.Microsecond) // until all wait
			began := time.Now()
			open()
			awake.Wait()
			took += time.Since(began)
			require.NoError(b, e.Close())
		}
		require.NoError(b, s.Close())
		b.ReportMetric(float64(took)/float64(b.N), "all-awake-ns")
	})
}

// BenchmarkManyStreams waits for an event on each of n streams whose work does not end, and
// measures how soon the wait for one more stream ends, and how often the driver is queried.
func BenchmarkManyStreams(b *testing.B) {
	many(b, []int{1, 256}, func(b *testing.B, n int, d *event.Device,
		hold func(*event.Stream) func()) {
		var open []func()
		var waiting sync.WaitGroup
		for range n {
			s, err := d.NewStream()
			require.NoError(b, err)
			open = append(open, hold(s))
			e, err := s.RecordNew()
			require.NoError(b, err)
			waiting.Go(func() {
				if err := e.Wait(context.Background()); err != nil {
					b.Error(err)
				}
				_, _ = e.Close(), s.Close()
			})
		}
		s, err := d.NewStream()
		require.NoError(b, err)
		began, queries := time.Now(), d.Stats().Polled.Queries
		var took time.Duration
		for b.Loop() {
			end := hold(s)
			e, err := s.RecordNew()
			require.NoError(b, err)
			awake := make(chan time.Time, 1)
			go func() {
				if err := e.Wait(context.Background()); err != nil {
					b.Error(err)
				}
				awake <- time.Now()
			}()
			time.Sleep(3 * time.Millisecond)
			ended := time.Now()
			end()
			took += (<-awake).Sub(ended)
			require.NoError(b, e.Close())
		}
		rate := float64(d.Stats().Polled.Queries-queries) / time.Since(began).Seconds()
		for _, f := range open {
			f()
		}
		waiting.Wait()
		require.NoError(b, s.Close())
		b.ReportMetric(float64(took)/float64(b.N), "awake-ns")
		b.ReportMetric(rate, "queries/s")
	})
}

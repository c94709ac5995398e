//go:build linux

package main

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/tools/callbench/report"
)

var (
	wakeTime = flag.Duration("wake.time", 30*time.Millisecond,
		"how long each way is measured with each kind of work")
	wakeLong = flag.Duration("wake.long", 500*time.Millisecond,
		"how long the work takes with which the cost of waiting is measured")
	wakeOnly = flag.String("wake.only", "", "measure the rows that contain this")
	wakeOut  = flag.String("wake.out", "",
		"write the rows to this JSON file, which \"results plots\" draws")
	wakeBars = flag.Bool("wake.bars", false, "fail where an aim is missed")
)

// work is how long the pieces of work take, one after the other.
type work struct {
	name    string
	lengths []time.Duration
}

const us = time.Microsecond

// works are the kinds of work: regular ones, jittering ones, and ones without a rule.
func works() []work {
	random := rand.New(rand.NewPCG(1, 2))
	of := func(f func() time.Duration) []time.Duration {
		all := make([]time.Duration, 1000)
		for i := range all {
			all[i] = f()
		}
		return all
	}
	between := func(from, to time.Duration) time.Duration {
		return from + time.Duration(random.Int64N(int64(to-from)))
	}
	var all []work
	for _, d := range []time.Duration{50 * us, 150 * us, 800 * us, 7000 * us, 50_000 * us} {
		all = append(all, work{d.String(), []time.Duration{d}})
	}
	pair := []time.Duration{50 * us, 7000 * us}
	return append(all,
		work{"2ms±10%", of(func() time.Duration { return between(1800*us, 2200*us) })},
		work{"50µs..10ms", of(func() time.Duration { return between(50*us, 10_000*us) })},
		work{"50µs|7ms", of(func() time.Duration { return pair[random.IntN(2)] })},
	)
}

// waiter is one way to wait for a record.
type waiter struct {
	name   string
	device string
	option []event.EventOption
	wait   func(tb testing.TB, s *event.Stream, e *event.Event) error
}

func waiters() []waiter {
	wait := func(tb testing.TB, _ *event.Stream, e *event.Event) error { return e.Wait(tb.Context()) }
	sync := func(_ testing.TB, _ *event.Stream, e *event.Event) error { return e.Sync() }
	blocking := []event.EventOption{event.WithBlockingSync()}
	return []waiter{
		{"cuda/Event.Wait", "cuda:0", nil, wait},
		{"hip/Event.Wait", "hip:0", nil, wait},
		{"hip/Event.Sync", "hip:0", nil, sync},
		{"hip/Event.Sync-blocking", "hip:0", blocking, sync},
		{"hip/Stream.Sync", "hip:0", nil,
			func(_ testing.TB, s *event.Stream, _ *event.Event) error { return s.Sync() }},
		{"driver/spinning", "cuda:0", nil, sync},
		{"driver/sleeping", "cuda:0", blocking, sync},
	}
}

// lags is how long after the end of each piece of work the waiter woke up, sorted, and what
// share of a processor the process took.
type lags struct {
	all   []time.Duration
	share float64
}

func (l lags) at(percent int) float64 {
	return float64(l.all[min(len(l.all)*percent/100, len(l.all)-1)]) / float64(us)
}

func (l lags) microseconds() (all []float64) {
	for _, lag := range l.all {
		all = append(all, float64(lag)/float64(us))
	}
	return all
}

func processTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measure has the waiter wait for work until it has done so often enough.
func (w waiter) measure(tb testing.TB, lengths []time.Duration, enough func(rounds int) bool) lags {
	tb.Helper()
	check := func(err error) {
		if err != nil {
			tb.Helper()
			tb.Fatal(err)
		}
	}
	tb.Cleanup(libs.CUDA.Install("a driver whose work is time", timedDriver))
	tb.Cleanup(libs.HIP.Install("a runtime whose work is time", timedDriver))
	d, err := event.Open(w.device)
	check(err)
	s, err := d.NewStream()
	check(err)
	e, err := d.NewEvent(w.option...)
	check(err)
	var l lags
	once := func(length time.Duration) {
		timedWork(length)
		check(e.Record(s))
		done := timedEnd()
		timedWork(0) // a wait may record an event of its own
		check(w.wait(tb, s, e))
		lag := timedNow() - done
		if lag < 0 {
			tb.Fatalf("%s: woke up %v too early", w.name, -lag)
		}
		l.all = append(l.all, lag)
	}
	for range 3 {
		once(min(lengths[0], 50_000*us))
	}
	l.all = l.all[:0]
	began, used := time.Now(), processTime()
	for i := 0; !enough(i); i++ {
		once(lengths[i%len(lengths)])
	}
	l.share = float64(processTime()-used) / float64(time.Since(began))
	slices.Sort(l.all)
	check(e.Close())
	check(s.Close())
	return l
}

// during is enough after some time, and a few rounds.
func during(d time.Duration, rounds int) func(int) bool {
	began := time.Now()
	return func(n int) bool { return n >= rounds && time.Since(began) >= d }
}

// compute keeps n goroutines computing until stopped.
func busyLoop(n int) (stop func()) {
	var over atomic.Bool
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			for x := uint64(1); !over.Load(); {
				for range 1000 {
					x = x*6364136223846793005 + 1
				}
			}
		})
	}
	return func() { over.Store(true); all.Wait() }
}

// TestWake measures how long after the end of work a waiter wakes up. Nothing happens in the
// process at that moment: the driver's answers change with the clock.
func TestWake(t *testing.T) {
	busy := map[string]int{"idle": 0, "one computes": 1,
		"all compute": runtime.GOMAXPROCS(0)}
	data := report.Wake{Date: time.Now().UTC().Format(time.DateOnly), Machine: machine(),
		Seconds: wakeTime.Seconds()}
	var table strings.Builder
	fmt.Fprintf(&table, "%-24s %-13s %-11s %9s %9s %9s %7s\n", "way", "process", "work",
		"p50 µs", "p99 µs", "max µs", "core %")
	for _, process := range []string{"idle", "one computes", "all compute"} {
		for _, work := range works() {
			for _, w := range waiters() {
				if !strings.Contains(w.name+"/"+process+"/"+work.name, *wakeOnly) ||
					testing.Short() && (process != "idle" || len(work.lengths) > 1) {
					continue
				}
				stop := busyLoop(busy[process])
				l := w.measure(t, work.lengths, during(*wakeTime, 2))
				stop()
				fmt.Fprintf(&table, "%-24s %-13s %-11s %9.1f %9.1f %9.1f %7.1f\n", w.name, process,
					work.name, l.at(50), l.at(99), l.at(100), 100*l.share)
				data.Rows = append(data.Rows, report.WakeRow{Way: w.name, Process: process,
					Work: work.name, Waits: len(l.all), Core: math.Round(1000*l.share) / 10,
					Late: report.Late(l.microseconds())})
				if *wakeBars && process == "idle" && strings.HasSuffix(w.name, "Wait") &&
					len(work.lengths) == 1 && work.lengths[0] <= 10_000*us {
					if l.at(50) > 50 || l.at(99) > 250 {
						t.Errorf("%s, %s: %.0f µs in the middle, 99th percentile %.0f µs",
							w.name, work.name, l.at(50), l.at(99))
					}
				}
			}
		}
	}
	t.Logf("how long after the end of work waiters wake up\n%s", table.String())
	if *wakeOut != "" {
		require.Empty(t, *wakeOnly, "some rows would replace those of all: leave out -wake.out")
		require.NoError(t, data.Write(*wakeOut))
	}
}

// TestWaitingCosts measures what it costs to wait for work that takes long.
func TestWaitingCosts(t *testing.T) {
	for _, w := range waiters() {
		if !strings.Contains(w.name, *wakeOnly) || strings.Contains(w.name, "spinning") {
			continue
		}
		l := w.measure(t, []time.Duration{50 * us}, during(0, 1)) // opens the device
		l = w.measure(t, []time.Duration{*wakeLong}, func(n int) bool { return n >= 1 })
		t.Logf("%-24s %v: %.1f %% of a core, woke up %.0f µs late", w.name, *wakeLong,
			100*l.share, l.at(100))
		if *wakeBars && strings.HasSuffix(w.name, "Wait") && l.share > 0.10 {
			t.Errorf("%s: %.1f %% of a core", w.name, 100*l.share)
		}
	}
}

// BenchmarkWake reports the same for regular work in an idle process.
func BenchmarkWake(b *testing.B) {
	for _, work := range works() {
		if len(work.lengths) > 1 {
			continue
		}
		for _, w := range waiters() {
			way := strings.ReplaceAll(w.name, "/", ":")
			b.Run("work="+work.name+"/way="+way, func(b *testing.B) {
				l := w.measure(b, work.lengths, func(n int) bool { return n > 0 && n >= b.N })
				b.ReportMetric(l.at(50), "p50-µs")
				b.ReportMetric(l.at(99), "p99-µs")
				b.ReportMetric(100*l.share, "core-%")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

package eventbench

import (
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

const (
	// unit is of the device's time. benchstat reads it as a time.
	unit = "gpu-ns/op"
	// meanUnit is of the distance from the median lap to the mean, in per cent of the median.
	meanUnit = "gpu-mean-%"
	// meanOff is the distance in per cent from which the mean is doubtful.
	meanOff = 5
)

// Timer takes the time of a benchmark's work on streams of one device. Lap, Stop and the
// benchmark's loop belong to one goroutine; Stream may be called by many.
type Timer struct {
	b       *testing.B
	streams []*event.Stream
	handed  atomic.Uint64
	start   *event.Event // what all streams begin behind
	laps    laps
}

// Start begins to take the time of work on the streams, which must belong to one device. It waits
// for what they have still to do, and resets the benchmark's own timer. A failure ends the
// benchmark, as all failures of a Timer do.
func Start(b *testing.B, streams ...*event.Stream) *Timer {
	b.Helper()
	if len(streams) == 0 {
		b.Fatal("eventbench.Start: pass the streams that the work runs on")
	}
	t := &Timer{b: b, streams: streams}
	for _, s := range streams {
		if s.Device() != streams[0].Device() {
			b.Fatalf("eventbench.Start: %v and %v belong to different devices, whose times can't be "+
				"compared: use a benchmark for each", streams[0], s)
		}
		t.must(s.Wait(b.Context()))
	}
	var err error
	t.start, err = streams[0].RecordNew(event.WithTiming())
	t.must(err)
	b.Cleanup(func() { t.laps.close(); _ = t.start.Close() })
	for _, s := range streams[1:] {
		t.must(s.WaitEvent(t.start))
	}
	t.laps.begin(t.start)
	b.ResetTimer()
	return t
}

// must ends the benchmark if there is an error.
func (t *Timer) must(err error) {
	t.b.Helper()
	if err != nil {
		t.b.Fatal(err)
	}
}

// Stream returns the timer's streams in turns, for goroutines of [testing.B.RunParallel] to have
// one each.
func (t *Timer) Stream() *event.Stream {
	return t.streams[int(t.handed.Add(1)-1)%len(t.streams)]
}

// Lap ends an operation on the timer's first stream. Call it at the end of each turn of the loop,
// or never. Without laps the result is the mean, the times are not checked, and the host may get
// far ahead of the device. With Lap it stays ahead by a quarter of the time so far, at most:
// [testing.B.Loop] ends by the host's time, and would leave the device with much to do.
func (t *Timer) Lap() {
	t.b.Helper()
	t.must(t.laps.lap(t.b.Context(), t.streams[0]))
}

// Stop ends the time, waits for the work and reports gpu-ns/op and gpu-mean-%. Call it after the
// loop, where b.N is the number of operations.
func (t *Timer) Stop() {
	t.b.Helper()
	t.b.StartTimer() // which b.Loop has stopped
	var took time.Duration
	var ends []*event.Event
	for _, s := range t.streams { // before the first wait, which would delay them
		end, err := s.RecordNew(event.WithTiming())
		t.must(err)
		ends = append(ends, end)
	}
	for _, end := range ends {
		t.must(end.Wait(t.b.Context()))
		d, err := end.Sub(t.start)
		t.must(err)
		t.must(end.Close())
		took = max(took, d)
	}
	t.b.StopTimer()
	t.report(took)
}

// report reports the median lap where laps cover all work, otherwise the mean, and logs the doubts.
func (t *Timer) report(took time.Duration) {
	t.b.Helper()
	mean := float64(took.Nanoseconds()) / float64(t.b.N)
	resolution := t.streams[0].Device().Resolution()
	sample, operations, err := t.laps.sample(resolution)
	t.must(err)
	switch {
	case len(sample.Times) == 0: // no laps: only the total is known
		t.b.ReportMetric(mean, unit)
		if took < longEnough*resolution {
			t.b.Logf("eventbench: too short for the clock, whose resolution is %v; run more operations",
				resolution)
		}
		return
	case len(t.streams) > 1: // the laps are of the first stream only
		t.b.ReportMetric(mean, unit)
	default:
		median := float64(sample.Median.Nanoseconds()) / float64(operations)
		t.b.ReportMetric(median, unit)
		if median <= 0 {
			break
		}
		off := 100 * (mean/median - 1)
		t.b.ReportMetric(off, meanUnit)
		if math.Abs(off) > meanOff {
			t.b.Logf("eventbench: the mean of the operations, %v, is off the median, %v, by %+.0f %%",
				time.Duration(mean), time.Duration(median), off)
		}
	}
	for _, doubt := range sample.Doubts() {
		t.b.Logf("eventbench: of laps of %d operations: %s", operations, doubt)
	}
}

package eventbench

import (
	"context"
	"slices"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

const (
	// mostLaps is how many laps there are before two and two become one.
	mostLaps = 128 // even
	// ahead is how many laps the device may be behind the host.
	ahead = mostLaps / 8
	// fewestLaps are not made fewer for the sake of the clock.
	fewestLaps = 10
	// longEnough is how many times the clock's resolution a lap should take: rounding is 5 % then.
	longEnough = 20
)

// laps are events between operations. The number of events is bounded: when there are too many,
// every other one is taken out, and from then on a lap is twice as many operations.
type laps struct {
	marks  []*event.Event // the first is the start
	unused []*event.Event
	length int // operations of a lap
	done   int // operations since the last mark
}

func (l *laps) begin(start *event.Event) { l.marks, l.length = []*event.Event{start}, 1 }

// lap notes that an operation was enqueued.
func (l *laps) lap(ctx context.Context, s *event.Stream) error {
	if l.done++; l.done < l.length {
		return nil
	}
	l.done = 0
	e, err := l.event(s)
	if err != nil {
		return err
	}
	l.marks = append(l.marks, e)
	if err := e.Record(s); err != nil {
		return err
	}
	if len(l.marks) > mostLaps {
		l.halve()
	}
	if len(l.marks) <= ahead {
		return nil
	}
	behind := l.marks[len(l.marks)-1-ahead]
	if done, err := behind.IsDone(); done || err != nil {
		return err
	}
	return behind.Wait(ctx)
}

// event returns an event to record.
func (l *laps) event(s *event.Stream) (*event.Event, error) {
	if n := len(l.unused) - 1; n >= 0 {
		e := l.unused[n]
		l.unused = l.unused[:n]
		return e, nil
	}
	return s.Device().NewEvent(event.WithTiming())
}

// halve takes every other mark out, but for the first and the last: their number is odd.
func (l *laps) halve() {
	kept := l.marks[:0]
	for i, e := range l.marks {
		if i%2 == 0 {
			kept = append(kept, e)
		} else {
			l.unused = append(l.unused, e)
		}
	}
	l.marks = kept
	l.length *= 2
}

// sample returns the times of the laps, which must be over, and the number of operations of each.
// Laps that are too short for the clock are put together.
func (l *laps) sample(resolution time.Duration) (sample event.Sample, operations int, err error) {
	var times []time.Duration
	for i, e := range l.marks[1:] {
		d, err := e.Sub(l.marks[i])
		if err != nil {
			return event.Sample{}, 0, err
		}
		times = append(times, d)
	}
	sample, operations = event.NewSample(times, resolution), l.length
	for sample.Median < longEnough*resolution && len(times) >= 2*fewestLaps {
		times = inPairs(times)
		sample, operations = event.NewSample(times, resolution), 2*operations
	}
	return sample, operations, nil
}

// inPairs adds each two times up. A last one that is left over is dropped.
func inPairs(times []time.Duration) (sums []time.Duration) {
	for pair := range slices.Chunk(times, 2) {
		if len(pair) == 2 {
			sums = append(sums, pair[0]+pair[1])
		}
	}
	return sums
}

// close closes the events, but for the first, which is another's.
func (l *laps) close() {
	for _, e := range slices.Concat(l.marks[1:], l.unused) {
		_ = e.Close() // the benchmark is over
	}
}

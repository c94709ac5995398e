package event

import (
	"context"
	"time"
)

// Measure times work on a stream: it calls f, which enqueues the work, runs times, and takes the
// time of each between two events. Before, it calls f some times without timing, since first runs
// are slower. All is enqueued at once, so a GPU does not wait for the host between the runs, unless
// f waits itself; a ctx that ends keeps further runs from being enqueued.
//
// The times include what a GPU takes to start the work, and on the host to run f's functions. What
// f does on other streams is part of them only if the stream waits for it.
func Measure(ctx context.Context, s *Stream, runs int, f func() error) (Sample, error) {
	const op = "Measure"
	if s.isNil() {
		return Sample{}, nilStream(op, "stream <nil>", nil)
	}
	if runs <= 0 || f == nil {
		return Sample{}, &Error{op, s.String(), ErrInvalidOption,
			"ask for at least one run, and pass a function that enqueues the work"}
	}
	for range 1 + runs/10 {
		if err := f(); err != nil {
			return Sample{}, err
		}
	}
	if err := s.Wait(ctx); err != nil {
		return Sample{}, err
	}
	marks := make([]*Event, 0, 2*runs)
	times, err := measure(ctx, s, &marks, runs, f)
	for _, e := range marks {
		err = joinLater(err, e.Close())
	}
	if err != nil {
		return Sample{}, err
	}
	return NewSample(times, s.device.Resolution()), nil
}

// measure enqueues the runs between marks, and waits for them.
func measure(ctx context.Context, s *Stream, marks *[]*Event, runs int, f func() error) (
	times []time.Duration, err error) {
	mark := func() error {
		e, err := s.RecordNew(WithTiming())
		if err == nil {
			*marks = append(*marks, e)
		}
		return err
	}
	for range runs {
		if err := ctx.Err(); err != nil {
			return nil, interrupted("Measure", s.String(), err)
		}
		if err := mark(); err != nil {
			return nil, err
		}
		if err := f(); err != nil {
			return nil, err
		}
		if err := mark(); err != nil {
			return nil, err
		}
	}
	all := *marks
	if err := all[len(all)-1].Wait(ctx); err != nil {
		return nil, err
	}
	for i := 0; i < len(all); i += 2 {
		t, err := all[i+1].Sub(all[i])
		if err != nil {
			return nil, err
		}
		times = append(times, t)
	}
	return times, nil
}

// Resolution returns the smallest difference that [Event.Sub] can return, as the drivers document
// it.
func (d *Device) Resolution() time.Duration {
	switch d.Backend() {
	case CUDA:
		return 500 * time.Nanosecond
	case HIP:
		return time.Microsecond
	}
	return 100 * time.Nanosecond // of the monotonic clocks that systems have
}

package event_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

// On a machine whose clock moves only with its work, the times are exact.
func TestMeasure(t *testing.T) {
	t.Parallel()
	for _, backend := range []event.Backend{event.CUDA, event.HIP} {
		t.Run(string(backend), func(t *testing.T) {
			t.Parallel()
			m := eventsim.New(t, eventsim.Config{Backend: backend})
			s, err := m.Device(0).NewStream()
			require.NoError(t, err)
			defer func() { assert.NoError(t, s.Close()) }()
			calls := 0
			got, err := event.Measure(context.Background(), s, 20, func() error {
				calls++
				took := time.Duration(calls) * time.Millisecond
				m.Work(s, took)
				m.Advance(took)
				return nil
			})
			require.NoError(t, err)
			assert.Equal(t, 23, calls, "three to warm up")
			want := make([]time.Duration, 20)
			for i := range want {
				want[i] = time.Duration(i+4) * time.Millisecond
			}
			assert.Equal(t, want, got.Times)
			assert.Equal(t, 13500*time.Microsecond, got.Median)
		})
	}
}

func TestMeasureRefuses(t *testing.T) {
	t.Parallel()
	d, err := event.Open("host")
	require.NoError(t, err)
	s := d.DefaultStream()
	nothing := func() error { return nil }
	_, err = event.Measure(context.Background(), nil, 1, nothing)
	assert.ErrorIs(t, err, event.ErrNilStream)
	_, err = event.Measure(context.Background(), s, 0, nothing)
	assert.ErrorIs(t, err, event.ErrInvalidOption)
	_, err = event.Measure(context.Background(), s, 1, nil)
	assert.ErrorIs(t, err, event.ErrInvalidOption)
	failure := errors.New("no work")
	n := 0
	_, err = event.Measure(context.Background(), s, 5, func() error {
		if n++; n == 4 {
			return failure
		}
		return nil
	})
	assert.ErrorIs(t, err, failure)
	ctx, cancel := context.WithCancel(context.Background())
	_, err = event.Measure(ctx, s, 5, func() error { cancel(); return nil })
	assert.ErrorIs(t, err, context.Canceled)
}

func TestSample(t *testing.T) {
	t.Parallel()
	of := func(ms ...int) (times []time.Duration) {
		for _, n := range ms {
			times = append(times, time.Duration(n)*time.Millisecond)
		}
		return times
	}
	for _, c := range []struct {
		name       string
		times      []time.Duration
		resolution time.Duration
		want       string
	}{
		{"none", nil, time.Microsecond, "no runs"},
		{"quiet", of(302, 300, 299, 304, 301), time.Microsecond,
			"median 301ms (quartiles 300ms to 302ms, min 299ms, max 304ms, 5 runs)"},
		{"between", of(10, 20, 30, 40, 50, 60), time.Microsecond,
			"median 35ms (quartiles 22.5ms to 47.5ms, min 10ms, max 60ms, 6 runs): the median is only " +
				"known to be between 10ms and 60ms; let nothing else run, and take more runs"},
		{"one", of(1), time.Microsecond, "median 1ms (quartiles 1ms to 1ms, min 1ms, max 1ms, 1 run): " +
			"only 1 run; take at least 5"},
		{"short", of(1, 1), time.Millisecond,
			"median 1ms (quartiles 1ms to 1ms, min 1ms, max 1ms, 2 runs): only 2 runs; take at least 5; " +
				"too short for the clock, whose resolution is 1ms; repeat the work within a run"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, event.NewSample(c.times, c.resolution).String())
		})
	}
}

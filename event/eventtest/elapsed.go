package eventtest

import (
	"time"

	"github.com/gpuevent/gpuevent/event"
)

var elapsedBehaviours = []behaviour{
	{"elapsed/measures-time", nil, func(k *kit) {
		s, began := k.stream(), time.Now()
		start := k.record(s, event.WithTiming())
		k.NoError(start.Sync())
		k.tick(50 * time.Millisecond)
		end := k.record(s, event.WithTiming())
		k.NoError(end.Sync())
		k.took(50*time.Millisecond, began, start, end)
	}},
	{"elapsed/follows-the-stream-not-the-caller", nil, func(k *kit) {
		s, began := k.stream(), time.Now()
		start := k.record(s, event.WithTiming())
		k.NoError(start.Sync())
		g := k.gate(s)
		end := k.record(s, event.WithTiming())
		k.tick(50 * time.Millisecond)
		g.open()
		k.NoError(end.Sync())
		k.took(50*time.Millisecond, began, start, end)
	}},
	{"elapsed/empty-interval-is-not-negative", nil, func(k *kit) {
		s := k.stream()
		start, end := k.record(s, event.WithTiming()), k.record(s, event.WithTiming())
		k.NoError(s.Sync())
		d, err := end.Sub(start)
		k.NoError(err)
		k.GreaterOrEqual(d, time.Duration(0))
		d, err = end.Sub(end)
		k.NoError(err)
		k.Zero(d)
	}},
	{"elapsed/reversed-is-negative", nil, func(k *kit) {
		s := k.stream()
		start := k.record(s, event.WithTiming())
		k.NoError(start.Sync())
		k.tick(5 * time.Millisecond)
		end := k.record(s, event.WithTiming())
		k.NoError(end.Sync())
		forth, err := end.Sub(start)
		k.NoError(err)
		back, err := start.Sub(end)
		k.NoError(err)
		k.Positive(forth)
		k.Equal(-forth, back)
	}},
	{"elapsed/after-syncs-in-any-order", nil, func(k *kit) {
		for _, order := range [][]int{{}, {0}, {1}, {0, 1}, {1, 0}} {
			s := k.stream()
			pair := []*event.Event{k.record(s, event.WithTiming()), k.record(s, event.WithTiming())}
			for _, i := range order {
				k.NoError(pair[i].Sync())
			}
			k.NoError(s.Sync())
			_, err := pair[1].Sub(pair[0])
			k.NoError(err)
		}
	}},
	{"elapsed/across-streams-of-a-device", nil, func(k *kit) {
		start := k.record(k.stream(), event.WithTiming())
		k.NoError(start.Sync())
		k.tick(5 * time.Millisecond)
		end := k.record(k.stream(), event.WithTiming())
		k.NoError(end.Sync())
		d, err := end.Sub(start)
		k.NoError(err)
		k.Positive(d)
	}},
	{"elapsed/recorded-first-finished-last", nil, func(k *kit) {
		held, idle := k.stream(), k.stream()
		g := k.gate(held)
		first := k.record(held, event.WithTiming())
		second := k.record(idle, event.WithTiming())
		k.NoError(second.Sync())
		k.tick(5 * time.Millisecond)
		g.open()
		k.NoError(first.Sync())
		d, err := first.Sub(second)
		k.NoError(err)
		k.Positive(d)
		back, err := second.Sub(first)
		k.NoError(err)
		k.Equal(-d, back)
	}},
	{"elapsed/never-waits", nil, func(k *kit) {
		s := k.stream()
		start := k.record(s, event.WithTiming())
		g := k.gate(s)
		end := k.record(s, event.WithTiming())
		_, err := end.Sub(start)
		k.refused(err, event.ErrNotReady, end.String(), "Wait")
		g.pass()
		_, err = end.Sub(start)
		k.NoError(err, "the same call succeeds once the work is done")
	}},
	{"elapsed/long-spans-lose-only-what-float32-does", []need{passing}, func(k *kit) {
		s, began := k.stream(), time.Now()
		start := k.record(s, event.WithTiming())
		k.NoError(start.Sync())
		total := time.Duration(0)
		for _, span := range []time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour} {
			k.tick(span)
			total += span
			end := k.record(s, event.WithTiming())
			k.NoError(end.Sync())
			k.took(total, began, start, end)
		}
	}},
	{"elapsed/skew-is-passed-on", []need{skewable}, func(k *kit) {
		s, began := k.stream(), time.Now()
		start := k.record(s, event.WithTiming())
		k.NoError(start.Sync())
		k.Skew(-2 * time.Microsecond) // the driver's own answer, not clamped to 0
		end := k.record(s, event.WithTiming())
		k.NoError(end.Sync())
		k.took(-2*time.Microsecond, began, start, end)
	}},
	{"elapsed/diagnosis", nil, diagnose},
}

// took wants the time between two events to be at least d, and at most the time that has really
// passed since began on top of it, which is nothing if the clock is the test's. A float32 has 24
// bits, and devices tick in steps of half a microsecond.
func (k *kit) took(d time.Duration, began time.Time, start, end *event.Event) {
	k.t.Helper()
	got, err := end.Sub(start)
	k.NoError(err)
	slack := time.Duration(float64(d.Abs()) / (1 << 23))
	if k.Pass == nil {
		slack += time.Microsecond
	}
	k.GreaterOrEqual(got, d-slack-time.Nanosecond)
	k.LessOrEqual(got, d+slack+time.Since(began))
}

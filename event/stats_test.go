package event_test

import (
	"context"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
	"github.com/gpuevent/gpuevent/internal/host"
)

// counted is a device that nobody else uses, and what holds its streams up.
type counted struct {
	*event.Device
	hold func(*event.Stream) (release func())
}

// onCounted runs a test on a device of each backend.
func onCounted(t *testing.T, test func(t *testing.T, d counted)) {
	t.Parallel()
	for _, b := range []event.Backend{event.CUDA, event.HIP} {
		t.Run(string(b), func(t *testing.T) {
			t.Parallel()
			m := eventsim.New(t, eventsim.Config{Backend: b})
			hold := func(s *event.Stream) func() { return m.Gate(s).Open }
			test(t, counted{m.Device(0), hold})
		})
	}
	t.Run("host", func(t *testing.T) {
		t.Parallel()
		hold := func(s *event.Stream) func() {
			gate := make(chan struct{})
			ensure(s.HostFunc(func() error { <-gate; return nil }))
			return func() { close(gate) }
		}
		test(t, counted{event.NewHostDevice(host.New(host.Options{})), hold})
	})
}

// soon waits for figures that follow a moment later.
func (d counted) soon(t *testing.T, what string, is func(event.DeviceStats) bool) {
	t.Helper()
	require.Eventually(t, func() bool { runtime.GC(); return is(d.Stats()) }, 20*time.Second,
		time.Millisecond, "%s: %+v", what, d.Stats())
}

func TestStats(t *testing.T) {
	onCounted(t, func(t *testing.T, d counted) {
		ctx := context.Background()
		fresh := d.Stats()
		assert.Equal(t, d.String(), fresh.Device)
		assert.Zero(t, fresh.Streams+fresh.Events+fresh.Pending+fresh.Spares)
		assert.Zero(t, fresh.Records+fresh.Leaks+fresh.Polled.Queries)

		s, other := obtain(d.NewStream()), obtain(d.NewStream())
		a, b := obtain(d.NewEvent()), obtain(other.RecordNew())
		for range 3 {
			ensure(a.Record(s))
		}
		ensure(a.Record(d.DefaultStream()))
		now := d.Stats()
		assert.Equal(t, 2, now.Streams)
		assert.Equal(t, 2, now.Events)
		assert.EqualValues(t, 5, now.Records)

		// What takes numbers of streams, and what fails, is no record.
		_, err := s.IsDone()
		ensure(err)
		ensure(s.Sync())
		ensure(s.HostFunc(func() error { return nil }))
		ensure(d.Sync())
		closed := obtain(d.NewStream())
		ensure(closed.Close())
		assert.ErrorIs(t, a.Record(closed), event.ErrClosed)
		_, err = closed.RecordNew()
		assert.ErrorIs(t, err, event.ErrClosed)
		assert.EqualValues(t, 5, d.Stats().Records)
		ensure(s.Wait(ctx)) // makes an event
		assert.EqualValues(t, 6, d.Stats().Records)

		release := d.hold(s)
		ensure(a.Record(s))
		done := a.Done()
		assert.Equal(t, 1, d.Stats().Pending)
		if d.Backend() != event.HIP { // where Close waits
			ensure(s.Close()) // the record is still waited for
			assert.Equal(t, 1, d.Stats().Streams)
			assert.Equal(t, 1, d.Stats().Pending)
		}
		ensure(b.Record(other))
		release()
		<-done
		d.soon(t, "no wait", func(now event.DeviceStats) bool { return now.Pending == 0 })
		polled := d.Stats().Polled
		assert.Equal(t, d.IsHost(), polled.Queries == 0)
		assert.LessOrEqual(t, polled.Rounds, polled.Queries)

		ensure(a.Close())
		ensure(b.Close())
		ensure(other.Close())
		ensure(s.Close())
		d.soon(t, "all closed", func(now event.DeviceStats) bool {
			return now.Streams == 0 && now.Events == 0 && now.Records == 8
		})
		assert.Zero(t, d.Stats().Leaks)
	})
}

func TestStatsOfLeaks(t *testing.T) {
	onCounted(t, func(t *testing.T, d counted) {
		kept := obtain(d.NewStream())
		func() {
			obtain(d.NewStream())
			obtain(d.NewEvent())
			e := obtain(kept.RecordNew())
			ensure(e.Close())
		}()
		d.soon(t, "leaks", func(now event.DeviceStats) bool { return now.Leaks == 2 })
		d.soon(t, "ends", func(now event.DeviceStats) bool {
			return now.Events == 0 && now.Streams == 1
		})
		ensure(kept.Close())
	})
}

// A closed event's native event is in the pool for a moment.
func TestStatsOfSpares(t *testing.T) {
	t.Parallel()
	d := eventsim.New(t, eventsim.Config{}).Device(0)
	require.Eventually(t, func() bool {
		a, b := obtain(d.NewEvent()), obtain(d.NewEvent())
		ensure(a.Close())
		ensure(b.Close())
		now := d.Stats()
		return now.Spares == 2 && now.Events == 0
	}, 10*time.Second, time.Millisecond)
}

// Numbers of records have 32 bits; their count has more.
func TestStatsPastTheNumbers(t *testing.T) {
	onCounted(t, func(t *testing.T, d counted) {
		s := obtain(d.NewStream())
		event.SkipNumbers(s, math.MaxUint32-3)
		e := obtain(d.NewEvent())
		for range 10 {
			ensure(e.Record(s))
			obtain(s.IsDone())
		}
		assert.EqualValues(t, 10, d.Stats().Records)
		ensure(e.Close())
		ensure(s.Close())
		assert.EqualValues(t, 10, d.Stats().Records)
	})
}

// The only test that counts on demand: the switch is the process's.
func TestStatsOnDemand(t *testing.T) {
	event.EnableStats(true)
	t.Cleanup(func() { event.EnableStats(false) })
	t.Run("on", func(t *testing.T) {
		onCounted(t, func(t *testing.T, d counted) {
			s, other := obtain(d.NewStream()), obtain(d.NewStream())
			release := d.hold(s)
			e := obtain(s.RecordNew())
			assert.False(t, obtain(e.IsDone()))
			ensure(other.WaitEvent(e))
			ensure(other.WaitStream(s))
			assert.EqualValues(t, 1, d.Stats().Queries)
			assert.EqualValues(t, 2, d.Stats().StreamWaits)
			woken := make(chan error)
			go func() { woken <- e.Wait(context.Background()) }()
			d.soon(t, "a wait", func(now event.DeviceStats) bool { return now.Pending == 1 })
			release()
			ensure(<-woken)
			ensure(e.Wait(context.Background())) // known to be done
			_, err := event.WaitAny(context.Background(), e)
			ensure(err)
			now := d.Stats()
			assert.EqualValues(t, 1, now.Waits)
			assert.EqualValues(t, 1, now.Wakes.Count)
			assert.Positive(t, now.Wakes.Max)
			assert.Equal(t, now.Wakes.Max, now.Wakes.Mean())
			for _, o := range []interface{ Close() error }{e, s, other} {
				ensure(o.Close())
			}
		})
	})
}

func TestStatsOfTheProcess(t *testing.T) {
	t.Parallel()
	h := obtain(event.Open("host"))
	s := obtain(h.NewStream())
	defer func() { ensure(s.Close()) }()
	all := event.Stats()
	require.NotEmpty(t, all)
	assert.Equal(t, "host", all[len(all)-1].Device)
	assert.Positive(t, all[len(all)-1].Streams)
	assert.Zero(t, (*event.Device)(nil).Stats())
}

func TestWakes(t *testing.T) {
	t.Parallel()
	const µs, ms = time.Microsecond, time.Millisecond
	for _, c := range []struct {
		name              string
		of                []time.Duration
		mean, half, worst time.Duration
	}{
		{"none", nil, 0, 0, 0},
		{"one", []time.Duration{3 * µs}, 3 * µs, 3 * µs, 3 * µs},
		{"some", []time.Duration{0, 500, 1 * µs, 5 * µs, 100 * ms}, 20_001_300, 2 * µs, 100 * ms},
		{"very long", []time.Duration{time.Hour, -1}, 30*time.Minute - 1, 1 * µs, time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := event.WakesOf(c.of...)
			assert.EqualValues(t, len(c.of), w.Count)
			assert.Equal(t, c.mean, w.Mean())
			assert.Equal(t, c.half, w.Quantile(0.5))
			assert.Equal(t, c.worst, w.Quantile(1))
			for i, b := range w.Buckets[1:] {
				if i < len(w.Buckets)-2 {
					assert.Equal(t, 2*w.Buckets[i].Below, b.Below)
				}
			}
			assert.Zero(t, w.Buckets[len(w.Buckets)-1].Below)
		})
	}
}

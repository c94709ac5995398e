package event_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/clock"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// chipFace is the driver whose elapsed times have the sign of the order of records.
var chipFace = []face{{event.HIP, "cpu"}}

// recordApart records events with times, a while apart, on streams that are idle.
func (r *rig) recordApart(m *clock.Manual, apart time.Duration, on ...*event.Stream) (
	all []*event.Event) {
	for _, s := range on {
		e := r.event(r.device(0), event.WithTiming())
		m.Advance(apart)
		ensure(e.Record(s))
		ensure(e.Sync())
		all = append(all, e)
	}
	return all
}

func TestSubOnABusyDevice(t *testing.T) {
	manual := clock.NewManual()
	onFaces(t, chipFace, sim.Options{Clock: manual}, func(t *testing.T, r *rig) {
		a, b := r.stream(r.device(0)), r.stream(r.device(0))
		events := r.recordApart(manual, time.Millisecond, a, b, b)
		r.m.FaultAlways("hipEventQuery", 600)
		returns(t, "Sub", func() {
			_, err := events[1].Sub(events[0])
			assert.ErrorIs(t, err, event.ErrNotReady)
			assert.ErrorContains(t, err, "too busy")
		})
		returns(t, "Sub on one stream", func() {
			d, err := events[2].Sub(events[1])
			assert.NoError(t, err)
			assert.Equal(t, time.Millisecond, d)
		})
		r.m.ClearFaults()
		d, err := events[1].Sub(events[0])
		assert.NoError(t, err)
		assert.Equal(t, time.Millisecond, d)
	})
}

// An hour later, a float32 of milliseconds is the same for both records.
func TestSubLongAfterTheRecords(t *testing.T) {
	manual := clock.NewManual()
	onFaces(t, chipFace, sim.Options{Clock: manual}, func(t *testing.T, r *rig) {
		a, b := r.stream(r.device(0)), r.stream(r.device(0))
		events := r.recordApart(manual, 10*time.Microsecond, a, b)
		manual.Advance(time.Hour)
		d, err := events[1].Sub(events[0])
		assert.NoError(t, err)
		assert.InDelta(t, 10*time.Microsecond, d, float64(time.Microsecond))
		d, err = events[0].Sub(events[1])
		assert.NoError(t, err)
		assert.InDelta(t, -10*time.Microsecond, d, float64(time.Microsecond))
	})
}

package event_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// timed returns the starts and the end of times that differ.
func (r *rig) timed(n int) (starts []*event.Event, end *event.Event) {
	s := r.stream(r.device(0))
	for range n {
		starts = append(starts, r.recorded(s, event.WithTiming()))
		time.Sleep(2 * time.Millisecond)
	}
	end = r.recorded(s, event.WithTiming())
	ensure(s.Sync())
	return starts, end
}

// Goroutines that take times to the same event at once get their own, although the driver writes
// them to memory of that event.
func TestTimesToOneEventAtOnce(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		const rounds = 1000
		starts, end := r.timed(4)
		var all sync.WaitGroup
		seen := map[time.Duration]bool{}
		for _, start := range starts {
			want := obtain(end.Sub(start))
			assert.False(t, seen[want], "%v", want)
			seen[want] = true
			all.Go(func() {
				wrong := 0
				for range rounds {
					if obtain(end.Sub(start)) != want {
						wrong++
					}
				}
				assert.Zero(t, wrong, "of %v", want)
			})
		}
		returns(t, "all", all.Wait)
	})
}

// Where the event's memory is in use, a time is written elsewhere.
func TestTimeBesideAnother(t *testing.T) {
	onFaces(t, cudaFaces(), sim.Options{}, func(t *testing.T, r *rig) {
		starts, end := r.timed(1)
		want := obtain(end.Sub(starts[0]))
		assert.NotZero(t, want)
		read := event.TakeTime(end)
		assert.Equal(t, want, obtain(end.Sub(starts[0])))
		assert.True(t, read(), "the other's time is lost")
		assert.Equal(t, want, obtain(end.Sub(starts[0])))
	})
}

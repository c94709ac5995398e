package timeline

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

// TestManyGoroutines uses one timeline from many goroutines, on shared and own streams of the host
// and of two simulated machines, while others flush and write.
func TestManyGoroutines(t *testing.T) {
	t.Parallel()
	var devices []*event.Device
	for _, b := range []event.Backend{event.CUDA, event.HIP} {
		m := eventsim.New(t, eventsim.Config{Backend: b, RealTime: true, ClockDrift: 50e-6})
		devices = append(devices, m.Device(0))
	}
	devices = append(devices, hostDevice(t))
	tl, err := New(Options{Spans: 500, Pending: 64})
	require.NoError(t, err)
	var mu sync.Mutex
	seen := 0
	tl.OnFinish(func(it Item) {
		mu.Lock()
		defer mu.Unlock()
		seen++
		assert.NoError(t, it.Err, "%+v", it)
	})
	runs := 200
	if testing.Short() {
		runs = 30
	}
	var group sync.WaitGroup
	for i, d := range devices {
		shared := simStream(t, d)
		other := simStream(t, devices[(i+1)%len(devices)])
		defer other.Close()
		defer shared.Close()
		for range 4 {
			group.Go(func() {
				for k := range runs {
					own, err := d.NewStream()
					if !assert.NoError(t, err) {
						return
					}
					outer := tl.Begin(shared, "outer", Int("k", k))
					inner := outer.BeginOn(own, "inner")
					_ = tl.Mark(own, "mark")
					tl.Counter("k", float64(k))
					_ = inner.End()
					if k%3 == 0 {
						_ = outer.EndOn(other)
					} else {
						_ = outer.End()
					}
					if outer.Err() == nil {
						assert.NoError(t, tl.Wait(own, outer))
					}
					assert.NoError(t, own.Close())
				}
			})
		}
	}
	group.Go(func() {
		for range 20 {
			assert.NoError(t, tl.Flush(context.Background()))
			assert.NoError(t, tl.WriteTrace(discard{}))
		}
	})
	group.Wait()
	shot := flushed(t, tl)
	assert.Equal(t, shot.Stats.Begun, shot.Stats.Finished+shot.Stats.Failed, "%v", shot.Stats)
	assert.Len(t, shot.Items, 500)
	require.NoError(t, tl.Close(t.Context()))
	t.Log(shot.Stats, seen)
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// TestWakesUp lets the resolver fall asleep.
func TestWakesUp(t *testing.T) {
	t.Parallel()
	tl := open(t, Options{})
	s := stream(t, hostDevice(t))
	finished := make(chan string, 1)
	tl.OnFinish(func(it Item) { finished <- it.Name })
	for i := range 3 {
		name := fmt.Sprint(i)
		require.NoError(t, tl.Begin(s, name).End())
		assert.Equal(t, name, <-finished, "without a flush")
		assert.Eventually(t, tl.resolver.asleep.Load, time.Minute, time.Millisecond)
	}
}

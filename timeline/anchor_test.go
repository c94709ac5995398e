package timeline

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

// TestAnchors marks moments of the host and of simulated devices, whose clocks have an offset and a
// drift, 10,000 in all: each mark is made and waited for between two readings of the host's clock,
// and the stated times have to agree with them.
func TestAnchors(t *testing.T) {
	t.Parallel()
	cases := []struct {
		backend event.Backend
		offset  time.Duration
		drift   float64
	}{
		{event.Host, 0, 0},
		{event.CUDA, 5 * time.Hour, 80e-6},
		{event.CUDA, -time.Hour, -400e-6},
		{event.HIP, time.Minute, -30e-6},
		{event.HIP, -time.Millisecond, 400e-6},
	}
	trials := 10_000 / len(cases)
	if testing.Short() {
		trials /= 10
	}
	for _, c := range cases {
		t.Run(fmt.Sprintf("%s %v %v", c.backend, c.offset, c.drift), func(t *testing.T) {
			t.Parallel()
			d := hostDevice(t)
			if c.backend != event.Host {
				d = eventsim.New(t, eventsim.Config{Backend: c.backend, RealTime: true,
					ClockOffset: c.offset, ClockDrift: c.drift}).Device(0)
			}
			agree(t, d, trials)
		})
	}
}

func agree(t *testing.T, d *event.Device, trials int) {
	tl, err := New(Options{Devices: []*event.Device{d}})
	require.NoError(t, err)
	s, err := d.NewStream()
	require.NoError(t, err)
	type window struct{ before, after time.Time }
	var windows []window
	for i := range trials {
		before := time.Now()
		require.NoError(t, tl.Mark(s, "m", Int("i", i)))
		require.NoError(t, s.Sync())
		windows = append(windows, window{before, time.Now()})
		time.Sleep(time.Duration(i%20) * 50 * time.Microsecond) // so that it takes a second
	}
	shot := flushed(t, tl)
	require.Len(t, shot.Items, trials)
	var bounds []float64
	for _, it := range shot.Items {
		w := windows[it.Attrs[0].Value().(int64)]
		require.False(t, it.Start.Add(it.Bound).Before(w.before), "%v before %v", it, w)
		require.False(t, it.Start.Add(-it.Bound).After(w.after), "%v after %v", it, w)
		bounds = append(bounds, float64(it.Bound))
	}
	report(t, "bound", bounds)
	t.Log(d, shot.Devices[0].Clock)
	c := shot.Devices[0].Clock
	assert.Positive(t, c.Anchors)
	assert.NoError(t, c.Err)
	require.NoError(t, s.Close())
	require.NoError(t, tl.Close(t.Context()))
}

// TestDrift finds the drift of a simulated clock.
func TestDrift(t *testing.T) {
	t.Parallel()
	const drift = -200e-6
	m := eventsim.New(t, eventsim.Config{RealTime: true, ClockOffset: time.Hour, ClockDrift: drift})
	tl, err := New(Options{Devices: m.Devices()})
	require.NoError(t, err)
	s, err := m.Device(0).NewStream()
	require.NoError(t, err)
	known := func() bool {
		require.NoError(t, tl.Begin(s, "x").End())
		c, _ := tl.Clock(m.Device(0))
		return c.Anchors > 3
	}
	require.Eventually(t, known, time.Minute, time.Millisecond)
	c, ok := tl.Clock(m.Device(0))
	assert.True(t, ok)
	assert.InDelta(t, drift, c.Drift, c.Unsure+1e-9)
	assert.Less(t, c.Unsure, float64(maxDrift))
	require.NoError(t, s.Close())
	require.NoError(t, tl.Close(t.Context()))
	_, ok = tl.Clock(hostDevice(t))
	assert.False(t, ok)
}

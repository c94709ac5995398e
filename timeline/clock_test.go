package timeline

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// simulated is a device's clock of known offset and drift, and a driver that reads it as real ones
// do: in steps, as float32 milliseconds.
type simulated struct {
	offset, drift, step float64
}

func (s simulated) shows(host float64) float64 { return s.offset + host*(1+s.drift) }

func (s simulated) sub(end, start float64) float64 {
	d := end - start
	if s.step > 0 {
		d = math.Round(d/s.step) * s.step
	}
	return float64(float32(d/1e6)) * 1e6
}

// TestClockBound places events of clocks that are known exactly: 10,000 clocks, each with anchors
// at random moments in random windows, and an event at a random place among them or behind them.
func TestClockBound(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	const trials = 10_000
	var bounds, errs []float64
	for range trials {
		s := simulated{offset: (random.Float64() - 0.5) * 1e15, drift: (random.Float64() - 0.5) * 8e-4,
			step: float64(random.IntN(2) * 500)}
		c := newClock(500, true)
		var shown []float64 // by the device at the anchors
		host := random.Float64() * 1e9
		pause := 10e6
		for range 1 + random.IntN(12) {
			width := 2e3 + random.Float64()*30e3
			at := host + random.Float64()*width // anywhere in the window
			var gaps []float64
			for _, before := range shown {
				gaps = append(gaps, s.sub(s.shows(at), before))
			}
			dropped := c.add(anchor{host + width/2, width / 2}, gaps)
			require.LessOrEqual(t, dropped, 1)
			shown = append(shown[dropped:], s.shows(at))
			host += pause * (0.5 + random.Float64())
			pause = min(2*pause, 1e9)
		}
		truth := host + (random.Float64()*2-1.5)*pause
		newest := len(shown) - 1
		i := c.nearest(s.sub(s.shows(truth), shown[newest]))
		at, bound := c.place(i, s.sub(s.shows(truth), shown[i]))
		require.LessOrEqual(t, math.Abs(at-truth), bound, "%+v, %d anchors", s, len(shown))
		bounds, errs = append(bounds, bound), append(errs, math.Abs(at-truth))
		if len(shown) > 1 {
			require.LessOrEqual(t, math.Abs(1/c.rate-1-s.drift), c.unsure+1e-9)
		}
	}
	report(t, "bound", bounds)
	report(t, "error", errs)
}

// report logs how large figures are, in nanoseconds.
func report(t *testing.T, what string, ns []float64) {
	slices.Sort(ns)
	t.Logf("%s: median %.1f µs, 99 %% %.1f µs, largest %.1f µs, of %d", what, ns[len(ns)/2]/1e3,
		ns[len(ns)*99/100]/1e3, ns[len(ns)-1]/1e3, len(ns))
}

func TestClockAfterAnAdjustment(t *testing.T) {
	t.Parallel()
	c := newClock(500, true)
	c.add(anchor{at: 0, half: 5e3}, nil)
	c.add(anchor{at: 1e9, half: 5e3}, []float64{1e9})
	require.InDelta(t, 1, c.rate, 20e-6)
	// A clock was halted for a millisecond: more than any drift that is assumed.
	for _, late := range []float64{1e6, -1e6} {
		c := clock{resolution: 500, drifts: true, anchors: slices.Clone(c.anchors)}
		assert.Equal(t, 2, c.add(anchor{at: 2e9 + late, half: 5e3}, []float64{2e9, 1e9}))
		at, bound := c.place(0, 1e6)
		assert.InDelta(t, 2.001e9+late, at, bound)
		assert.Equal(t, maxDrift, c.unsure)
	}
	// The rate has changed by 20 millionths: both are possible from now on.
	c.add(anchor{at: 2e9 + 20e3, half: 1}, []float64{2e9, 1e9})
	assert.LessOrEqual(t, c.rate-c.unsure, 1+10e-6)
	assert.GreaterOrEqual(t, c.rate+c.unsure, 1+20e-6)
}

func TestClockOfTheHost(t *testing.T) {
	t.Parallel()
	c := newClock(100, false)
	c.add(anchor{at: 1e9, half: 300}, nil)
	at, bound := c.place(0, 3600e9)
	assert.Equal(t, 3601e9, at)
	assert.Equal(t, 400.0, bound, "however far")
}

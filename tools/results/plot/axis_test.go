package plot

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		unit Unit
		v    float64
		want string
	}{
		{Number, 0, "0"}, {Number, 1, "1"}, {Number, 1.25, "1.25"}, {Number, 999, "999"},
		{Number, 1000, "1,000"}, {Number, 1_000_000, "1,000,000"}, {Number, -1234567, "-1,234,567"},
		{Number, 0.05, "0.05"}, {Number, 2e-7, "2e-07"}, {Number, 5e12, "5e+12"},
		{Nanoseconds, 1, "1 ns"}, {Nanoseconds, 24.56, "24.6 ns"}, {Nanoseconds, 999.6, "1 µs"},
		{Nanoseconds, 20_000, "20 µs"}, {Nanoseconds, 3e6, "3 ms"}, {Nanoseconds, 5e9, "5 s"},
		{Nanoseconds, 5e12, "5,000 s"},
		{Bytes, 408, "408 B"}, {Bytes, 1536, "1.54 kB"}, {Bytes, 3e9, "3 GB"},
		{Percent, 0.1, "0.1 %"}, {Times, 1.98, "1.98×"}, {Times, 12.34, "12.3×"},
	} {
		assert.Equal(t, c.want, c.unit.Format(c.v), "%v of unit %d", c.v, c.unit)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	log := Axis{Log: true}
	for name, c := range map[string]struct {
		axis     Axis
		values   []float64
		from, to float64
	}{
		"round already":        {log, []float64{1, 1000}, 1, 1000},
		"rounded to 1, 2, 5":   {log, []float64{1.3, 37, 880}, 1, 1000},
		"small":                {log, []float64{0.0037, 0.15}, 0.002, 0.2},
		"one value":            {log, []float64{30}, 20, 50},
		"one round value":      {log, []float64{100}, 50, 200},
		"wanted limits":        {Axis{Log: true, Min: 0.5, Max: 4000}, []float64{2, 30}, 0.5, 5000},
		"wanted limits narrow": {Axis{Log: true, Min: 10, Max: 20}, []float64{2, 30}, 2, 50},
		"tight":                {Axis{Log: true, Tight: true}, []float64{1, 256}, 1, 256},
		"tight, one value":     {Axis{Log: true, Tight: true}, []float64{30}, 20, 50},
		"linear":               {Axis{}, []float64{3, 41}, 0, 50},
		"linear, negative":     {Axis{}, []float64{-3, 6}, -4, 6},
		"linear, all zero":     {Axis{}, []float64{0, 0}, 0, 1},
		"linear, wanted":       {Axis{Max: 100}, []float64{3, 41}, 0, 100},
	} {
		from, to := c.axis.limits(c.values)
		assert.InDelta(t, c.from, from, 1e-9, name)
		assert.InDelta(t, c.to, to, 1e-9, name)
	}
}

// TestLimitsContainData tries values of all magnitudes.
func TestLimitsContainData(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 2_000 {
		values := make([]float64, 1+random.IntN(4))
		for j := range values {
			values[j] = math.Pow(10, 40*random.Float64()-20)
		}
		for _, a := range []Axis{{}, {Log: true}, {Log: true, Tight: true}, {Log: true, Min: 3, Max: 7}} {
			from, to := a.limits(values)
			least, most := slices.Min(values), slices.Max(values)
			require.True(t, from <= least*(1+1e-9) && most <= to*(1+1e-9) && from < to,
				"%d: %+v: %v to %v of %v", i, a, from, to, values)
			ticks := a.linearTicks
			if a.Log {
				ticks = a.logTicks
			}
			for _, tick := range ticks(from, to) {
				require.True(t, from*(1-1e-8) <= tick.Value && tick.Value <= to*(1+1e-8),
					"%+v: a tick at %v between %v and %v", a, tick.Value, from, to)
			}
		}
	}
}

func TestTicks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		axis     Axis
		from, to float64
		want     []string
	}{
		"powers of ten": {Axis{Log: true, Unit: Nanoseconds}, 50, 2e6,
			[]string{"100 ns", "1 µs", "10 µs", "100 µs", "1 ms"}},
		"between them": {Axis{Log: true, Unit: Nanoseconds}, 2, 50,
			[]string{"2 ns", "5 ns", "10 ns", "20 ns", "50 ns"}},
		"wide": {Axis{Log: true, Wide: true}, 1, 256,
			[]string{"1", "2", "5", "10", "20", "50", "100", "200"}},
		"short": {Axis{Log: true}, 1, 1e6, []string{"1", "10", "100", "1k", "10k", "100k", "1M"}},
		"many":  {Axis{Log: true}, 1, 1e8, []string{"1", "100", "10k", "1M", "100M"}},
		"linear": {Axis{Unit: Percent}, 0, 100,
			[]string{"0 %", "20 %", "40 %", "60 %", "80 %", "100 %"}},
	} {
		ticks := c.axis.linearTicks
		if c.axis.Log {
			ticks = c.axis.logTicks
		}
		var got []string
		for _, tick := range ticks(c.from, c.to) {
			if tick.Label != "" {
				got = append(got, tick.Label)
			}
		}
		assert.Equal(t, c.want, got, name)
	}
}

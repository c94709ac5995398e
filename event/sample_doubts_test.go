package event_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
)

var doubtsPage = flag.String("event.doubts", "", "write the frequencies of false and "+
	"missed alarms of Sample.Doubts to this `file`")

const documented = 500 * time.Nanosecond

// source makes times of n runs. Its unit is a millisecond.
type source struct {
	name string
	make func(r *rand.Rand, n int) []float64
}

func each(f func(r *rand.Rand, i, n int) float64) func(*rand.Rand, int) []float64 {
	return func(r *rand.Rand, n int) (times []float64) {
		for i := range n {
			times = append(times, f(r, i, n))
		}
		return times
	}
}

func noise(r *rand.Rand) float64 { return 1 + 0.02*r.NormFloat64() }

// sound are distributions whose median every size of sample gives within 5 %.
var sound = []source{
	{"normal, 1 %", each(func(r *rand.Rand, _, _ int) float64 { return 1 + 0.01*r.NormFloat64() })},
	{"normal, 2 %", each(func(r *rand.Rand, _, _ int) float64 { return noise(r) })},
	{"log-normal, 1 %", each(func(r *rand.Rand, _, _ int) float64 {
		return math.Exp(0.01 * r.NormFloat64())
	})},
	{"log-normal, 2 %", each(func(r *rand.Rand, _, _ int) float64 {
		return math.Exp(0.02 * r.NormFloat64())
	})},
	{"normal, 1 %, and exponential noise, 1 %", each(func(r *rand.Rand, _, _ int) float64 {
		return 1 + 0.01*r.NormFloat64() + 0.01*r.ExpFloat64()
	})},
	{"normal, 2 %, one run in 200 by half longer", each(func(r *rand.Rand, _, _ int) float64 {
		if r.IntN(200) == 0 {
			return 1.5 * noise(r)
		}
		return noise(r)
	})},
}

// unsound are distributions that must be doubted.
var unsound = []source{
	{"first quarter three times slower", each(func(r *rand.Rand, i, n int) float64 {
		if 4*i < n {
			return 3 * noise(r)
		}
		return noise(r)
	})},
	{"last quarter twice as slow", each(func(r *rand.Rand, i, n int) float64 {
		if 4*i >= 3*n {
			return 2 * noise(r)
		}
		return noise(r)
	})},
	{"drift of 18 %", each(func(r *rand.Rand, i, n int) float64 {
		return noise(r) * (1 + 0.18*float64(i)/float64(n-1))
	})},
	{"two modes, half of the runs 30 % slower", each(func(r *rand.Rand, i, n int) float64 {
		return noise(r) * (1 + 0.3*float64(i%2))
	})},
	{"two modes, a fifth of the runs 30 % slower", each(func(r *rand.Rand, i, n int) float64 {
		if i%5 == 2 {
			return 1.3 * noise(r)
		}
		return noise(r)
	})},
	{"one outlier of 1000 ×", func(r *rand.Rand, n int) []float64 {
		times := each(func(r *rand.Rand, _, _ int) float64 { return noise(r) })(r, n)
		times[r.IntN(n)] *= 1000
		return times
	}},
	{"clock of 1 ms, 3.4 ms of work", each(func(r *rand.Rand, _, _ int) float64 {
		begin := r.Float64()
		return math.Floor(begin+3.4*noise(r)) - math.Floor(begin)
	})},
	{"clock of 1 ms, 10 ms of work, rounded", each(func(r *rand.Rand, _, _ int) float64 {
		return math.Round(10 * noise(r))
	})},
}

// noisy are distributions whose median needs more runs.
var noisy = []source{
	{"5 %", each(func(r *rand.Rand, _, _ int) float64 { return 1 + 0.05*r.NormFloat64() })},
	{"10 %", each(func(r *rand.Rand, _, _ int) float64 { return 1 + 0.1*r.NormFloat64() })},
	{"20 %", each(func(r *rand.Rand, _, _ int) float64 { return 1 + 0.2*r.NormFloat64() })},
}

// outcome is what becomes of many samples.
type outcome struct {
	doubted   float64 // the part with doubts
	off       float64 // the part whose median is off by more than 5 %
	offUnseen float64 // the part that is off without a doubt
}

func outcomeOf(s source, n, trials int) (o outcome) {
	r := rand.New(rand.NewPCG(17, uint64(n)))
	for range trials {
		var times []time.Duration
		for _, ms := range s.make(r, n) {
			times = append(times, time.Duration(ms*1e6).Round(documented))
		}
		sample := event.NewSample(times, documented)
		doubted := sample.Doubts() != nil
		off := math.Abs(float64(sample.Median)/1e6-1) > 0.05
		if doubted {
			o.doubted += 1 / float64(trials)
		}
		if off {
			o.off += 1 / float64(trials)
		}
		if off && !doubted {
			o.offUnseen += 1 / float64(trials)
		}
	}
	return o
}

const doubtsHead = `# False and missed alarms of event.Sample.Doubts

%d samples of each kind and size, from a generator with a fixed seed. ` + "`make doubts`" + ` writes
this page.

The times are around 1 ms on a clock with a documented resolution of 500 ns. A sample is sound if
its median is right within 5 %%, and if nothing but noise makes its times vary.
`

// TestDoubts counts false and missed alarms. In its long form the figures are those of
// docs/results/doubts.md.
func TestDoubts(t *testing.T) {
	t.Parallel()
	trials, slack := 10_000, 0.0
	if testing.Short() {
		trials, slack = 300, 0.04
	}
	sizes := []int{5, 20, 50, 200}
	var page strings.Builder
	fmt.Fprintf(&page, doubtsHead, trials)
	table := func(title, first string, all []source, show func(source, int) string) {
		fmt.Fprintf(&page, "\n## %s\n\n| %s |", title, first)
		for _, n := range sizes {
			fmt.Fprintf(&page, " n = %d |", n)
		}
		page.WriteString("\n|---|" + strings.Repeat("--:|", len(sizes)) + "\n")
		for _, s := range all {
			fmt.Fprintf(&page, "| %s |", s.name)
			for _, n := range sizes {
				page.WriteString(" " + show(s, n) + " |")
			}
			page.WriteString("\n")
		}
	}
	table("False alarms", "sound times", sound, func(s source, n int) string {
		o := outcomeOf(s, n, trials)
		limit := 0.01
		if n == 5 { // one odd run is a fifth of the sample
			limit = 0.04
		}
		assert.LessOrEqual(t, o.doubted, limit+slack, "%s, n = %d", s.name, n)
		return fmt.Sprintf("%.2f %%", 100*o.doubted)
	})
	table("Missed alarms", "unsound times, with noise of 2 %", unsound, func(s source, n int) string {
		o := outcomeOf(s, n, trials)
		assert.LessOrEqual(t, 1-o.doubted, 0.01+slack, "%s, n = %d", s.name, n)
		return fmt.Sprintf("%.2f %%", 100*max(0, 1-o.doubted))
	})
	table("Noise", "standard deviation of normal times", noisy, func(s source, n int) string {
		o := outcomeOf(s, n, trials)
		assert.LessOrEqual(t, o.offUnseen, 0.04+slack, "%s, n = %d", s.name, n)
		if o.off > 0.3 {
			assert.LessOrEqual(t, 1-o.doubted, 0.06+slack, "%s, n = %d", s.name, n)
		}
		return fmt.Sprintf("%.1f / %.1f / %.1f %%", 100*o.doubted, 100*o.off, 100*o.offUnseen)
	})
	page.WriteString("\nDoubted, off by more than 5 %, and off by more than 5 % without a doubt. " +
		"More runs make the same\nnoise sound.\n")
	if *doubtsPage != "" {
		require.NoError(t, os.WriteFile(*doubtsPage, []byte(page.String()), 0o644))
	}
}

// TestDoubtsSay checks the texts.
func TestDoubtsSay(t *testing.T) {
	t.Parallel()
	times := func(us ...int) (all []time.Duration) {
		for _, n := range us {
			all = append(all, time.Duration(n)*time.Microsecond)
		}
		return all
	}
	steady := func(n, us int) []time.Duration {
		all := make([]time.Duration, n)
		for i := range all {
			all[i] = time.Duration(us*1000 + i*i*7919%1000*us/100)
		}
		return all
	}
	for name, c := range map[string]struct {
		times []time.Duration
		want  []string
	}{
		"steady":  {steady(20, 1000), nil},
		"no runs": {nil, []string{"only 0 runs; take at least 5"}},
		"few":     {times(1000, 1001), []string{"only 2 runs; take at least 5"}},
		"documented resolution": {times(3, 4, 5, 3, 4), []string{
			"too short for the clock, whose resolution is 500ns; repeat the work within a run"}},
		"resolution": {times(3000, 4000, 3000, 3000, 4000, 3000), []string{
			"too short for the clock, whose resolution is 1ms; repeat the work within a run"}},
		"equal": {times(3000, 3000, 3000, 3000, 3000), []string{"all times are equal, so the clock " +
			"may be coarser than the documented 500ns; repeat the work within a run"}},
		"equal and short": {times(30, 30, 30, 30, 30), nil},
		"scattered": {times(900, 1000, 1100, 1010, 1200), []string{"the median is only known to be " +
			"between 900µs and 1.2ms; let nothing else run, and take more runs"}},
		"slow first runs": {append(steady(5, 3000), steady(15, 1000)...), []string{"the first 5 runs " +
			"took 3.02ms, the later ones 1ms; warm up for longer, and let clock rates and " +
			"temperature settle"}},
		"two modes": {slices.Concat(steady(9, 1000), steady(2, 1300), steady(9, 1000)), []string{
			"the times form two groups, around 1ms and 1.31ms; find out in which way those runs differ"}},
		"outlier": {append(steady(19, 1000), time.Second), []string{
			"the longest time is 995 times the median; let nothing else run"}},
		"outlier of an exact clock": {append(slices.Repeat(times(200), 127), time.Second/2), []string{
			"the longest time is 2500 times the median; let nothing else run"}},
	} {
		assert.Equal(t, c.want, event.NewSample(c.times, documented).Doubts(), name)
	}
}

package event

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// The limits of a sound sample. docs/results/doubts.md has the frequencies of false and missed
// alarms.
const (
	// tolerance is the error of the median, as a part of it, that a sample without doubts may have.
	// Smaller changes, modes and steps of the clock do not matter.
	tolerance = 0.05
	// fewest is the least number of runs whose range covers the median with over 90 %.
	fewest = 5
	// z95 is the quantile of the normal distribution for an interval of 95 %.
	z95 = 1.96
	// changeLevel is the significance level of Pettitt's test. It need not be strict, since a change
	// must also exceed the tolerance.
	changeLevel = 0.05
	// farOut is the largest ratio of the maximum to the median that is noise. Under 1 % of
	// samples of 200 log-normal times exceed it, with a standard deviation of 0.4 of the logarithms.
	farOut = 5
	// separated is the least value of Ashman's D that shows two modes. The halves of a normal
	// sample have 2.6, of a uniform one 3.5, and those of few runs vary.
	separated = 6
	// minority is the smallest part of the runs that is a mode and not a few outliers.
	minority = 0.05
	// fewestForModes is the least number of runs that is split. With fewer, the interval of the
	// median has nearly all times.
	fewestForModes = 10
	// alike is how many ticks long equal times can be by chance: 0.1 % of noise makes longer ones
	// differ by a tick.
	alike = 1000
)

// Doubts returns the reasons not to rely on the median, each with a remedy; nil if there is none.
// It checks the number of runs; the clock's resolution, as documented and as the number of distinct
// times shows it; the 95 % interval of the median from order statistics; changes and trends over
// the runs, by Pettitt's test; two modes, by Ashman's D; and the ratio of maximum to median.
func (s Sample) Doubts() (doubts []string) {
	doubt := func(format string, args ...any) { doubts = append(doubts, fmt.Sprintf(format, args...)) }
	n := len(s.Times)
	if n < fewest {
		doubt("only %s; take at least %d", runs(n), fewest)
	}
	if n == 0 {
		return doubts
	}
	sorted := slices.Sorted(slices.Values(s.Times))
	distinct := slices.Compact(slices.Clone(sorted))
	tick := max(s.Resolution, step(distinct, n))
	if float64(tick) > tolerance*float64(s.Median) { // the other checks would see its steps
		doubt("too short for the clock, whose resolution is %v; repeat the work within a run", tick)
		return doubts
	}
	if n < fewest || s.Median <= 0 {
		return doubts
	}
	if len(distinct) == 1 && s.Median > alike*s.Resolution {
		doubt("all times are equal, so the clock may be coarser than the documented %v; repeat the "+
			"work within a run", s.Resolution)
	}
	if low, high := medianInterval(sorted); s.matters((high - low) / 2) {
		doubt("the median is only known to be between %v and %v; let nothing else run, and take more "+
			"runs", short(low), short(high))
	}
	if k, before, after := change(s.Times); k > 0 && s.matters(after-before) {
		doubt("the first %s took %v, the later ones %v; warm up for longer, and let clock rates and "+
			"temperature settle", runs(k), short(before), short(after))
	} else if low, high, two := modes(sorted); two && s.matters(high-low) {
		doubt("the times form two groups, around %v and %v; find out in which way those runs differ",
			short(low), short(high))
	}
	if longest := sorted[n-1]; longest > farOut*s.Median {
		doubt("the longest time is %.0f times the median; let nothing else run",
			float64(longest)/float64(s.Median))
	}
	return doubts
}

// matters reports whether a difference exceeds the tolerance.
func (s Sample) matters(d time.Duration) bool {
	return float64(d.Abs()) > tolerance*float64(s.Median)
}

// step returns the resolution that a clock seems to have: the least difference of the n times, if
// few of them are distinct and all are multiples of it. Otherwise it returns 0.
func step(distinct []time.Duration, n int) time.Duration {
	if len(distinct) < 2 || len(distinct) > n/2 {
		return 0
	}
	least := distinct[1] - distinct[0]
	for i, d := range distinct[1:] {
		least = min(least, d-distinct[i])
	}
	for _, d := range distinct {
		off := (d+least/2)%least - least/2
		if off.Abs() > min(d, least)/100 { // drivers round
			return 0
		}
	}
	return least
}

// medianInterval returns the order statistics between which the median lies with 95 %, by the
// normal approximation of the binomial distribution. Of 5 runs it is the range, with 94 %.
func medianInterval(sorted []time.Duration) (low, high time.Duration) {
	n := float64(len(sorted))
	rank := max(1, int(math.Round(n/2-z95/2*math.Sqrt(n))))
	return sorted[rank-1], sorted[len(sorted)-rank]
}

// change returns the number of runs before a significant change of the level by Pettitt's test, and
// the medians before and after it; 0 if there is none. A trend is a change in the middle.
func change(times []time.Duration) (k int, before, after time.Duration) {
	n := len(times)
	var sum, most float64 // of Pettitt's U
	for i, rank := range ranks(times) {
		sum += 2*rank - float64(n+1)
		if u := math.Abs(sum); u > most {
			k, most = i+1, u
		}
	}
	cube := float64(n) * float64(n) * float64(n+1)
	if k == 0 || 2*math.Exp(-6*most*most/cube) > changeLevel {
		return 0, 0, 0
	}
	median := func(part []time.Duration) time.Duration {
		return quantile(slices.Sorted(slices.Values(part)), 2)
	}
	return k, median(times[:k]), median(times[k:])
}

// ranks returns the places of the times in their order, from 1. Equal times share the mean.
func ranks(times []time.Duration) []float64 {
	order := make([]int, len(times))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return int(times[a] - times[b]) })
	all := make([]float64, len(times))
	for i := 0; i < len(order); {
		end := i + 1
		for end < len(order) && times[order[end]] == times[order[i]] {
			end++
		}
		for _, at := range order[i:end] {
			all[at] = float64(i+1+end) / 2
		}
		i = end
	}
	return all
}

// modes splits sorted times in two where the variance between the parts is largest, and returns the
// parts' means. It reports whether Ashman's D separates them.
func modes(sorted []time.Duration) (low, high time.Duration, two bool) {
	n := len(sorted)
	if n < fewestForModes {
		return 0, 0, false
	}
	least := max(2, int(math.Ceil(minority*float64(n))))
	all := moments{}
	for _, t := range sorted {
		all.add(float64(t))
	}
	var under, a, b moments
	between := 0.0
	for i, t := range sorted[:n-least] {
		under.add(float64(t))
		over := moments{all.n - under.n, all.sum - under.sum, all.squares - under.squares}
		d := over.mean() - under.mean()
		if v := d * d * under.n * over.n; i+1 >= least && v > between {
			between, a, b = v, under, over
		}
	}
	d := math.Sqrt2 * (b.mean() - a.mean()) / math.Sqrt(a.variance()+b.variance())
	return time.Duration(a.mean()), time.Duration(b.mean()), between > 0 && d > separated
}

// moments are the number, the sum and the sum of squares of values.
type moments struct{ n, sum, squares float64 }

func (m *moments) add(v float64) { m.n++; m.sum += v; m.squares += v * v }

func (m moments) mean() float64 { return m.sum / m.n }

func (m moments) variance() float64 {
	return max(0, m.squares/m.n-m.mean()*m.mean())
}

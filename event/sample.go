package event

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Sample is the times of repeated work, as [Measure] takes them.
type Sample struct {
	Times []time.Duration // in the order of the runs
	// Of the sorted times: the least, the greatest, and those that a quarter, a half and three
	// quarters of the runs do not exceed.
	Min, Q1, Median, Q3, Max time.Duration
	// Resolution is the smallest difference that the device's clock shows.
	Resolution time.Duration
}

// NewSample sums up times that were taken otherwise, on a clock with the resolution of
// [Device.Resolution].
func NewSample(times []time.Duration, resolution time.Duration) Sample {
	s := Sample{Times: times, Resolution: resolution}
	if len(times) == 0 {
		return s
	}
	sorted := slices.Sorted(slices.Values(times))
	s.Min, s.Max = sorted[0], sorted[len(sorted)-1]
	s.Q1, s.Median, s.Q3 = quantile(sorted, 1), quantile(sorted, 2), quantile(sorted, 3)
	return s
}

// quantile returns the time that so many quarters of the sorted times do not exceed, between two
// times if there is none.
func quantile(sorted []time.Duration, quarters int) time.Duration {
	at := quarters * (len(sorted) - 1)
	i, rest := at/4, at%4
	if rest == 0 {
		return sorted[i]
	}
	return sorted[i] + (sorted[i+1]-sorted[i])*time.Duration(rest)/4
}

// Spread returns how far the middle half of the times lies apart, as a part of the median: 0.02 is
// 2 %.
func (s Sample) Spread() float64 {
	if s.Median <= 0 {
		return 0
	}
	return float64(s.Q3-s.Q1) / float64(s.Median)
}

// String returns the sample in one line, with the doubts.
func (s Sample) String() string {
	if len(s.Times) == 0 {
		return "no runs"
	}
	text := fmt.Sprintf("median %v (quartiles %v to %v, min %v, max %v, %s)", short(s.Median),
		short(s.Q1), short(s.Q3), short(s.Min), short(s.Max), runs(len(s.Times)))
	if doubts := s.Doubts(); len(doubts) > 0 {
		text += ": " + strings.Join(doubts, "; ")
	}
	return text
}

// runs returns a number of runs in words.
func runs(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

// short rounds a duration to three digits or so.
func short(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for n := d.Abs(); n >= 1000; n /= 10 {
		unit *= 10
	}
	return d.Round(unit)
}

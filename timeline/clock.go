package timeline

import "math"

// A clock relates the time of a device to the host's. It is arithmetic only, in nanoseconds:
// anchor.go takes the readings.
//
// An anchor is an event whose host time is known to lie in a window: it was recorded and done
// between two readings of the host's clock. The place of another event is the middle of the window
// plus the device's time between the two events, at the estimated rate. Its error is at most the
// sum of half the window, the driver's resolution, the float32's rounding of the distance, and the
// distance times what is uncertain about the rate.
type clock struct {
	resolution float64 // the error of a distance that the driver returns
	drifts     bool    // false on the host device, which has the host's clock
	anchors    []anchor
	rate       float64 // host nanoseconds in a nanosecond of the device
	unsure     float64 // the most that rate may be off
}

type anchor struct {
	at   float64 // the middle of the window, on the host's clock
	half float64 // half the window
}

const (
	// maxAnchors is how many anchors a clock keeps. The oldest and the newest are the baseline from
	// which the rate is estimated.
	maxAnchors = 8
	// maxDrift is what is assumed of a device's clock before anything is known of it: that it gains
	// or loses no more than this against the host's.
	maxDrift = 500e-6
	// wander is how far the rate may differ from its mean over the baseline.
	wander = 1e-6
	// rounding is the relative error of a float32; half of it would do for correct rounding.
	rounding = 1.0 / (1 << 23)
)

func newClock(resolution float64, drifts bool) clock {
	c := clock{resolution: resolution, drifts: drifts, rate: 1}
	if drifts {
		c.unsure = maxDrift
	}
	return c
}

// add adds an anchor. gaps are the device's times from the anchors so far to this one. It returns
// how many of the oldest anchors it dropped: one if there are too many, and all if they contradict
// this one, since one of the clocks was set or was halted meanwhile.
func (c *clock) add(a anchor, gaps []float64) (dropped int) {
	if len(c.anchors) == maxAnchors {
		dropped = 1
	}
	if c.drifts && !c.estimate(a, gaps) {
		dropped = len(c.anchors)
		c.rate, c.unsure = 1, maxDrift
	}
	c.anchors = append(append(c.anchors[:0], c.anchors[dropped:]...), a)
	return dropped
}

// estimate takes the rate from all pairs of an old anchor and the new one: each bounds it from both
// sides. It reports whether that is possible with what is assumed of clocks.
func (c *clock) estimate(a anchor, gaps []float64) bool {
	low, high := 1-maxDrift, 1+maxDrift
	for i, gap := range gaps {
		host, window := a.at-c.anchors[i].at, a.half+c.anchors[i].half
		off := c.off(gap)
		least, most := host-window, host+window
		if least > (gap+off)*(1+maxDrift) || most < (gap-off)*(1-maxDrift) {
			return false
		}
		if gap <= off || least <= 0 {
			continue // too close together to show anything
		}
		l, h := least/(gap+off), most/(gap-off)
		if l > high || h < low { // the rate has changed: it was somewhere between
			low, high = min(low, l), max(high, h)
			continue
		}
		low, high = max(low, l), min(high, h)
	}
	c.rate, c.unsure = (low+high)/2, (high-low)/2+wander
	return true
}

// off is the most that a distance from the driver may be wrong.
func (c *clock) off(gap float64) float64 {
	if !c.drifts {
		return c.resolution // the host's distances are whole numbers
	}
	return c.resolution + math.Abs(gap)*rounding
}

// nearest returns the number of the anchor nearest to an event, whose distance to the newest is
// given.
func (c *clock) nearest(gap float64) int {
	newest := len(c.anchors) - 1
	at := c.anchors[newest].at + gap
	best := newest
	for i := newest; i >= 0; i-- {
		if math.Abs(c.anchors[i].at-at) < math.Abs(c.anchors[best].at-at) {
			best = i
		}
	}
	return best
}

// place returns the host time of an event at a distance from an anchor, and the bound of its error.
func (c *clock) place(i int, gap float64) (at, bound float64) {
	a := c.anchors[i]
	return a.at + gap*c.rate, a.half + c.off(gap) + math.Abs(gap)*c.unsure
}

// bound returns the bound for an event at a host time.
func (c *clock) bound(at float64) float64 {
	a := c.anchors[len(c.anchors)-1]
	_, bound := c.place(len(c.anchors)-1, at-a.at)
	return bound
}

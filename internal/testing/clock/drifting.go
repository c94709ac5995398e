package clock

import (
	"math"
	"time"
)

// Drifting is a clock of package host that runs beside the system's: it began with an offset, and
// goes faster by a constant part.
type Drifting struct {
	origin time.Time
	offset time.Duration
	rate   float64
}

// NewDrifting returns a clock that shows offset now and gains drift in a second, in seconds; 50e-6
// is 50 parts per million. A negative drift is a slow clock.
func NewDrifting(offset time.Duration, drift float64) *Drifting {
	return &Drifting{time.Now(), offset, 1 + drift}
}

// Now is what the clock shows.
func (c *Drifting) Now() time.Duration { return c.At(time.Now()) }

// At is what the clock shows at a time of the system's clock.
func (c *Drifting) At(t time.Time) time.Duration {
	return c.offset + time.Duration(math.Round(float64(t.Sub(c.origin))*c.rate))
}

// AfterFunc calls f when the clock has gone on by d.
func (c *Drifting) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	return time.AfterFunc(time.Duration(math.Ceil(float64(d)/c.rate)), f).Stop
}

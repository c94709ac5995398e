package host

import "time"

// Clock is the time of an engine: it stamps records and ends delays.
type Clock interface {
	// Now is the time since an origin of the clock's choosing. It never goes back.
	Now() time.Duration
	// AfterFunc calls f once when d has passed, never from within AfterFunc itself. stop() prevents
	// the call and reports whether it came in time.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// NewRealClock returns the machine's monotonic clock, starting at zero now.
func NewRealClock() Clock { return realClock{time.Now()} }

type realClock struct{ origin time.Time }

func (c realClock) Now() time.Duration { return time.Since(c.origin) }

func (c realClock) AfterFunc(d time.Duration,
	f func()) func() bool {
	return time.AfterFunc(d, f).Stop
}

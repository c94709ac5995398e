// Package clock has a clock for tests, which only moves when it is told to.
package clock

import (
	"slices"
	"sync"
	"time"
)

// Manual is a clock of package host that stands still until it is told to go on. It starts at zero.
type Manual struct {
	mu     sync.Mutex
	now    time.Duration
	timers []*timer // by time, then by age
}

type timer struct {
	at time.Duration
	f  func()
}

// NewManual returns a clock that shows zero.
func NewManual() *Manual { return &Manual{} }

// Now is what the clock shows.
func (c *Manual) Now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc arranges for f to be called by the Advance that passes d from now.
func (c *Manual) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{at: c.now + max(d, 0), f: f}
	i, _ := slices.BinarySearchFunc(c.timers, t.at+1, func(t *timer, at time.Duration) int {
		return int(min(max(t.at-at, -1), 1))
	})
	c.timers = slices.Insert(c.timers, i, t)
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		i := slices.Index(c.timers, t)
		if i >= 0 {
			c.timers = slices.Delete(c.timers, i, i+1)
		}
		return i >= 0
	}
}

// Advance moves the clock on by d and calls every function that falls due on the way, in order,
// each while the clock shows its time. What these functions arrange falls due in the same call if
// its time has come. When Advance returns, all of that has happened.
func (c *Manual) Advance(d time.Duration) {
	c.mu.Lock()
	target := c.now + max(d, 0)
	for len(c.timers) > 0 && c.timers[0].at <= target {
		t := c.timers[0]
		c.timers = slices.Delete(c.timers, 0, 1)
		c.now = max(c.now, t.at)
		c.mu.Unlock()
		t.f()
		c.mu.Lock()
	}
	c.now = max(c.now, target)
	c.mu.Unlock()
}

// Next is the time until the next function falls due, and whether there is one.
func (c *Manual) Next() (time.Duration, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.timers) == 0 {
		return 0, false
	}
	return max(c.timers[0].at-c.now, 0), true
}

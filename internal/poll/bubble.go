package poll

import (
	"bytes"
	"runtime"
	"time"
)

// started is a time outside of all bubbles of testing/synctest.
var started = time.Now()

// decades is how far a bubble's time is from the system's at least: it begins with the year 2000,
// where the monotonic clock of a system begins with its start.
const decades = 20 * 365 * 24 * time.Hour

// InBubble reports whether the calling goroutine is in a bubble of testing/synctest. Go has no
// function for it, but stack traces name the bubble. Without a jump in time no trace is taken.
func InBubble() bool {
	if d := time.Since(started); d > -decades && d < decades {
		return false
	}
	var trace [128]byte
	head, _, _ := bytes.Cut(trace[:runtime.Stack(trace[:], false)], []byte("\n"))
	return bytes.Contains(head, []byte("synctest bubble"))
}

// RefuseBubble panics in a bubble. The goroutine that polls sleeps in the system, on the system's
// clock, where no bubble sees it: the bubble's time would stand still, and its test would hang.
func RefuseBubble() {
	if InBubble() {
		panic("event: waits don't work inside a testing/synctest bubble, since the driver is polled " +
			"on the system's clock: run the test without synctest. In tests with eventsim, " +
			"Machine.Advance moves the time of a device.")
	}
}

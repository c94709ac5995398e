package event

import "sync/atomic"

// counting reports whether calls are counted that could otherwise do without.
var counting atomic.Bool

// EnableStats starts or stops counting what [DeviceStats] says is counted only on demand: each such
// call then costs an atomic addition more, and each wait two readings of the clock. All else is
// counted anyway. Stopping keeps the counts.
func EnableStats(on bool) { counting.Store(on) }

// counts are a device's counters. The first ones count what is rare.
type counts struct {
	unordered atomic.Int32 // completions without a place in a stream's order

	// counted on demand
	queries, waits, streamWaits atomic.Uint64
	wakes                       wakes
}

// countQuery counts a query of the driver for a caller.
func (d *Device) countQuery() {
	if counting.Load() {
		d.counts.queries.Add(1)
	}
}

// countWait counts a call that has something to wait for.
func (d *Device) countWait() {
	if counting.Load() {
		d.counts.waits.Add(1)
	}
}

// countStreamWait counts a stream's wait for an event.
func (d *Device) countStreamWait() {
	if counting.Load() {
		d.counts.streamWaits.Add(1)
	}
}

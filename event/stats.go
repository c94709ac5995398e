package event

import (
	"sync/atomic"

	"github.com/gpuevent/gpuevent/internal/poll"
)

// DeviceStats are figures about a device, for monitoring. They are read one after the other while
// work goes on, so calls in flight may be counted in one figure and not yet in another.
type DeviceStats struct {
	// Device is the device's name, as [Open] takes it.
	Device string

	// Streams are those that are open, without the default stream.
	Streams int
	// Events are those that are open. While waits go on for a record of an event that was recorded
	// again since, it counts once more, for it has a second native event.
	Events int
	// Spares are native events of closed events, kept for the next ones.
	Spares int
	// Leaks are the streams and events that were dropped without Close, and which the garbage
	// collector has found so far.
	Leaks uint64

	// Records are the records made, including those in captures, and those that [Stream.Wait],
	// [Stream.WaitStream] and the like make for themselves.
	Records uint64
	// Pending are the records that are waited for now, by calls, channels or callbacks.
	Pending int
	// Polled is what the device's poller has done for these waits. The host has no poller.
	Polled PollStats

	// The figures below are counted only while [EnableStats] is on.

	// Queries are the calls of [Event.IsDone], [Event.State], [Event.Err] and [Event.Sub] for which
	// the driver had to be queried; what is known to be done is not.
	Queries uint64
	// Waits are the calls of [Event.Wait], [Event.Done], [Event.OnDone] and [Event.Sync], and the
	// events in those of [WaitAny] and [WaitAll], for which something was to be waited for. A call
	// of [Stream.Wait] is one too.
	Waits uint64
	// StreamWaits are the waits of streams for events, by [Stream.WaitEvent] and
	// [Stream.WaitStream], that were handed to the driver or to this package.
	StreamWaits uint64
	// Wakes are the wake-up latencies of Event.Wait, Stream.Wait, WaitAny and WaitAll.
	Wakes Wakes
}

// PollStats is what a poller has done.
type PollStats struct {
	Rounds  uint64 // in which it queried the driver about what is due
	Queries uint64 // of the driver
	Hung    int    // queries from which the driver has not returned for too long
}

// Stats returns the figures of all devices that were opened, in the order of [Devices]. It opens
// none. The devices of simulated machines that are not process-wide are not among them: use
// [Device.Stats].
func Stats() (all []DeviceStats) {
	registry.Lock()
	var devices []*Device
	for _, o := range openers {
		devices = append(devices, registry.answers[o.backend].devices...)
	}
	registry.Unlock()
	for _, d := range devices {
		all = append(all, d.Stats())
	}
	return all
}

// Stats returns the device's figures. They begin when the device is opened.
func (d *Device) Stats() DeviceStats {
	if d.isNil() {
		return DeviceStats{}
	}
	s := DeviceStats{
		Device:      d.label(),
		Leaks:       d.native.Leaks.Load(),
		Queries:     d.counts.queries.Load(),
		Waits:       d.counts.waits.Load(),
		StreamWaits: d.counts.streamWaits.Load(),
		Wakes:       d.counts.wakes.read(),
	}
	s.Streams, s.Pending, s.Records = d.native.Streams()
	s.Pending += int(d.counts.unordered.Load())
	s.Events, s.Spares = d.native.Events()
	if p, ok := d.driver.(interface{ Polled() poll.Stats }); ok {
		s.Polled = PollStats(p.Polled())
	}
	return s
}

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

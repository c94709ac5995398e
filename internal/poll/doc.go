// Package poll queries drivers for what they don't notify anybody of: whether an event is done,
// whether a stream is idle. It knows neither events nor streams, only [Task].
//
// The pace is that of the lane: first at once, then in growing steps of up to a millisecond, and
// without pauses around the time when the lane's earlier tasks suggest that this one ends. Between
// queries the thread sleeps in the system, whose timers are finer than Go's.
//
// A [Poller] has one goroutine while there is something to poll, and none otherwise. Tasks of one
// lane end in a known order, so only the oldest are polled: the cost is per lane, not per task. A
// query that hangs delays only its own task: after a few milliseconds another goroutine takes over
// the others. Lanes whose tasks stay pending are queried in small slices, so that many of them
// delay no other lane.
package poll

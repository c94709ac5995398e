// Package poll asks drivers for things that they tell nobody of: whether an event is done, whether
// a stream is idle. It knows neither events nor streams, only [Task].
//
// When to ask is a matter of the lane: at first at once, then in growing steps of a millisecond at
// most, and without a pause about the moment when the lane's earlier tasks say that this one should
// be over. Between questions the thread sleeps in the system, whose timers are finer than Go's.
//
// A [Poller] has one goroutine while there is something to ask for, and none else. Tasks of one
// lane are over in a known order, so that only the oldest are asked for: the cost is per lane, not
// per task. A question that hangs holds up its own task only: after a few milliseconds another
// goroutine carries on with the others.
package poll

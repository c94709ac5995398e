// Package poll asks drivers for things that they tell nobody of: whether an event is done, whether
// a stream is idle. It knows neither events nor streams, only [Task].
//
// A [Poller] has one goroutine while there is something to ask for, and none else. Tasks of one
// lane are over in a known order, so that only the oldest are asked for: the cost is per lane, not
// per task. A question that hangs holds up its own task only: after a few milliseconds another
// goroutine carries on with the others.
package poll

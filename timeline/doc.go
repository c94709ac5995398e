// Package timeline shows when work ran: spans on the streams of any devices, NVIDIA's, AMD's and
// the host's, on one clock, as a trace for Perfetto, a picture, log messages or calls of a
// function.
//
//	tl, err := timeline.New(timeline.Options{})
//	defer tl.Close(ctx)
//	span := tl.Begin(stream, "gemm", timeline.Int("m", 4096))
//	... // launch work on the stream
//	err = span.End()
//	err = tl.Flush(ctx)
//	err = tl.WriteTrace(file)
//
// # What it costs
//
// Begin and End record an event each, on the stream, and leave the rest to a goroutine of the
// timeline: it waits for batches of events, takes their times and frees them. Events are used
// again and again. Begin and End allocate nothing once as many spans were unfinished as ever will
// be, and never wait for the device or for that goroutine.
//
// A nil *Timeline is off. A program may keep its calls of Begin, End and Wait and decide at its
// start whether to make a timeline. Waits still order the streams.
//
// Memory is bounded. [Options.Pending] limits the unfinished spans of a device; a span that finds
// no room is dropped and counted. [Options.Spans] limits the finished ones; the oldest make room
// and are counted too. [Timeline.Stats] has the counts, and writers show them.
//
// # Errors
//
// Begin returns no error, so that code to be measured needs no branches: [Span.End] returns why a
// span is not on the timeline. It may be ignored. Failures that come later, of the device or the
// stream, are in [Item.Err], for the functions of [Timeline.OnFinish], and in [Stats].
//
// A span on a stream that is being captured into a graph marks a place in the graph, not in time.
// It is left out with event.ErrCaptured in [Item.Err], and counted. The timeline does not disturb
// captures.
//
// # Clocks
//
// Times of items are the host's monotonic clock's, with a bound of their error. For each device
// the timeline takes anchors on a stream of its own: it records an event and waits for it between
// two readings of the host's clock, some times, and keeps the one where the readings are closest.
// The event happened between the two. An anchor is taken every 10 ms at first and every second
// later, as long as spans end. From pairs of anchors follows the drift of the device's clock, with
// its own uncertainty.
//
// An event is placed from the anchor nearest to it. [Item.Bound] is the sum of: half the time
// between the two readings; what the driver's times may be wrong (half a microsecond on NVIDIA,
// one on AMD, 100 ns on the host, and the precision of a float32, which is why anchors are near);
// and the distance from the anchor times the uncertainty of the drift; for a span also what is
// uncertain of its length. It holds as long as a device's clock and the host's differ by at most
// 500 parts per million, and by at most one more or less than on average between the oldest anchor
// in use and the newest. A clock that jumps, as when the machine sleeps, invalidates what lies
// before, and is anchored anew.
//
// A stream can't reach the begin of a span before the call of Begin. Where a driver's elapsed times
// are wrong, and put a begin before the call by more than the bound, the bound is widened to reach
// the call, and [Stats.Early] counts the span.
//
// Spans of one stream lie exactly after or in each other, their times only within the bounds.
// Writers set that right. Spans that overlap by more than their bounds, and those of
// [Timeline.BeginAsync], are shown apart.
//
// # Writers
//
// [Timeline.WriteTrace] writes for Perfetto and chrome://tracing, [Timeline.WriteSVG] draws.
// [Timeline.OnFinish] calls a function for each item with start and end as time.Time, which is what
// a bridge to OpenTelemetry needs; see the example. [Log] makes one that logs. [Timeline.Do] marks
// the same span as a region in an execution trace of Go. [Timeline.Snapshot] has it all as data.
package timeline

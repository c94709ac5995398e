// Package host is the engine of the host device: ordered queues, events and a clock, with the
// semantics of a GPU's streams and events.
//
// Package event uses it as the device of a machine without a GPU: work is Go functions, time is
// real. The simulated GPU of the tests is the same engine behind a vendor's C interface, with a
// clock, gates and faults that the test controls.
//
// # Model
//
// An [Engine] is one device. A [Queue] runs its operations one after the other: functions, records,
// waits, gates, delays. Queues run concurrently. Recording an [Event] gives it a new record,
// numbered by a generation; a [Point] is one such record and never becomes another. Everything that
// waits waits for a point, so a later record of the same event does not affect it.
//
// # Execution
//
// A queue has a goroutine only while it runs functions. Records, waits, gates and delays need none:
// whoever makes an operation possible (the caller of Record on an idle queue, of Gate.Open, a
// clock's timer, the worker that finished the function before it) goes on with what depends on it,
// without recursion and without holding a lock. So a record on an idle queue is complete when
// Record returns, and everything that waits for a gate, except functions, has happened when Open
// returns. An idle engine has no goroutine. The package has no state.
//
// # Failure
//
// As on a GPU, failure is sticky and is reported late. A function that returns an error, panics or
// calls runtime.Goexit fails its queue: what follows on that queue is skipped, its pending and
// later records complete as Failed with that error, and a queue that reaches a wait for a failed
// point fails with the same error, since its work relies on work that never ran. The implicit order
// between the default queue and blocking queues is an order only and does not propagate failures.
// Record on a failed queue is not an error: the event reads Failed. Every other operation on a
// queue already known to have failed returns the error and queues nothing. Queue.Reset revives a
// queue; nothing revives an engine after Engine.Fail.
//
// # Graphs
//
// From Queue.BeginCapture to EndCapture the operations of a queue are collected and not run.
// Functions, delays, waits for gates, external records and external waits become nodes of a
// [Graph]. A record marks a place in the graph, and a wait of another queue for that event makes
// the queue take part in the capture. Queries of a captured queue are refused and change nothing. A
// wait for work outside the capture is refused and makes the capture invalid: it ends with an
// error.
//
// A launch runs the nodes on queues of its own, one for each branch, that begin when the launching
// queue comes to them. The next operation of that queue waits for all of them and fails if they do.
// Events of external records are pending as soon as Launch has returned. The launches of one graph
// run one after the other, in the order of the calls; the failure of one does not affect the next.
//
// The default queue can't be captured. It keeps no order with what is captured, only with launches.
//
// # Concurrency
//
// All methods of all types are safe for concurrent use. Callbacks run without a lock held, one at a
// time and in order for one queue, before that queue's next operation; they may call anything but
// must not block, so never Sync. A queued function may block, but it deadlocks if it waits for its
// own queue.
package host

// Package host is the engine of the host device: ordered queues, events and a clock, with the
// semantics of a GPU's streams and events.
//
// It serves package event as the device of a machine without a GPU (work is Go functions, time is
// real), and the software GPU of the tests (the same engine behind a vendor's C interface, with a
// clock, gates and faults of the test's choosing).
//
// # Model
//
// An [Engine] is one device. A [Queue] runs its operations one after the other: functions, records,
// waits, gates, delays. Queues run beside each other. Recording an [Event] gives it a new record,
// numbered by a generation; a [Point] is one such record and never becomes another. Everything that
// waits waits for a point, so a later record of the same event disturbs nobody.
//
// # Execution
//
// A queue has a goroutine only while it runs functions. Records, waits, gates and delays need none:
// whoever makes an operation possible (the caller of Record on an idle queue, of Gate.Open, a
// clock's timer, the worker that finished the function before it) carries on with what depends on
// it, without recursion and holding no lock. So a record on an idle queue is complete when Record
// returns, and all that hangs on a gate, functions excepted, has happened when Open returns. An
// idle engine has no goroutine, and the package no state.
//
// # Failure
//
// As on a GPU, failure is sticky and shows late. A function that returns an error, panics or calls
// runtime.Goexit fails its queue: what follows on that queue is skipped, its pending and later
// records complete as Failed with that error, and a queue that reaches a wait for a failed point
// fails with the same error, for its work relies on what never happened. The implicit order between
// the default queue and blocking queues is an order only and passes no failure on. Record on a
// failed queue is not an error: the event reads Failed. Every other operation on a queue already
// known to have failed returns the error and queues nothing. Queue.Reset revives a queue; nothing
// revives an engine after Engine.Fail.
//
// # Concurrency
//
// All methods of all types are safe for use by several goroutines at once. Callbacks run holding no
// lock, one at a time and in order for one queue, before that queue's next operation; they may call
// anything but must not block, so never Sync. A queued function may block, but waiting for its own
// queue it waits for ever.
package host

// Package native has the streams and events of drivers: who owns them, when they are destroyed, and
// which are used again. It knows drivers, and nothing of the streams and events of package event.
//
// # Ownership
//
// A [Stream] or [Event] counts its uses. Calls begin a use with Retain and end it with Release;
// what keeps an object for longer, such as an event that needs its last stream, does the same.
// Close forbids new uses. The object is destroyed once, after the last use. An event that code
// outside of this module may know, or that is part of a graph, is never used again; other events go
// to the device's pool by their options.
//
// # Concurrency
//
// All functions are safe for concurrent use. Uses take no lock, so a call that hangs in the driver
// delays no other. Locks guard lists only (pool, relays, roster), and the driver is called under
// none of them, except that Timing is held while the driver takes a time. Destruction may wait for
// a device, so it happens on a goroutine of its own or the poller's, except in Close, which returns
// the driver's error.
//
// # Invariants
//
//   - On AMD an event uses the stream on which it was last recorded.
//   - Numbers of a stream grow. A record's number is taken before the driver call.
//   - MayCapture is set before code outside of this module can begin a capture, and queries that
//     rely on the contrary have ended by then.
//   - An unrecorded event from the pool is never queried: the driver has an earlier record of it.
package native

// Package bench measures on a real device, beside raw calls of its driver, what the operations of
// packages event, compute and timeline cost. It needs neither cgo nor a toolkit.
//
// The operations are those of plan. Those that a device can't do are left out. The ways are
//
//   - raw: the calls of cudrv or hip that a program without package event would make, through one
//     Go interface, with the device's context current;
//   - event: package event's own, as a program calls them, with no context current;
//   - compute, timeline: of those packages, likewise;
//   - event Sync: for wake-ups, Event.Sync beside Event.Wait.
//
// A run is a fixed number of operations in a loop between two readings of the monotonic clock. It
// is preceded by a few operations that are not counted, and followed, outside of the clock, by a
// wait until the device has done everything, and by a check of the result. Ways take turns: each
// round has one run of every way, in an order that changes, so that what happens to the machine
// happens to all. A figure is the median of the runs.
//
// Runs are short enough for the driver's queues, which block when they are full: at most 500
// records or launches are pending at a time. A record is of an event without timing, on an idle
// stream. Where something has to be pending, a kernel that lasts some milliseconds precedes it on
// the stream; a run that it did not outlast is repeated behind a longer one. An event is known to
// be done when event is asked again, so the driver is not; a raw query always asks.
//
// A copy goes to the device and back, and waits; the note has the rate, which counts both
// directions. Raw and compute copy the same memory.
//
// A wake-up is one record, a kernel of the given length, another record, and the wait for it: the
// time by the host's clock from before the first record until the wait returns, less the time
// between the two events by the device's. What remains is the way to the device and back, which
// all ways have, and the wait's own delay. The figure has the median and the 99th percentile.
//
// The kernels are carried along as PTX text for NVIDIA, and as source for AMD's hipRTC; without
// hipRTC everything that launches is left out. On the host device kernels are Go functions, and
// there are no raw calls.
package bench

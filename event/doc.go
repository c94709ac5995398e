// Package event marks places in the work of GPUs, waits for them, orders streams by them and
// measures the time between them: the same code on NVIDIA, on AMD, and on a machine without a GPU.
//
// # The model
//
// A [Device] is a GPU, or the host. [Default] is the first GPU there is, else the host;
// [DefaultGPU] is a GPU or an error; [Open] finds a device by name ("cuda:0", "hip:1", "host").
//
// A [Stream] is a queue of work on a device. What is enqueued on one stream runs in order; streams
// run beside each other. Work comes from elsewhere: kernels and copies launched through cudrv on
// [Stream.CUDAStream] or hip on [Stream.HIPStream], inside [Device.Do]; or Go functions
// ([Stream.HostFunc]). On the host, functions are all the work there is.
//
// An [Event] marks a place in a stream. [Event.Record] says: here, behind all that is enqueued now.
// The event is pending until the stream has come that far, and done from then on. Recording it
// again moves the mark; whoever waits already keeps waiting for the earlier record.
//
//	d := event.Default()
//	s, err := d.NewStream()
//	start, err := s.RecordNew(event.WithTiming())
//	native, err := s.CUDAStream()
//	... // launch work on it
//	end, err := s.RecordNew(event.WithTiming())
//	err = end.Wait(ctx)
//	elapsed, err := end.Sub(start)
//
// # Waiting
//
// There are three ways, for three needs:
//
//   - A stream waits: [Stream.WaitEvent], [Stream.WaitStream]. The call returns at once and later
//     work of the stream is held up. The event may belong to another device, also another vendor's.
//   - A goroutine waits: [Event.Wait] until the event is done or a context ends, [Event.Done] with
//     [Event.Err] in a select, [WaitAny] and [WaitAll] for several events, of any devices. Waiting
//     costs no OS thread, however many wait; a driver that takes long to answer delays no context's
//     end; and a wait that was given up leaves nothing behind. [Event.OnDone] calls a function
//     instead.
//   - A thread waits: [Event.Sync], [Stream.Sync], [Device.Sync] wait in the driver. They cost a
//     thread, and a processor if they spin. On AMD the runtime's waits for events and streams would
//     keep everybody else from them: Event.Sync spins in a loop of questions there, and Stream.Sync
//     and an event created [WithBlockingSync] wait as a goroutine does, no later and no earlier.
//
// A goroutine's wait ends when this package has asked the driver: tens of microseconds after work
// that takes about as long as what the stream did before, and up to about a millisecond after other
// work, where a processor is free.
//
// [Event.IsDone] and [Event.State] ask without waiting.
//
// # What is off by default
//
// Events keep no time ([WithTiming]), Sync spins ([WithBlockingSync]), events stay in the process
// ([WithIPC]); streams ignore the legacy default stream ([WithLegacySync]) and have the lowest
// priority ([WithPriority]). An option that a device can't honour is an error, never ignored:
// [Device.Capabilities] reports beforehand what it can do. There is no implicit stream: a nil
// stream is an error that names [Device.DefaultStream]. Code that wants a current stream carries it
// in a context: [WithStream], [CurrentStream].
//
// # Contexts, devices and threads
//
// Goroutines move between threads, and drivers keep the current context or device per thread. No
// method here needs one to be current, and none changes the caller's. NVIDIA's objects live in the
// primary context, which is made at first use.
//
// # Errors
//
// What this package can tell by itself it refuses without asking the driver, with an [Error] that
// names the operation, the object at fault, the cause and what to do; the causes are sentinels for
// [errors.Is]: [ErrClosed], [ErrNotReady] and others. What the driver refuses is a [DriverError]
// with the call and the code. A failed device is an error everywhere and ends every wait; it never
// reads as "not done". A failed host function is a [HostFuncError] of all that is behind it on its
// stream. [Stream.Err] returns the first failure of a stream.
//
// Errors name devices as [Open] takes them, and objects after their device: "cuda:0",
// "cuda:0 stream 0x5581…", "host event 0xc000…".
//
// # Closing
//
// Close events and streams when they are no longer needed: it is safe while work is pending, while
// others use them, and twice. Methods of closed objects return [ErrClosed] and never reach the
// driver. What is dropped without Close is destroyed some time after the garbage collector finds
// it. Failures that no call can return go to the handler set by [SetErrorHandler].
//
// A reset of the device (cudaDeviceReset, cuDevicePrimaryCtxReset, hipDeviceReset) destroys native
// events and streams behind this package's back, also those that it keeps for a moment after Close.
// Don't reset a device that it is used on.
//
// # Graphs
//
// Streams are captured into graphs through cudrv and hip. An event recorded on a stream that is
// being captured marks a place in the graph, not in time: its state is [Captured], and this package
// never asks the driver about it, which could end the capture. [WithExternal] makes a record part
// of the graph instead; the event's native handle is kept for good then.
//
// # Tests
//
// Package eventsim, below this one, simulates GPUs: it tests code that uses this package without a
// GPU, and against failures that no real one shows on demand.
//
// # Drivers
//
// Drivers differ, and don't always do what their documentation says. docs/driver-facts.md lists
// what this package relies on, with sources.
package event

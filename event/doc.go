// Package event marks places in the work of GPUs, waits for them, orders streams by them and
// measures the time between them. The same code runs on NVIDIA, on AMD, and on a machine without a
// GPU.
//
// # The model
//
// A [Device] is a GPU, or the host. [Default] returns the first GPU, or the host if there is none;
// [DefaultGPU] returns a GPU or an error; [Open] finds a device by name ("cuda:0", "hip:1",
// "host").
//
// A [Stream] is a queue of work on a device. Work enqueued on one stream runs in order; different
// streams run concurrently. Launch kernels and copies with package compute, or through cudrv on
// [Stream.CUDAStream] or hip on [Stream.HIPStream], inside [Device.Do], or enqueue Go functions
// with [Stream.HostFunc]. On the host, Go functions are the only work.
//
// An [Event] marks a place in a stream. [Event.Record] puts the mark behind everything enqueued so
// far. The event is pending until the stream has passed the record, and done from then on.
// Recording it again moves the mark; existing waiters keep waiting for the earlier record.
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
// There are three ways to wait:
//
//   - A stream waits: [Stream.WaitEvent], [Stream.WaitStream]. The call returns at once, and work
//     enqueued later on the stream is held up. The event may belong to another device, even one of
//     another vendor.
//   - A goroutine waits: [Event.Wait] returns when the event is done or a context ends,
//     [Event.Done] with [Event.Err] is for a select, and [WaitAny] and [WaitAll] take several
//     events, of any devices. Waiting goroutines occupy no OS threads, however many there are. A
//     context ends a wait on time even if the driver is slow to answer, and an abandoned wait
//     leaves nothing behind. [Event.OnDone] calls a function instead.
//   - A thread waits: [Event.Sync], [Stream.Sync] and [Device.Sync] wait in the driver. They occupy
//     a thread, and a processor if they spin. On AMD the runtime's waits for an event or a stream
//     would block all other calls on it. There, Event.Sync queries in a loop, and Stream.Sync and
//     events created [WithBlockingSync] wait as a goroutine does, with the same latency.
//
// On a GPU, waits of goroutines are implemented by polling. A wait returns tens of microseconds
// after the event is done if the work took up to 10 ms, or about as long as the stream's earlier
// work, and otherwise up to about a millisecond after. Both figures need a free processor. With
// more than 16 streams whose work has no rule, waits return later, in proportion to their number.
//
// [Event.IsDone] and [Event.State] query without waiting.
//
// # What is off by default
//
// Events keep no time ([WithTiming]), Sync spins ([WithBlockingSync]), and events can't be shared
// with other processes ([WithIPC]). Streams don't synchronize with the legacy default stream
// ([WithLegacySync]) and have the lowest priority ([WithPriority]). An option that a device can't
// honour is an error, never ignored: [Device.Capabilities] reports beforehand what it can do. There
// is no implicit stream: a nil stream is an error that names [Device.DefaultStream]. Code that
// needs a current stream passes it in a context: [WithStream], [CurrentStream].
//
// # Contexts, devices and threads
//
// Goroutines move between threads, and drivers keep the current context or device per thread. No
// method here needs one to be current, and none changes the caller's. NVIDIA's objects live in the
// primary context, which is made at first use.
//
// # Errors
//
// Calls that this package knows to be wrong return an [Error] without a driver call. It names the
// operation, the object at fault, the cause and the remedy. The causes are sentinels for
// [errors.Is]: [ErrClosed], [ErrNotReady] and others. A failed driver call returns a [DriverError]
// with the C function and its code. A failed device is always reported as an error, never as "not
// done", and ends every wait. A failed host function fails everything behind it on its stream with
// a [HostFuncError]. [Stream.Err] returns the first failure of a stream.
//
// Errors name devices as [Open] does, and objects by their device: "cuda:0", "cuda:0 stream
// 0x5581…", "host event 0xc000…".
//
// # Closing
//
// Close events and streams when they are no longer needed. Close is safe while work is pending,
// while other goroutines use the object, and more than once. Methods of closed objects return
// [ErrClosed] and never reach the driver. Objects dropped without Close are destroyed some time
// after the garbage collector finds them. Failures that no call can return go to the handler set by
// [SetErrorHandler].
//
// A reset of the device (cudaDeviceReset, cuDevicePrimaryCtxReset, hipDeviceReset) destroys native
// events and streams without this package's knowledge, including those that it keeps for a moment
// after Close. Don't reset a device that this package uses.
//
// # Graphs
//
// Streams are captured into graphs by package compute or, those of GPUs, through cudrv and hip. An
// event recorded on a stream that is being captured marks a place in the graph, not in time: its
// state is [Captured], and this package never queries it, because a query could end the capture.
// [WithExternal] makes a record part of the graph instead; the native event is then never
// destroyed.
//
// # Figures
//
// [Measure] times repeated work on a stream; package eventbench does so in Go's benchmarks. [Stats]
// counts what each device's streams and events do, and package eventexpvar publishes that.
//
// # Tests
//
// Package eventsim simulates GPUs. Use it to test code that uses this package without a GPU, and
// against failures that no real GPU shows on demand.
//
// # Drivers
//
// Drivers differ, and don't always do what their documentation says. docs/driver-facts.md lists
// what this package relies on, with sources.
package event

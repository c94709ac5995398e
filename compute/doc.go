// Package compute compiles kernels, gives them memory, and launches them, on NVIDIA, on AMD, and on
// a machine without a GPU. It builds on package event: work goes on its streams, and its events
// time the work and wait for it.
//
//	d := event.Default()
//	s, err := d.NewStream()
//	m, err := compute.Compile(ctx, d, compute.Source{Text: saxpyC, Host: saxpyGo})
//	k, err := m.Kernel("saxpy")
//	x, err := compute.Alloc[float32](s, n)
//	err = x.CopyFrom(s, values)
//	err = k.Launch(s, compute.Linear(n, 256), int32(n), float32(2), x, y)
//	err = y.CopyTo(s, values)
//
// No toolkit is needed to build such a program, no cgo and no C compiler. To run [Compile] a
// machine needs NVIDIA's NVRTC or AMD's hipRTC, one library each; [Load] takes images that were
// compiled elsewhere and needs the driver only.
//
// # Order
//
// Everything is enqueued on a stream and runs in its order. Streams run concurrently: before a
// stream uses what another stream writes, or memory that was allocated on another stream, it must
// wait for that stream, as [event.Stream.WaitStream] makes it. This package does not guess such
// dependencies.
//
// Nothing is freed too early: the memory of a closed [Buffer] is freed when the work enqueued on it
// is done, on all streams; the same applies to a closed [Module], [Pinned] or [Graph]. A graph
// keeps what it uses.
//
// # Checks
//
// A launch with arguments of the wrong number, size or kind makes a GPU read or write anywhere.
// Here it is an error before the driver is called, as far as the driver or the image has the
// kernel's parameters: drivers since CUDA 12.4 and images of NVRTC, nvcc, hipRTC and clang do.
// Bounds of copies, closed objects, devices and limits of launches are checked likewise. What a
// kernel does with a pointer is up to it: pass lengths along.
//
// # Errors
//
// Errors are those of package event: an [event.Error] for what was refused, an [event.DriverError]
// for a failed call, with causes for [errors.Is] in both packages. A kernel that fails does so
// after its launch. The error comes out of the next wait for its stream, and names the kernels in
// flight; the device is lost to the process then, as the drivers have it, and all later calls fail.
//
// # Memory
//
// [Alloc] takes memory from the driver's pool in the order of a stream, which costs little and
// waits for nothing; old drivers without pools allocate directly. [UsageOf] and [Allocations]
// return what is allocated on a device. Buffers dropped without Close are freed some time after the
// garbage collector finds them, and counted in Usage.Lost.
//
// # The host device
//
// On the host device kernels are Go functions, given in Source.Host, and run block by block on all
// processors. Buffers are Go memory. The same checks apply, so that a program can be developed and
// tested without a GPU. [github.com/gpuevent/gpuevent/event/eventsim] simulates GPUs with their
// failures and old drivers; it runs Go functions as kernels too.
package compute

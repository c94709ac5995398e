package hip

import (
	"github.com/gpuevent/gpuevent/internal/batch"
	"github.com/gpuevent/gpuevent/internal/params"
)

// Batch is calls that are made one after another in one crossing from Go into C, which is most of
// what a short call costs. Its methods add calls, by the names and with the arguments of the
// functions of this package; none is made before [Batch.Run].
//
//	var b hip.Batch
//	for _, e := range events {
//		b.EventRecord(e, stream)
//	}
//	err := b.Run()
//
// There are methods for what is worth it: calls that enqueue work in a moment, whose arguments are
// handles, numbers and addresses in device memory. The zero value is empty. A batch belongs to one
// goroutine at a time.
type Batch struct{ list batch.List }

// BatchError says which call of a [Batch] failed, and wraps why.
type BatchError = batch.Error

// Run makes the calls, in their order and on one thread, up to the first that fails: the error is a
// [*BatchError] then, with its index and name. Those before it took effect, those behind it were
// not made. If the library lacks one of the functions, none is.
//
// A call that goes by the current device finds the thread's, the same for all: run the batch inside
// [Device.Do] if it is not the right one.
//
// The calls stay in the batch: another Run makes them again, [Batch.Reset] takes them out. The
// goroutine can't be preempted meanwhile, as in any C call, so a batch is for calls that return at
// once.
func (b *Batch) Run() error { return b.list.Run(callError) }

// Reset takes all calls out and keeps the memory, so that a batch which is filled again allocates
// nothing.
func (b *Batch) Reset() { b.list.Reset() }

// Len is the number of calls.
func (b *Batch) Len() int { return b.list.Len() }

// ModuleLaunchKernel adds a launch of a kernel: see [ModuleLaunchKernel]. The parameters, nil for
// none, are copied: they may be reset and used for the next launch of the batch.
func (b *Batch) ModuleLaunchKernel(f Function, gridDimX, gridDimY, gridDimZ uint32,
	blockDimX, blockDimY, blockDimZ, sharedMemBytes uint32, stream Stream, p *Params) {
	var block *params.Block
	if p != nil {
		block = &p.block
	}
	b.list.Add(&procModuleLaunchKernel, uintptr(f),
		uintptr(gridDimX), uintptr(gridDimY), uintptr(gridDimZ),
		uintptr(blockDimX), uintptr(blockDimY), uintptr(blockDimZ),
		uintptr(sharedMemBytes), uintptr(stream), b.list.Params(block), 0)
}

// GraphLaunch adds a launch of a graph: see [GraphLaunch].
func (b *Batch) GraphLaunch(exec GraphExec, stream Stream) {
	b.list.Add(&procGraphLaunch, uintptr(exec), uintptr(stream))
}

// EventRecord adds a record of an event: see [EventRecord].
func (b *Batch) EventRecord(event Event, stream Stream) {
	b.list.Add(&procEventRecord, uintptr(event), uintptr(stream))
}

// StreamWaitEvent adds a wait for an event: see [StreamWaitEvent].
func (b *Batch) StreamWaitEvent(stream Stream, event Event, flags EventWaitFlags) {
	b.list.Add(&procStreamWaitEvent, uintptr(stream), uintptr(event), uintptr(flags))
}

// MemcpyDtoDAsync adds a copy within device memory: see [MemcpyDtoDAsync].
func (b *Batch) MemcpyDtoDAsync(dst, src Deviceptr, sizeBytes uintptr, stream Stream) {
	b.list.Add(&procMemcpyDtoDAsync, uintptr(dst), uintptr(src), sizeBytes, uintptr(stream))
}

// MemsetD8Async adds a fill with bytes: see [MemsetD8Async].
func (b *Batch) MemsetD8Async(dst Deviceptr, value uint8, count uintptr, stream Stream) {
	b.list.Add(&procMemsetD8Async, uintptr(dst), uintptr(value), count, uintptr(stream))
}

// MemsetD32Async adds a fill with 32-bit values: see [MemsetD32Async].
func (b *Batch) MemsetD32Async(dst Deviceptr, value int32, count uintptr, stream Stream) {
	b.list.Add(&procMemsetD32Async, uintptr(dst), uintptr(value), count, uintptr(stream))
}

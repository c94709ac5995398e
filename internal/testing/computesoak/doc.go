// Package computesoak drives package compute at random from many goroutines and holds the
// contents of all memory against a reference model.
//
// # Truth
//
// A cell is a buffer with what it must contain. Who works on cells locks them, makes the stream
// wait for the streams that used them last, enqueues the work, and does the same to the model. So
// the order of the locks is the order of the work, and each read has one right answer, although
// nobody waits for the work.
//
// Some operations race on purpose: a buffer that all launches may read is closed and replaced at
// any time, and so are modules. A launch is refused then, or it is not, and the model follows.
//
// # Forms
//
// Plain allows no failure at all. Faults has some of the driver's calls fail: then what an
// operation left behind is unknown until it is written again. Kill breaks a device in the middle
// of the run. In all forms nothing hangs, no call is made with what does not exist, the account
// of the memory ends at zero, and no handle is left but those that a driver refused to destroy.
//
// # Real devices
//
// Form Real runs on devices that the machine has, without anything of the simulator's:
//
//	go test ./internal/testing/computesoak -run TestReal -args -computesoak.device=cuda:0
//
// The kernels are PTX for NVIDIA, written by hand, and C++ for AMD, which needs hipRTC. The model
// is the same. Streams are kept busy by host functions that sleep. What is left over shows in
// compute.UsageOf only.
package computesoak

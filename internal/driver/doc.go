// Package driver implements the devices of package event on CUDA, HIP and the host. It handles
// native objects only. Their state, their ownership and the order in which they may be queried are
// up to package event.
//
// No method changes the calling thread's current context or device, and a method that fails to
// create an object leaves nothing behind. Failures are an [Error] or a [Refusal], joined if there
// are several. All methods are safe for concurrent use. docs/driver-facts.md lists what the code
// relies on.
package driver

// Package driver is the devices that package event works with, as drivers see them: CUDA, HIP and
// the host. It knows native objects only. What state they are in, who owns them and in which order
// things may be asked is decided above it.
//
// No method changes the calling thread's current context or device, and one that fails to create
// leaves nothing behind. Failures are an [Error] or a [Refusal], joined if there are several. All
// methods are safe for concurrent use. What is relied on is listed in docs/driver-facts.md.
package driver

// Command soak uses packages event and compute at random from many goroutines on a real device, and
// holds every answer and all memory against a reference model: internal/testing/soak and
// internal/testing/computesoak in their form for devices that nobody controls.
//
//	soak -device cuda:0 -out soak.json -time 2m
//	soak -device cuda:0 -of compute -time 10m
//
// It writes what it did as tools/gpukit/report has it, a list with one tally for each package, and
// exits with 0, with 1 if it found
// something, and with 3 if the device or what its kernels need is not available, with the reason on
// the last line of stderr.
//
// The soak of event gets two thirds of the time, and that of compute the rest. Each part runs in a
// process of its own, since a soak that hangs can only be ended with its process; a part that finds
// something does not keep the next one from running. The soak of event has three: without captures,
// with captures that forbid little, and with captures in global mode, during which drivers refuse
// most calls of all threads.
//
// On devices of NVIDIA the kernels are PTX, which the driver compiles; AMD's need hipRTC. The
// device's memory is used by the kilobyte. Everything is closed at the end, and the packages' own
// accounts have to be empty then.
package main

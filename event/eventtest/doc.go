// Package eventtest is the conformance suite of package event: a list of named behaviours that
// every device must show, whatever its backend.
//
// To run it on a device of this machine:
//
//	go test github.com/gpuevent/gpuevent/event/eventtest -eventtest.device=cuda:0 -v
//
// Without the flag it runs on the host and on simulated GPUs of several driver releases. To test
// another backend or machine, call [Run] with a [Target] of your own.
//
// No behaviour depends on the speed of the machine: gates hold streams up, and if a device has a
// clock that can be set, the test advances it.
package eventtest

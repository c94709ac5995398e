// Package eventtest is the conformance suite of package event: a list of named behaviours that
// every device must show, whatever is behind it.
//
// To run it on a device of this machine:
//
//	go test github.com/gpuevent/gpuevent/event/eventtest -eventtest.device=cuda:0 -v
//
// Without the flag it runs on the host and on software GPUs that play drivers of several releases.
// Whoever adds a backend, or a machine to test on, calls [Run] with a [Target] of their own.
//
// Nothing in it depends on how fast the machine is: streams are held up by gates, and where a
// device has a clock that can be set, time passes when the test says so.
package eventtest

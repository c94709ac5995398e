package event

import "strings"

// Capability is a set of optional features of a device.
type Capability uint

const (
	CapTiming   Capability = 1 << iota // [WithTiming]: every device so far
	CapIPC                             // [WithIPC]
	CapExternal                        // [WithExternal]
	CapHostFunc                        // [Stream.HostFunc]
	// Streams can wait for a value in memory (cuStreamWaitValue64, hipStreamWaitValue64).
	CapWaitValue
	CapCapture // streams can be captured into graphs
	// Captures record launches of kernels. Every device with [CapCapture] has it, except on ROCm
	// before 5.3.
	CapCaptureLaunch
)

var capabilityNames = []string{"timing", "ipc", "external", "host-func", "wait-value", "capture",
	"capture-launch"}

// Has reports whether all of d are in c.
func (c Capability) Has(d Capability) bool { return c&d == d }

// String returns the names, as in "timing|ipc".
func (c Capability) String() string {
	var names []string
	for i, n := range capabilityNames {
		if c&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return strings.Join(names, "|")
}

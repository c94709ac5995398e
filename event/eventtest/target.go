package eventtest

import (
	"os/exec"
	"testing"
	"time"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
)

// Target is a device to test, and what a test may do to it. Only Device is required. A behaviour
// that needs a nil field is skipped with the reason.
type Target struct {
	// Device is the device to test.
	Device *event.Device
	// Second is another device of the same backend.
	Second *event.Device
	// Other is a device of another backend.
	Other *event.Device
	// Pass lets time pass on the devices' clock. If it is nil, tests wait in real time.
	Pass func(time.Duration)
	// Gate holds a stream up until the returned function is called. If it is nil, host functions do
	// that; on a device without them, behaviours that need a gate are skipped.
	Gate func(*event.Stream) (open func())
	// Break makes Device fail for good, like a hardware fault. The target is not used afterwards.
	Break func()
	// Skew adds to every time that the device measures from now on.
	Skew func(time.Duration)
	// Calls returns the number of driver calls so far.
	Calls func() int
	// Load returns a module with the kernels of [KernelSource] on Device. If it is nil, they are
	// compiled, and behaviours that launch are skipped without a compiler.
	Load func(testing.TB) *compute.Module
	// Check is called at the end of each behaviour, when all objects are closed. It looks for
	// leaks.
	Check func(testing.TB)
	// Peer is a command that calls [ServePeer] for a device of the same kind in another process.
	Peer func() *exec.Cmd
	// SameProcessIPC is set if a process may import the events that it exported itself, which most
	// drivers refuse.
	SameProcessIPC bool
}

// Run tests a device. It calls open at the beginning of each behaviour. open may return the same
// device each time or a new one, and leaves its cleanup to the test's Cleanup.
func Run(t *testing.T, open func(testing.TB) Target) {
	for _, b := range behaviours {
		t.Run(b.name, func(t *testing.T) {
			x := open(t)
			if why := b.lacking(x); why != "" {
				t.Skip(why)
			}
			k := newKit(t, x)
			b.test(k)
		})
	}
}

// Behaviours returns the names of all behaviours, in the order in which [Run] tests them.
func Behaviours() []string {
	var names []string
	for _, b := range behaviours {
		names = append(names, b.name)
	}
	return names
}

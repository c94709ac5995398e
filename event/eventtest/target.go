package eventtest

import (
	"os/exec"
	"testing"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

// Target is a device to test, and what a test may do to it. Only Device is needed: what is nil is
// done without, and a behaviour that can't be tested then is skipped and says why.
type Target struct {
	// Device is the one to test.
	Device *event.Device
	// Second is another device of the same backend.
	Second *event.Device
	// Other is a device of another backend.
	Other *event.Device
	// Pass lets time pass on the devices' clock. If it is nil, real time is waited for.
	Pass func(time.Duration)
	// Gate holds a stream up until the returned function is called. If it is nil, host functions do
	// that; a device that lacks them is tested without what needs a gate.
	Gate func(*event.Stream) (open func())
	// Break makes Device fail for good, as a fault of the hardware does. The target is not used
	// afterwards.
	Break func()
	// Skew adds to every time that the device measures from now on.
	Skew func(time.Duration)
	// Calls counts the driver calls so far.
	Calls func() int
	// Check is called at the end of each behaviour, when all objects are closed: it looks for what
	// was left behind.
	Check func(testing.TB)
	// Peer is a command that calls [ServePeer] for a device of the same kind in another process.
	Peer func() *exec.Cmd
	// SameProcessIPC tells that a process may import the events that it exported itself, which most
	// drivers refuse.
	SameProcessIPC bool
}

// Run tests a device. It calls open at the beginning of each behaviour, which may be the same
// device each time or a new one; what open needs to undo it leaves to the test's Cleanup.
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

package eventtest

import (
	"slices"

	"github.com/gpuevent/gpuevent/event"
)

// behaviour is something that a device must do.
type behaviour struct {
	name  string
	needs []need
	test  func(*kit)
}

// need is a condition for testing a behaviour: it returns what is missing.
type need func(Target) string

func (b behaviour) lacking(x Target) string {
	for _, n := range b.needs {
		if why := n(x); why != "" {
			return why
		}
	}
	return ""
}

// can returns the need for a capability.
func can(c event.Capability) need {
	return func(x Target) string {
		if x.Device.Capabilities().Has(c) {
			return ""
		}
		return x.Device.String() + " says that it lacks the capability " + c.String()
	}
}

func second(x Target) string {
	if x.Second == nil {
		return "the target has no second device of its backend"
	}
	return ""
}

func other(x Target) string {
	if x.Other == nil {
		return "the target has no device of another backend"
	}
	return ""
}

// crossing is met if a stream of either device can wait for an event of the other one.
func crossing(x Target) string {
	for _, d := range []*event.Device{x.Device, x.Other} {
		c := d.Capabilities()
		if !c.Has(event.CapHostFunc) && !c.Has(event.CapWaitValue) {
			return d.String() + " can't wait for events of another backend: it lacks host functions " +
				"and waits for values in memory"
		}
	}
	return ""
}

func breakable(x Target) string {
	if x.Break == nil {
		return "the target's device can't be broken"
	}
	return ""
}

func skewable(x Target) string {
	if x.Skew == nil {
		return "the target's clock can't be skewed"
	}
	return ""
}

func passing(x Target) string {
	if x.Pass == nil {
		return "the target's clock can't be set"
	}
	return ""
}

func peered(x Target) string {
	if x.Peer == nil {
		return "the target has no second process"
	}
	return ""
}

// behaviours are all of them.
var behaviours = slices.Concat(deviceBehaviours, streamBehaviours, eventBehaviours,
	elapsedBehaviours, orderBehaviours, waitBehaviours,
	callbackBehaviours, hostFuncBehaviours, closeBehaviours, failureBehaviours, captureBehaviours,
	ipcBehaviours, launchBehaviours, memoryBehaviours, graphBehaviours)

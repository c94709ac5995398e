package soak

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gpuevent/gpuevent/event"
)

// Form Real runs on the devices that the machine has. It uses nothing of the simulator, also where
// a test has loaded that as the driver.

// ErrNoGate says that nothing can hold up a device's streams, without which the model knows too
// little.
var ErrNoGate = errors.New("the driver has no host functions that could hold a stream up")

// ErrOpen says that a device under test can't be opened.
var ErrOpen = errors.New("the device is not available")

// LeftOut says what form Real does not do, and why.
func LeftOut() []string {
	return []string{
		"failing driver calls, lost devices and queries that hang: a driver can't be asked for them",
		"imports of shared events: the process that exported one can't import it",
		"shared events on AMD, and where the driver refuses one: some releases of AMD's leave files " +
			"behind, others order nothing",
		"native handles left over: drivers don't count them; event.Stats does",
		"waits that must end at once: drivers may run all host functions on one thread, and gates " +
			"are host functions",
	}
}

// fillReal makes a run small enough for a machine that others use too, and patient enough.
func (c *Config) fillReal() {
	if c.Workers == 0 {
		c.Workers = 12
	}
	if c.Streams == 0 {
		c.Streams = 12
	}
	if c.Patience == 0 {
		c.Patience = realPatience
	}
	c.Without = append(c.Without[:len(c.Without):len(c.Without)], opImport.String())
}

// openReal opens the devices by name. The host joins them.
func (w *world) openReal() (all []*event.Device, err error) {
	for name := range strings.SplitSeq(w.Devices+",host", ",") {
		d, err := event.Open(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %w", name, ErrOpen, err)
		}
		if len(all) > 0 && d.IsHost() && all[0].IsHost() {
			break
		}
		if !d.Capabilities().Has(event.CapHostFunc) {
			return nil, fmt.Errorf("%s: %w", d, ErrNoGate)
		}
		all = append(all, d)
	}
	return all, nil
}

// shares reports whether events of a device may be made to be shared. A real device is asked: some
// virtual machines and containers have a driver that could and may not.
func (w *world) shares(d *event.Device) bool {
	if !d.Capabilities().Has(event.CapIPC) || w.Form == Real && d.Backend() == event.HIP {
		return false
	}
	if w.Form != Real {
		return true
	}
	e, err := d.NewEvent(event.WithIPC())
	return err == nil && e.Close() == nil
}

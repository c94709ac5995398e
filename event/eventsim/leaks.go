package eventsim

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gpuevent/gpuevent/internal/native"
)

// Leaks returns an error that counts, for each device, the streams, events, memory, modules, graphs
// and contexts that were created and not closed; nil if there are none. Primary contexts, events
// that a graph records, and what package event keeps for reuse don't count. Closed objects are
// sometimes destroyed a moment later: Leaks waits up to a second for that.
func (m *Machine) Leaks() error {
	const grace, patience, pause = time.Second, 5 * time.Second, 50 * time.Microsecond
	for began := time.Now(); ; time.Sleep(pause) {
		settled := m.settle()
		err, waited := m.live(), time.Since(began)
		if settled && (err == nil || waited > grace) || waited > patience {
			return err
		}
	}
}

// live counts what is open at present.
func (m *Machine) live() error {
	var all []error
	for i, d := range m.devices {
		if s := m.liveOn(i); s != "" {
			all = append(all, fmt.Errorf("eventsim: left open on %v: %s", d, s))
		}
	}
	return errors.Join(all...)
}

func (m *Machine) liveOn(device int) string {
	live := m.sim.CUDALiveOn
	if m.isHIP() {
		live = m.sim.HIPLiveOn
	}
	h := live(device)
	var counts []string
	for _, c := range []struct {
		n    int
		what string
	}{
		{h.Streams, "stream(s)"},
		{h.Events, "event(s)"},
		{h.Memory, "block(s) of memory"},
		{h.Modules, "module(s)"},
		{h.Graphs, "graph(s)"},
		{h.Execs, "executable graph(s)"},
		{h.Contexts, "context(s)"},
	} {
		if c.n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(counts, ", ")
}

// Misuse returns an error that lists the calls with handles that did not exist or no longer
// existed, and calls made where the driver forbids them; nil if there were none. With a real driver
// such calls crash or have undefined results. Package event makes none; they come from calls
// through cudrv or hip.
func (m *Machine) Misuse() error {
	var all []error
	for _, c := range m.sim.Misuse() {
		all = append(all, fmt.Errorf("eventsim: misuse: %v", c))
	}
	return errors.Join(all...)
}

// settle makes package event destroy what it keeps for reuse. It reports whether nothing is left to
// be destroyed.
func (m *Machine) settle() bool {
	m.finish()
	settled := true
	for _, d := range m.devices {
		settled = native.DeviceOf(d).Settle() && settled
	}
	return settled
}

// finish lets the clock of a closed machine pass the end of all work.
func (m *Machine) finish() {
	m.mu.Lock()
	closed := m.closed
	m.mu.Unlock()
	if !closed || m.clock == nil {
		return
	}
	for d, more := m.clock.Next(); more; d, more = m.clock.Next() {
		m.clock.Advance(d)
	}
}

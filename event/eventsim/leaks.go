package eventsim

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gpuevent/gpuevent/event/internal/door"
)

// Leaks returns an error that counts, for each device, the streams, events, memory and contexts
// that were created and not closed; nil if there are none. Primary contexts, events that a graph
// records, and what package event keeps for itself don't count. What is just being destroyed is
// waited for.
func (m *Machine) Leaks() error {
	m.settle()
	var all []error
	for i, d := range m.devices {
		live := m.sim.CUDALiveOn
		if m.isHIP() {
			live = m.sim.HIPLiveOn
		}
		h := live(i)
		var counts []string
		for _, c := range []struct {
			n    int
			what string
		}{{h.Streams, "stream"}, {h.Events, "event"}, {h.Memory, "block of memory"}, {h.Contexts, "context"}} {
			if c.n > 0 {
				counts = append(counts, fmt.Sprintf("%d %s(s)", c.n, c.what))
			}
		}
		if counts != nil {
			all = append(all, fmt.Errorf("eventsim: not closed on %v: %s", d, strings.Join(counts, ", ")))
		}
	}
	return errors.Join(all...)
}

// Misuse returns an error that lists the calls with handles that did not exist, or not any more,
// and calls where the driver forbids them: with a real driver they crash, or do something
// undefined. It is nil if there were none. Package event makes no such calls; they are made through
// cudrv or hip.
func (m *Machine) Misuse() error {
	var all []error
	for _, c := range m.sim.Misuse() {
		all = append(all, fmt.Errorf("eventsim: misuse: %v", c))
	}
	return errors.Join(all...)
}

// settle has package event destroy what it keeps for later use, and waits for what it destroys on
// its own.
func (m *Machine) settle() {
	const patience, pause = 5 * time.Second, 50 * time.Microsecond
	for began := time.Now(); time.Since(began) < patience; time.Sleep(pause) {
		m.finish()
		settled := true
		for _, d := range m.devices {
			settled = door.Settle(d) && settled
		}
		if settled {
			return
		}
	}
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

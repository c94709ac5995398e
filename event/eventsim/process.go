package eventsim

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// process holds the machines that simulate each vendor in this process.
var process = struct {
	sync.Mutex
	places  map[event.Backend]*place
	changed chan struct{} // closed and replaced when a machine leaves
}{places: map[event.Backend]*place{}, changed: make(chan struct{})}

// place is a vendor's library that is being simulated.
type place struct {
	version  string
	shared   *sim.Shared // nil for a process-wide machine
	restore  func()
	compiler func() // restores the vendor's compiler
	machines []*Machine
}

// patience is how long New waits for machines of other tests.
const patience = 5 * time.Minute

// enter adds a machine to the process, and returns the number of its first device. If waiting can
// help, it waits until the deadline.
func enter(m *Machine, deadline time.Time) (first int, err error) {
	for {
		process.Lock()
		p := process.places[m.config.Backend]
		if p == nil || p.admits(m) {
			defer process.Unlock()
			return join(p, m), nil
		}
		holder, changed := p.machines[0], process.changed
		err := p.refusal(m)
		process.Unlock()
		if related(holder.test, m.test) || time.Now().After(deadline) {
			return 0, err
		}
		timer := time.NewTimer(time.Until(deadline))
		select {
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

func (p *place) admits(m *Machine) bool {
	return p.shared != nil && !m.config.ProcessWide && p.version == m.config.Version
}

func (p *place) refusal(m *Machine) error {
	holder := p.machines[0]
	why := fmt.Sprintf("machines of one backend have one driver version: %s is %s", m, p.version)
	if m.config.ProcessWide || p.shared == nil {
		why = "a process-wide machine is the only one of its backend"
	}
	whose := "opened without a test"
	if holder.test != "" {
		whose = "of test " + holder.test
	}
	return fmt.Errorf("%s: %s; close the one that was %s first", m, why, whose)
}

// related reports whether waiting for the machine of one test could keep it from ever being closed:
// it belongs to the test itself, to one that waits for it, or to none.
func related(holder, waiting string) bool {
	a, b := holder+"/", waiting+"/"
	return holder == "" || waiting == "" || strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// join adds m to the place, which is made if there is none. The caller holds the lock.
func join(p *place, m *Machine) (first int) {
	if p == nil {
		p = &place{version: m.config.Version}
		process.places[m.config.Backend] = p
		switch {
		case !m.config.ProcessWide:
			p.shared = sim.NewShared(m.isHIP(), p.version)
			p.restore = p.shared.Install()
		case m.isHIP():
			p.restore = m.sim.InstallHIP(p.version)
		default:
			p.restore = m.sim.InstallCUDA(p.version)
		}
		p.compiler = p.installCompiler(m.isHIP())
	}
	p.machines = append(p.machines, m)
	m.leave = func() { leave(p, m) }
	if p.shared != nil {
		return p.shared.Add(m.sim)
	}
	return 0
}

// leave removes a machine from the process. The last one restores the vendor's library.
func leave(p *place, m *Machine) {
	process.Lock()
	defer process.Unlock()
	for i, other := range p.machines {
		if other == m {
			p.machines = append(p.machines[:i], p.machines[i+1:]...)
			break
		}
	}
	if p.shared != nil {
		p.shared.Remove(m.sim)
	}
	if len(p.machines) == 0 {
		p.compiler()
		p.restore()
		delete(process.places, m.config.Backend)
	}
	close(process.changed)
	process.changed = make(chan struct{})
}

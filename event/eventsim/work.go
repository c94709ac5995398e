package eventsim

import (
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/native"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// Gate is work on a stream that ends when the test opens it. All methods are safe for concurrent
// use.
type Gate struct {
	machine *Machine
	gate    *sim.Gate
}

// Gate enqueues work on a stream that ends with [Gate.Open]. Closing the machine opens its gates.
func (m *Machine) Gate(s *event.Stream) *Gate {
	g := &Gate{m, m.stream("Gate", s).Gate()}
	m.mu.Lock()
	m.gates = append(m.gates, g)
	m.mu.Unlock()
	return g
}

// Open ends the work. Opening again does nothing.
func (g *Gate) Open() { g.gate.Open() }

// Fail ends the work with a failure, as a faulty kernel does: all calls on the device return err
// from then on. err is a code of the machine's vendor, such as cudrv.ErrIllegalAddress.
func (g *Gate) Fail(err error) { g.gate.Fail(g.machine.code("Gate.Fail", err)) }

// Work enqueues work on a stream that takes d of the machine's time, like a kernel of that length.
func (m *Machine) Work(s *event.Stream, d time.Duration) { m.stream("Work", s).Delay(d) }

// FailWork enqueues work that fails when the stream reaches it, with the effect of [Gate.Fail].
func (m *Machine) FailWork(s *event.Stream, err error) {
	m.stream("FailWork", s).FailWork(m.code("FailWork", err))
}

// stream is the simulator's stream behind a stream of package event.
func (m *Machine) stream(op string, s *event.Stream) sim.Stream {
	if s.IsClosed() {
		m.mistaken(op, "the stream is closed or nil")
	}
	device := m.number(s.Device())
	if device < 0 {
		m.mistaken(op, "%v belongs to no device of this machine", s)
	}
	switch {
	case !s.IsDefault():
		return m.sim.Stream(native.StreamOf(s).Object.Word)
	case m.isHIP():
		return m.sim.HIPDefaultStream(device)
	}
	if _, err := s.Device().Context(); err != nil { // which makes it, if nobody did
		m.mistaken(op, "%v: %v", s, err)
	}
	return m.sim.CUDADefaultStream(device)
}

// number returns a device's number; -1 if it is not one of the machine's.
func (m *Machine) number(d *event.Device) int {
	for i, own := range m.devices {
		if own == d {
			return i
		}
	}
	return -1
}

// Advance moves the machine's clock on by d. When it returns, all work that ends within d is done;
// host functions run on goroutines of their own and may still be running.
func (m *Machine) Advance(d time.Duration) {
	if m.clock == nil {
		m.mistaken("Advance", "the machine's time is the system's, by Config.RealTime")
	}
	m.clock.Advance(d)
}

// Now returns the time on the machine's clock: since the machine was made, unless it has an offset.
func (m *Machine) Now() time.Duration {
	switch {
	case m.drifts != nil:
		return m.drifts.Now()
	case m.clock == nil:
		return time.Since(m.began)
	}
	return m.clock.Now()
}

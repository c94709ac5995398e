package eventsim

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/hooks"
	"github.com/gpuevent/gpuevent/internal/kernel"
	"github.com/gpuevent/gpuevent/internal/native"
	"github.com/gpuevent/gpuevent/internal/poll"
	"github.com/gpuevent/gpuevent/internal/testing/clock"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// Machine is a simulated computer with GPUs. All methods are safe for concurrent use. Wrong use,
// such as of a device that the machine does not have, panics with an explanation.
type Machine struct {
	config  Config
	test    string // its name; "" if there is none
	sim     *sim.Machine
	clock   *clock.Manual   // nil with the system's
	drifts  *clock.Drifting // nil without
	began   time.Time
	devices []*event.Device
	leave   func()

	mu     sync.Mutex
	gates  []*Gate
	closed bool
}

// logLimit is how many calls [Machine.Log] keeps.
const logLimit = 100_000

// New makes a machine for a test and closes it when the test ends. The test fails if it has left
// streams, events or device memory behind ([Machine.Leaks]), has used handles that did not exist
// ([Machine.Misuse]), has launched a kernel that has no Go function ([Machine.MissingKernels]), or
// has asked for a fault that never came ([Machine.IdleFaults]). Nothing of this is reported for a
// test that has already failed.
//
// New waits while tests that run in parallel have machines that can't exist at the same time: see
// the package's documentation. If such a machine belongs to the test itself, or to no test, New
// fails.
func New(t testing.TB, c Config) *Machine {
	t.Helper()
	m, err := newMachine(t.Name(), c)
	if err == nil {
		err = m.start(time.Now().Add(patience))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil && !t.Failed() {
			t.Error(err)
		}
	})
	return m
}

// Open makes a machine outside of tests, for demonstrations. It returns an error where New would
// wait. Close the machine when done.
func Open(c Config) (*Machine, error) {
	m, err := newMachine("", c)
	if err == nil {
		err = m.start(time.Now())
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

func newMachine(test string, c Config) (*Machine, error) {
	if poll.InBubble() {
		return nil, errors.New("eventsim: machines don't work inside a testing/synctest bubble, since " +
			"package event polls drivers on the system's clock: run the test without synctest, and " +
			"move the machine's time with Machine.Advance")
	}
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	o := sim.Options{Devices: c.Devices, Memory: uintptr(c.Memory), Log: true, LogLimit: logLimit}
	m := &Machine{config: c, test: test, began: time.Now()}
	if !c.RealTime {
		m.clock = clock.NewManual()
		o.Clock = m.clock
	} else if c.ClockOffset != 0 || c.ClockDrift != 0 {
		m.drifts = clock.NewDrifting(c.ClockOffset, c.ClockDrift)
		o.Clock = m.drifts
	}
	m.sim = sim.NewMachine(o)
	return m, nil
}

// start joins the process and finds the devices.
func (m *Machine) start(deadline time.Time) error {
	first, err := enter(m, deadline)
	if err != nil {
		return err
	}
	if err := m.open(first); err != nil {
		m.leave()
		return fmt.Errorf("eventsim: %w", err)
	}
	return nil
}

func (m *Machine) open(first int) error {
	devices, err := m.find(first, max(m.config.Devices, 0))
	process.Lock()
	defer process.Unlock()
	m.devices = devices
	if err == nil {
		for _, d := range devices {
			kernel.SetSimulator(native.DeviceOf(d).Driver, simulator{m})
		}
	}
	return err
}

// find returns the machine's devices.
func (m *Machine) find(first, n int) (devices []*event.Device, err error) {
	if m.config.ProcessWide {
		for i := range n {
			d, err := event.Open(fmt.Sprintf("%s:%d", m.config.Backend, i))
			if err != nil {
				return devices, err
			}
			devices = append(devices, d)
		}
		return devices, nil
	}
	find := driver.OpenCUDADevices
	if m.isHIP() {
		find = driver.OpenHIPDevices
	}
	drivers, err := find(first, n)
	for _, d := range drivers {
		devices = append(devices, hooks.NewDevice(d).(*event.Device))
	}
	return devices, err
}

func (m *Machine) isHIP() bool { return m.config.Backend == event.HIP }

// Devices returns all devices of the machine.
func (m *Machine) Devices() []*event.Device { return append([]*event.Device(nil), m.devices...) }

// Device returns a device of the machine, counted from 0.
func (m *Machine) Device(i int) *event.Device {
	m.mustHave("Device", i)
	return m.devices[i]
}

// Close ends the machine: it opens all gates and lets work finish; later use returns errors. It
// returns the errors of [Machine.Leaks], [Machine.Misuse], [Machine.MissingKernels] and
// [Machine.IdleFaults], joined. Later calls do nothing.
func (m *Machine) Close() error {
	m.mu.Lock()
	closed, gates := m.closed, m.gates
	m.closed, m.gates = true, nil
	m.mu.Unlock()
	if closed {
		return nil
	}
	for _, g := range gates {
		g.gate.Open()
	}
	err := errors.Join(m.Leaks(), m.Misuse(), m.MissingKernels(), m.IdleFaults())
	for _, d := range m.devices {
		native.DeviceOf(d).End("the simulated machine of the device is closed, see " +
			"eventsim.Machine.Close")
		kernel.SetSimulator(native.DeviceOf(d).Driver, nil)
	}
	m.leave()
	return err
}

// String returns "eventsim: cuda 13.5 with 2 device(s)".
func (m *Machine) String() string {
	return fmt.Sprintf("eventsim: %s %s with %d device(s)", m.config.Backend, m.config.Version,
		max(m.config.Devices, 0))
}

func (m *Machine) mustHave(op string, device int) {
	if device < 0 || device >= len(m.devices) {
		m.mistaken(op, "device %d: there are %d, counted from 0", device, len(m.devices))
	}
}

// mistaken panics because of a wrong use.
func (m *Machine) mistaken(op, format string, args ...any) {
	panic(fmt.Sprintf("eventsim: Machine.%s: ", op) + fmt.Sprintf(format, args...))
}

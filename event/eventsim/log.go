package eventsim

// Call is a call of a driver's function, as [Machine.Log] lists them.
type Call struct {
	Name   string // the C name: "cuEventRecord"
	Err    error  // what it returned: nil, or a code such as cudrv.ErrNotReady
	Device int    // the device it concerned; -1 if none
}

// Log returns the latest calls, 100,000 at most, in the order in which they ended. Calls that name
// no device and no object of the machine's are in the log of a process-wide machine only.
func (m *Machine) Log() []Call {
	logged := m.sim.Log()
	calls := make([]Call, len(logged))
	for i, c := range logged {
		calls[i] = Call{c.Name, m.result(c.Code), c.Device}
	}
	return calls
}

// Calls returns how often a C function was called, failed calls included. It counts what
// [Machine.Log] lists, since the machine was made.
func (m *Machine) Calls(name string) int {
	if !m.sim.Simulates(name, m.isHIP()) {
		m.mistaken("Calls", "%q is no function of the simulated %s", name, m.config.Backend)
	}
	return m.sim.Calls(name)
}

package eventsim

// Kernel registers a Go function for the kernel of a name.
func (m *Machine) Kernel(name string, fn any) { m.sim.Kernel(name, fn) }

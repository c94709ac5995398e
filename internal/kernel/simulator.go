package kernel

import (
	"sync"

	"github.com/gpuevent/gpuevent/internal/driver"
)

// Simulator runs Go functions in the place of the kernels of a simulated device.
type Simulator interface {
	// Twins gives the simulator the functions of a source by the names of the kernels. module is
	// the native module that was loaded from it, or 0 before the source is compiled.
	Twins(module uintptr, functions map[string]*Func)
}

var simulators sync.Map // by driver.Driver

// SetSimulator sets the simulator of a device; nil removes it.
func SetSimulator(d driver.Driver, s Simulator) {
	if s == nil {
		simulators.Delete(d)
		return
	}
	simulators.Store(d, s)
}

// SimulatorOf returns the simulator of a device, or nil.
func SimulatorOf(d driver.Driver) Simulator {
	s, _ := simulators.Load(d)
	simulator, _ := s.(Simulator)
	return simulator
}

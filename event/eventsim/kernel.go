package eventsim

import (
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/internal/kernel"
	"github.com/gpuevent/gpuevent/internal/testing/simrtc"
)

// Kernel makes a Go function run in the place of every kernel of this name that is launched on the
// machine from now on. The function has the kernel's parameters behind a *compute.Block, and runs
// once for each block of the launch:
//
//	m.Kernel("saxpy", func(b *compute.Block, n int32, a float32, x, y []float32) {
//		lo, hi := b.Span(int(n))
//		for i := lo; i < hi; i++ {
//			y[i] += a * x[i]
//		}
//	})
//
// A number or a struct of numbers stands for a parameter by value, a slice for a pointer to device
// memory: it reaches from that address to the end of the allocation. The sizes must be those that
// the loaded image declares; a launch where they differ fails, and [Machine.Misuse] says why. The
// name is the symbol in the image. For an instance of a C++ template that the simulated compiler
// compiles it is the name expression, "reduce<float>".
//
// The launch is work of its stream, in order with all other work, and takes none of the machine's
// time. An index out of range, and an address at which there is no memory, break the device as an
// illegal address does; any other panic as a failed launch. [Machine.KernelErrors] has the panics.
//
// Package compute gives the machine the functions of Source.Host, for the module that it compiles
// from the source. A function given to Kernel takes their place. A kernel with neither does nothing
// and fails the test, see [Machine.MissingKernels]. With nil as fn the kernel does nothing on
// purpose. Kernel panics if fn can't be a kernel.
func (m *Machine) Kernel(name string, fn any) {
	if name == "" {
		m.mistaken("Kernel", "the name is empty")
	}
	if fn != nil {
		if _, err := kernel.Of(fn); err != nil {
			m.mistaken("Kernel", "%q: %v", name, err)
		}
	}
	m.sim.Kernel(name, fn)
	if symbol := simrtc.Symbol(name); symbol != name { // what the simulated compiler makes of it
		m.sim.Kernel(symbol, fn)
	}
}

// MissingKernels returns an error that names the kernels that ran although they have no Go function
// and so did nothing; nil if there were none. [Machine.Kernel] gives a kernel its function.
func (m *Machine) MissingKernels() error {
	var all []error
	for _, name := range m.sim.MissingKernels() {
		all = append(all, fmt.Errorf("eventsim: kernel %s was launched and did nothing, since it has "+
			"no Go function: give it one with Machine.Kernel or Source.Host, or nil if it is to do "+
			"nothing", name))
	}
	return errors.Join(all...)
}

// simulator is the machine as package compute knows it.
type simulator struct{ machine *Machine }

// Twins gives the machine the functions under their names in the source and in the image.
func (s simulator) Twins(module uintptr, functions map[string]*kernel.Func) {
	named := map[string]*kernel.Func{}
	for name, k := range functions {
		named[name] = k
		named[simrtc.Symbol(name)] = k
	}
	if module == 0 {
		s.machine.sim.Layouts(named)
		return
	}
	s.machine.sim.Twins(module, named)
}

// KernelErrors returns the failures of kernels' Go functions so far, joined, with the kernel, the
// block and what it panicked with; nil if there were none. What the failed launches make the
// driver's calls return has none of that.
func (m *Machine) KernelErrors() error {
	var all []error
	for _, err := range m.sim.KernelFailures() {
		all = append(all, fmt.Errorf("eventsim: %w", err))
	}
	return errors.Join(all...)
}

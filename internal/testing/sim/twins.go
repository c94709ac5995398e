package sim

import "github.com/gpuevent/gpuevent/internal/kernel"

// Twins gives a loaded module Go functions for its kernels. They run where [Machine.Kernel] has
// none of the name.
func (m *Machine) Twins(module uintptr, functions map[string]*kernel.Func) {
	for _, f := range m.faces() {
		if o := f.handles.find(module); o != nil && o.module != nil {
			o.module.mu.Lock()
			o.module.twins = functions
			o.module.mu.Unlock()
		}
	}
}

// Layouts makes the parameters of Go functions known to the simulated compiler.
func (m *Machine) Layouts(functions map[string]*kernel.Func) {
	for name, k := range functions {
		m.layouts.Store(name, k)
	}
}

// goFunction returns what runs in the place of the kernel, and whether that is known.
func (e *entryPoint) goFunction() (run *kernel.Func, known bool) {
	m := e.module
	if run, known = m.home.f.m.kernel(e.spec.name); known {
		return run, true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	run, known = m.twins[e.spec.name]
	return run, known
}

package sim

import (
	"sync"

	"github.com/gpuevent/gpuevent/internal/host"
	"github.com/gpuevent/gpuevent/internal/kernel"
)

// module is an image that is loaded into a context.
type module struct {
	object
	home    *context
	program *program
	source  *source // whose memory the module still reads; nil if it has a copy

	mu      sync.Mutex
	entries map[string]*entryPoint
	globals map[string]*block
	twins   map[string]*kernel.Func // Go functions for this module's kernels
	pending []host.Point            // ends of launches, the finished ones not all removed
}

// entryPoint is a kernel of a module: what C calls a function.
type entryPoint struct {
	object
	module *module
	spec   kernelSpec

	mu         sync.Mutex
	dynamic    int32 // CUDA: how much dynamic shared memory a launch may ask for
	anyCluster bool  // CUDA: clusters of more than 8 blocks are allowed
	carveout   int32
	loaded     bool
	name       []byte // as C reads it; nil before it was asked for
}

// nameInC returns the function's name, always at the same address.
func (e *entryPoint) nameInC() *byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.name == nil {
		e.name = append([]byte(e.spec.name), 0)
	}
	return &e.name[0]
}

// module resolves the handle of a module.
func (f *face) module(call string, h uintptr) (*module, code) {
	if o := f.handles.find(h); o != nil && o.module != nil {
		return o.module, o.module.home.failed()
	}
	if f.hip() && h != 0 { // which the runtime looks up in a table
		f.note(Crash{call, h, "module is unloaded or none"}, false)
		return nil, notFound
	}
	return nil, f.dead(call, h, moduleKind)
}

// entry resolves the handle of a function, or of a library's kernel, which stands for its function
// in the current context.
func (f *face) entry(call string, h uintptr) (*entryPoint, code) {
	o := f.handles.find(h)
	switch {
	case o != nil && o.entry != nil:
		return o.entry, o.entry.module.home.failed()
	case o != nil && o.kernel != nil:
		c, fault := f.here()
		if fault != success {
			return nil, fault
		}
		return o.kernel.in(c)
	}
	return nil, f.dead(call, h, functionKind)
}

// moduleLoad loads an image for the current context, or the current device.
func (f *face) moduleLoad(out *uintptr, image *byte, log *jitLog) code {
	c, fault := f.here()
	switch {
	case out == nil || image == nil:
		return invalidValue
	case fault != success:
		return fault
	}
	if fault := f.moduleHeedsModes(); fault != success {
		return fault
	}
	*out = 0
	m, fault := f.loadImage(c, image, log)
	if fault != success {
		return fault
	}
	if fault := f.placeGlobals(m); fault != success {
		return fault
	}
	m.object.module = m
	*out = f.begin(&m.object, moduleKind)
	return success
}

// moduleHeedsModes refuses to load or unload during a capture that the thread heeds.
func (f *face) moduleHeedsModes() code {
	if f.plays(cudaCaptureModes) {
		return f.heedModes()
	}
	return success
}

func (f *face) moduleUnload(call string, h uintptr) code {
	m, fault := f.module(call, h)
	if m == nil {
		return fault
	}
	if fault := f.moduleHeedsModes(); fault != success {
		return fault
	}
	if f.plays(amdUnloadHeedsCaptures) {
		if fault := f.mayManageMemory(); fault != success {
			return fault
		}
	}
	if fault == success && m.busy() {
		f.note(Crash{call, h, "the module is unloaded while launches of its kernels are pending"},
			f.plays(amdUnloadAtOnce))
	}
	f.checkSource(call, m)
	if !f.end(&m.object) {
		return f.dead(call, h, moduleKind)
	}
	f.closeModule(m)
	return fault
}

// closeModule ends what belongs to a module that has lost its handle.
func (f *face) closeModule(m *module) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.entries {
		f.end(&e.object)
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	for _, b := range m.globals {
		f.drop(b)
	}
}

func (f *face) moduleFunction(call string, out *uintptr, h uintptr, name *byte) code {
	m, fault := f.module(call, h)
	switch {
	case out == nil || name == nil:
		return invalidValue
	case fault != success:
		return fault
	}
	want := goText(name)
	if want == "" {
		return f.missingName()
	}
	f.checkSource(call, m)
	spec, ok := f.kernelOf(m.program, want)
	if !ok && f.plays(chipUnknownKernel) {
		return launchFailed
	}
	if !ok {
		return notFound
	}
	*out = m.entryFor(spec).handle
	return success
}

// entryFor returns the function of a kernel, always the same one.
func (m *module) entryFor(spec kernelSpec) *entryPoint {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.entries[spec.name]
	if e == nil {
		f := m.home.f
		e = &entryPoint{module: m, spec: spec, dynamic: f.defaultDynamic(spec)}
		e.object.entry = e
		f.begin(&e.object, functionKind)
		if m.entries == nil {
			m.entries = map[string]*entryPoint{}
		}
		m.entries[spec.name] = e
	}
	return e
}

// missingName is the result of a search for the empty name.
func (f *face) missingName() code {
	if f.hip() {
		return invalidValue
	}
	return notFound
}

// track remembers the end of a launch.
func (m *module) track(p host.Point) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.pending) == cap(m.pending) {
		m.pending = stillPending(m.pending)
	}
	m.pending = append(m.pending, p)
}

// busy reports whether launches have not ended.
func (m *module) busy() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pending = stillPending(m.pending)
	return len(m.pending) > 0
}

func stillPending(all []host.Point) []host.Point {
	left := all[:0]
	for _, p := range all {
		if done, _ := p.Query(); !done {
			left = append(left, p)
		}
	}
	return left
}

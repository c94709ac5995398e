package sim

import (
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"
)

// library is an image that all contexts share. It is loaded into a context when that first needs
// it.
type library struct {
	object
	f       *face
	program *program

	mu      sync.Mutex
	modules map[*context]*module
	kernels map[string]*libraryKernel
}

// libraryKernel is a kernel in no context.
type libraryKernel struct {
	object
	library *library
	spec    kernelSpec
	name    []byte // as C reads it

	mu        sync.Mutex
	on        map[*device]*entryPoint // holds what is set for a device; no function
	functions []*entryPoint           // that it is in contexts
}

func (f *face) libraryLoad(out *uintptr, image *byte, log *jitLog) code {
	if out == nil || image == nil {
		return invalidValue
	}
	read, fault := f.loadImage(nil, image, log)
	if fault != success {
		return fault
	}
	l := &library{f: f, program: read.program, modules: map[*context]*module{},
		kernels: map[string]*libraryKernel{}}
	l.object.library = l
	*out = f.begin(&l.object, libraryKind)
	return success
}

func (f *face) libraryLoadFile(out *uintptr, path *byte, log *jitLog) code {
	if out == nil || path == nil {
		return invalidValue
	}
	image, err := os.ReadFile(goText(path))
	if err != nil {
		log.say("%v", err)
		return fileNotFound
	}
	image = append(image, 0) // where PTX ends
	defer runtime.KeepAlive(image)
	return f.libraryLoad(out, &image[0], log)
}

// library resolves the handle of a library.
func (f *face) library(call string, h uintptr) (*library, code) {
	if o := f.handles.find(h); o != nil && o.library != nil {
		return o.library, success
	}
	return nil, f.dead(call, h, libraryKind)
}

// libraryKernel resolves the handle of a library's kernel.
func (f *face) libraryKernel(call string, h uintptr) (*libraryKernel, code) {
	if o := f.handles.find(h); o != nil && o.kernel != nil {
		return o.kernel, success
	}
	return nil, f.dead(call, h, kernelKind)
}

func (f *face) libraryUnload(call string, h uintptr) code {
	l, fault := f.library(call, h)
	if fault != success {
		return fault
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !f.end(&l.object) {
		return f.dead(call, h, libraryKind)
	}
	for _, k := range l.kernels {
		f.end(&k.object)
	}
	for _, m := range l.modules {
		if m.busy() {
			f.note(Crash{call, h, "the library is unloaded while launches of its kernels are pending"},
				false)
		}
		if f.end(&m.object) {
			f.closeModule(m)
		}
	}
	return success
}

// in returns the module that the library is in a context.
func (l *library) in(c *context) (*module, code) {
	if fault := c.failed(); fault != success {
		return nil, fault
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.modules[c]
	if m != nil && l.f.handles.find(m.handle) == &m.object {
		return m, success
	}
	m = &module{home: c, program: l.program}
	if fault := l.f.placeGlobals(m); fault != success {
		return nil, fault
	}
	m.object.module = m
	l.f.begin(&m.object, moduleKind)
	l.modules[c] = m
	return m, success
}

// kernel returns the kernel with a name, always the same one; nil if there is none.
func (l *library) kernel(name string) *libraryKernel {
	spec, ok := l.f.kernelOf(l.program, name)
	if !ok {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.kernels[spec.name]
	if k == nil {
		k = &libraryKernel{library: l, spec: spec, name: append([]byte(spec.name), 0),
			on: map[*device]*entryPoint{}}
		k.object.kernel = k
		l.f.begin(&k.object, kernelKind)
		l.kernels[spec.name] = k
	}
	return k
}

// in returns the function that the kernel is in a context.
func (k *libraryKernel) in(c *context) (*entryPoint, code) {
	m, fault := k.library.in(c)
	if fault != success {
		return nil, fault
	}
	set := k.onDevice(c.device)
	k.mu.Lock()
	defer k.mu.Unlock()
	e := m.entryFor(k.spec)
	if !slices.Contains(k.functions, e) {
		k.functions = append(k.functions, e)
		e.mu.Lock()
		defer e.mu.Unlock()
		e.dynamic, e.anyCluster, e.carveout = set.dynamic, set.anyCluster, set.carveout
	}
	return e, success
}

// onDevice returns what holds the kernel's attributes on a device.
func (k *libraryKernel) onDevice(d *device) *entryPoint {
	k.mu.Lock()
	defer k.mu.Unlock()
	e := k.on[d]
	if e == nil {
		e = &entryPoint{spec: k.spec, dynamic: k.library.f.defaultDynamic(k.spec)}
		k.on[d] = e
	}
	return e
}

// set sets an attribute in all contexts of a device, present and future.
func (k *libraryKernel) set(d *device, which, value int32) code {
	all := []*entryPoint{k.onDevice(d)}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, e := range k.functions {
		if e.module.home.device == d {
			all = append(all, e)
		}
	}
	for _, e := range all {
		if fault := k.library.f.setAttributeOf(e, which, value); fault != success {
			return fault
		}
	}
	return success
}

// names are those of the kernels that the image is known to have, sorted.
func (l *library) names() []string {
	set := map[string]bool{}
	for _, k := range l.program.kernels {
		set[k.name] = true
	}
	return slices.Sorted(maps.Keys(set))
}

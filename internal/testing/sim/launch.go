package sim

import (
	"encoding/binary"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/host"
	"github.com/gpuevent/gpuevent/internal/kernel"
)

// launchRequest is what C asks for.
type launchRequest struct {
	grid, block, cluster kernel.Dim // no cluster: all zero
	shared               uintptr    // dynamic, in bytes
	cooperative          bool
	params, extra        unsafe.Pointer // arrays of pointers
}

// kernelLaunch is a launch whose values are copied. It never changes.
type kernelLaunch struct {
	launchRequest
	call   string
	entry  *entryPoint
	packed []byte
	run    *kernel.Func // nil: it does nothing
	known  bool         // run was given, or nil on purpose
	asked  uintptr      // the handle that a graph's node was given; 0: the function's

	pointers []unsafe.Pointer // to the values in packed, for who asks a graph's node
}

// alive reports whether the module is still loaded.
func (l *kernelLaunch) alive() bool {
	f := l.entry.module.home.f
	return f.handles.find(l.entry.handle) == &l.entry.object
}

// launch makes a stream run a kernel.
func (f *face) launch(call string, fn, h uintptr, r *launchRequest) code {
	e, s, fault := f.launched(call, fn, h)
	if fault != success {
		return fault
	}
	if s.context != e.module.home {
		return f.foreignFunction()
	}
	f.checkSource(call, e.module)
	l, fault := f.prepare(call, e, r)
	if fault != success {
		return fault
	}
	e.setLoaded()
	l.asked = fn
	if c := f.captureFor(call, s); c != nil {
		return f.addNode(c, s, newNode(kernelNodeType, nodeSpec{kernel: l, lay: l.lay}))
	}
	f.uses(call, s, l.addresses()...)
	return f.enqueue(s, l.lay)
}

// launched resolves the handles of a launch. A library's kernel stands for its function in the
// stream's context.
func (f *face) launched(call string, fn, h uintptr) (*entryPoint, *stream, code) {
	if o := f.handles.find(fn); o != nil && o.kernel != nil {
		s, fault := f.stream(call, h)
		if fault != success {
			return nil, nil, fault
		}
		e, fault := o.kernel.in(s.context)
		return e, s, fault
	}
	e, fault := f.entry(call, fn)
	if fault != success {
		return nil, nil, fault
	}
	s, fault := f.stream(call, h)
	return e, s, fault
}

// addresses are the values that can be pointers.
func (l *kernelLaunch) addresses() (all []uintptr) {
	for _, p := range l.entry.spec.params {
		if p.size == 8 {
			all = append(all, uintptr(binary.NativeEndian.Uint64(l.packed[p.offset:])))
		}
	}
	return all
}

// foreignFunction is the result of a launch on a stream of another context.
func (f *face) foreignFunction() code {
	if f.hip() {
		return invalidDevice
	}
	return invalidHandle
}

// prepare checks a launch and copies its values.
func (f *face) prepare(call string, e *entryPoint, r *launchRequest) (*kernelLaunch, code) {
	if fault := f.allows(e, r); fault != success {
		return nil, fault
	}
	l := &kernelLaunch{launchRequest: *r, call: call, entry: e}
	l.params, l.extra = nil, nil
	l.run, l.known = e.goFunction()
	if fault := l.copyValues(f, r); fault != success {
		return nil, fault
	}
	return l, success
}

// lay puts the launch on a queue.
func (l *kernelLaunch) lay(q *host.Queue) error {
	var err error
	if l.run == nil {
		if !l.known {
			l.entry.module.home.f.m.missing.Store(l.entry.spec.name, nil)
		}
		err = q.Delay(0)
	} else {
		err = q.Do(func() error {
			l.execute(q.Engine())
			return nil
		})
	}
	if err != nil {
		return err
	}
	end, err := q.Mark()
	if err == nil {
		l.entry.module.track(end)
	}
	return err
}

package sim

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/internal/dl"
)

// driver is a vendor's library as a process has it: the current state of threads, and the machines
// whose devices it finds. Most have one machine.
type driver struct {
	api     *api
	threads threads
	// lobby answers calls that concern no machine: in a driver of one machine, that one.
	lobby      *face
	lastErrors atomic.Int32 // HIP: threads with a last error

	// Of a driver that is shared:
	shared bool
	faces  atomic.Pointer[[]*face]
	next   atomic.Int64 // the number of the next device
}

// install replaces a library by the driver.
func (d *driver) install(
	library *dl.Library, p *profile, lacks func(symbol string) bool,
) (restore func()) {
	functions := d.api.functions()
	previous := d.api.current.Swap(d)
	name := fmt.Sprintf("simulated %s %s", d.api.name, p.name)
	undo := library.Install(name, func(symbol string) uintptr {
		fn := functions[symbol]
		if fn == nil || !p.has(fn) || lacks(symbol) {
			return 0
		}
		return fn.address()
	})
	return sync.OnceFunc(func() {
		undo()
		d.lobby.hostThread.stop()
		d.api.current.Store(previous)
	})
}

// servedBy returns the face that a call is for; nil if its machine is gone.
func (fn *function) servedBy(fr *frame) *face {
	d := fn.api.current.Load()
	switch {
	case d == nil:
		return nil
	case !d.shared:
		return d.lobby
	}
	return d.route(fn, fr)
}

// concerned returns the context that a call is about; nil if there is none.
func (e *entry) concerned() *context {
	f, fn := e.face, e.fn
	for _, word := range e.frame.args[:min(fn.params, frameRegs)] {
		if o := f.handles.find(word); o != nil {
			if c := o.owner(); c != nil {
				return c
			}
		}
	}
	if fn.device > 0 {
		d, fault := f.device(arg[int32](e.frame, fn.device-1))
		if fault != success {
			return nil
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.primary
	}
	c, _ := f.here()
	return c
}

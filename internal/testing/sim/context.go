package sim

import (
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/internal/host"
)

// context is a CUDA context, or all of a HIP device.
type context struct {
	object
	f       *face
	device  *device
	primary bool
	flags   uint32
	id      uint64
	engine  *host.Engine
	gone    atomic.Bool
	legacy  *stream
	told    atomic.Uint64 // what others could learn from all its streams

	mu        sync.Mutex
	perThread map[uint64]*stream // the per-thread default streams
	peers     map[*device]bool   // whose memory kernels reach; guarded by the face's memory
}

func (f *face) newContext(d *device, primary bool, flags uint32) *context {
	c := &context{f: f, device: d, primary: primary, flags: flags, id: f.ids.Add(1),
		engine: f.newEngine(d)}
	c.object.context = c
	c.legacy = &stream{context: c, queue: c.engine.Default()}
	f.begin(&c.object, contextKind)
	if lost := d.lost.Load(); lost != 0 {
		c.engine.Fail(workError(lost))
	}
	return c
}

// activate returns the primary context of d and creates it if necessary.
func (f *face) activate(d *device) *context {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.primary == nil {
		d.primary = f.newContext(d, true, d.flags)
	}
	return d.primary
}

// destroyContext ends a context and everything in it. It reports whether this call did.
func (f *face) destroyContext(c *context) bool {
	if !f.end(&c.object) {
		return false
	}
	c.gone.Store(true)
	f.freeAll(c)
	for _, o := range f.handles.live(func(o *object) bool {
		return o.kind != contextKind && o.kind != nodeKind && o.owner() == c
	}) {
		if f.end(o) {
			f.close(o)
		}
	}
	return true
}

// close ends the engine's part of an object.
func (f *face) close(o *object) {
	switch {
	case o.stream != nil:
		f.closeStream(o.stream)
	case o.event != nil:
		o.event.close()
	case o.module != nil:
		f.closeModule(o.module)
	}
}

// failed returns the sticky failure of the context.
func (c *context) failed() code {
	if err := c.engine.Err(); err != nil {
		return codeOf(err)
	}
	return success
}

// here returns the context in which the calling thread creates objects, and whose default stream it
// uses.
func (f *face) here() (*context, code) {
	if f.hip() {
		d, fault := f.device(int32(f.thread().hipDevice()))
		if fault != success {
			return nil, fault
		}
		return d.primary, d.primary.failed()
	}
	c := f.thread().current()
	switch {
	case c == nil:
		return nil, invalidContext
	case c.gone.Load():
		return nil, contextIsDestroyed
	}
	return c, c.failed()
}

// findContext returns the live context with a handle.
func (f *face) findContext(h uintptr) *context {
	if o := f.handles.find(h); o != nil {
		return o.context
	}
	return nil
}

// breakAll makes every context of the API fail for good.
func (f *face) breakAll(c code) {
	for _, o := range f.handles.live(func(o *object) bool { return o.kind == contextKind }) {
		o.context.engine.Fail(workError(c))
	}
}

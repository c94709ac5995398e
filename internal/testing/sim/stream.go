package sim

import (
	"github.com/gpuevent/gpuevent/internal/host"
)

// The default streams' handles. HIP knows 1 and 2 since version 6.
const (
	streamNull      = 0
	streamLegacy    = 1
	streamPerThread = 2
)

const streamNonBlocking = 1

// stream is a queue with a handle, but for the default ones.
type stream struct {
	object
	context  *context
	queue    *host.Queue
	flags    uint32
	priority int
	id       uint64
}

// stream resolves a handle given to a call.
func (f *face) stream(call string, h uintptr) (*stream, code) {
	if h <= streamPerThread && (!f.hip() || h == streamNull || f.hipAtLeast(6)) {
		c, fault := f.here()
		switch {
		case fault != success:
			return nil, fault
		case h == streamPerThread:
			return c.ofThread(f.thread().id)
		}
		return c.legacy, success
	}
	if o := f.handles.find(h); o != nil && o.stream != nil {
		return o.stream, o.stream.context.failed()
	}
	return nil, f.deadStream(call, h)
}

// deadStream is how a call ends whose stream is none: up to version 6 HIP checked.
func (f *face) deadStream(call string, h uintptr) code {
	if f.hip() && !f.hipAtLeast(7) {
		f.note(Crash{call, h, "stream is destroyed or none"}, false)
		if call == "hipStreamWaitEvent" {
			return invalidHandle
		}
		return contextIsDestroyed
	}
	return f.dead(call, h, streamKind)
}

// ofThread returns the context's default stream for a thread.
func (c *context) ofThread(id uint64) (*stream, code) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.perThread[id]
	if s == nil {
		q, err := c.engine.NewQueue(host.QueueOptions{})
		if err != nil {
			return nil, codeOf(err)
		}
		s = &stream{context: c, queue: q, id: c.f.ids.Add(1)}
		if c.perThread == nil {
			c.perThread = map[uint64]*stream{}
		}
		c.perThread[id] = s
	}
	return s, success
}

// streamCreate makes a stream in the thread's context. A priority outside the range is moved into it, as both drivers do.
func (f *face) streamCreate(out *uintptr, flags uint32, priority int32) code {
	if out == nil || flags > streamNonBlocking {
		return invalidValue
	}
	c, fault := f.here()
	if fault != success {
		return fault
	}
	least, greatest := c.engine.PriorityRange()
	p := max(min(int(priority), least), greatest)
	q, err := c.engine.NewQueue(host.QueueOptions{NonBlocking: flags == streamNonBlocking, Priority: p})
	if err != nil {
		return codeOf(err)
	}
	s := &stream{context: c, queue: q, flags: flags, priority: p, id: f.ids.Add(1)}
	s.object.stream = s
	*out = f.begin(&s.object, streamKind)
	return success
}

func (f *face) streamDestroy(call string, h uintptr) code {
	if h <= streamPerThread {
		return f.dead(call, h, streamKind)
	}
	o := f.handles.find(h)
	if o == nil || o.stream == nil {
		return f.deadStream(call, h)
	}
	s := o.stream
	if f.hip() && s.queue.Capture() == nil {
		_ = s.queue.Sync() // the runtime waits for the last command
	}
	if !f.end(o) {
		return f.deadStream(call, h)
	}
	_ = s.queue.Close()
	return s.context.failed()
}

func (f *face) streamQuery(call string, h uintptr) code {
	if c := f.unsafeInCapture(); c != success {
		return c
	}
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	if c := s.queue.Capture(); c != nil {
		c.Invalidate()
		return captureUnsupported
	}
	if s.queue.IsDefault() {
		if c := f.implicit(s, true); c != success {
			return c
		}
		return queried(defaultDone(s))
	}
	return queried(s.queue.Query())
}

// defaultDone asks for the default stream, which is done when the blocking streams are.
func defaultDone(s *stream) (bool, error) {
	p, err := s.queue.Mark()
	if err != nil {
		return false, err
	}
	done, err := p.Query()
	if !done || err != nil {
		return done, err
	}
	for _, o := range s.context.f.handles.live(func(o *object) bool { return o.stream != nil && o.stream.context == s.context }) {
		if q := o.stream.queue; !q.NonBlocking() && q.Capture() == nil {
			if done, err := q.Query(); !done && err == nil {
				return false, nil
			}
		}
	}
	return true, nil
}

// queried is the result of a question whether work is done.
func queried(done bool, err error) code {
	switch {
	case err != nil:
		return codeOf(err)
	case done:
		return success
	}
	return notReady
}

func (f *face) streamSynchronize(call string, h uintptr) code {
	if c := f.unsafeInCapture(); c != success {
		return c
	}
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	if c := s.queue.Capture(); c != nil {
		c.Invalidate()
		return captureUnsupported
	}
	if s.queue.IsDefault() {
		if c := f.implicit(s, true); c != success {
			return c
		}
		for _, o := range f.handles.live(func(o *object) bool { return o.stream != nil && o.stream.context == s.context }) {
			if q := o.stream.queue; !q.NonBlocking() && q.Capture() == nil {
				if err := q.Sync(); err != nil && err != host.ErrClosed { // destroyed meanwhile
					return codeOf(err)
				}
			}
		}
	}
	return codeOf(s.queue.Sync())
}

func (f *face) streamWaitEvent(call string, h, event uintptr, flags uint32) code {
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	e, fault := f.event(call, event)
	if fault != success {
		return fault
	}
	capturing := s.queue.Capture() != nil
	if flags > 1 || flags == 1 && !capturing {
		return invalidValue
	}
	if flags == 1 {
		return codeOf(s.queue.WaitExternal(e.event))
	}
	if f.hip() && !capturing && e.event.State() == host.Captured && !e.inActiveCapture() {
		return success // nothing that could be waited for
	}
	return codeOf(s.queue.WaitEvent(e.event))
}

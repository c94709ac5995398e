package sim

import (
	"sync/atomic"

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
	gone     atomic.Bool // destroyed
	worked   atomic.Bool // since it was synchronized
	capture  atomic.Pointer[capture]
	told     atomic.Uint64 // what others could learn from it, see [stream.tells]
	deps     []uintptr     // nodes of its capture that C was given last
	edges    []edgeData    // their data, for the same call
}

// stream resolves a handle given to a call.
func (f *face) stream(call string, h uintptr) (*stream, code) {
	if h <= streamPerThread && f.profile.Load().knows(h) {
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

// knows reports whether the version has a default stream's handle.
func (p *profile) knows(h uintptr) bool {
	switch h {
	case streamLegacy:
		return p.vendor != vendorAMD || p.plays(amdLegacyHandle)
	case streamPerThread:
		return p.vendor != vendorAMD || p.plays(amdPerThreadHandle)
	}
	return true
}

// deadStream returns the result of a call whose stream does not exist.
func (f *face) deadStream(call string, h uintptr) code {
	if !f.plays(amdDestroyedStreamChecked) && !f.plays(chipDestroyedStreamChecked) {
		return f.dead(call, h, streamKind)
	}
	f.note(Crash{call, h, "stream is destroyed or none"}, false)
	if call == "hipStreamWaitEvent" && f.plays(amdWaitDestroyedStream) {
		return invalidHandle
	}
	return contextIsDestroyed
}

// ofThread returns the context's default stream for a thread.
func (c *context) ofThread(id uint64) (*stream, code) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.perThread[id]
	if s == nil {
		q, err := c.engine.NewQueue(
			host.QueueOptions{NonBlocking: !c.f.plays(gpuNullStreamAsksPerThread)})
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

// streamCreate makes a stream in the thread's context. A priority outside the range is clamped, as
// by both drivers.
func (f *face) streamCreate(out *uintptr, flags uint32, priority int32) code {
	if out == nil || flags > streamNonBlocking {
		return invalidValue
	}
	c, fault := f.here()
	if fault != success {
		return fault
	}
	least, greatest := f.priorities()
	p := int(max(min(priority, least), greatest))
	q, err := c.engine.NewQueue(
		host.QueueOptions{NonBlocking: flags == streamNonBlocking, Priority: p})
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
	s.tells()
	switch {
	case f.plays(amdStreamDestroyWaits):
		f.leaveCapture(s)
		_ = s.queue.Sync()
	case f.plays(chipDestroyWaitsForDevice):
		_ = s.context.engine.Sync()
	}
	if !f.end(o) {
		return f.deadStream(call, h)
	}
	f.closeStream(s)
	return s.context.failed()
}

// closeStream ends a stream that has lost its handle.
func (f *face) closeStream(s *stream) {
	s.gone.Store(true)
	f.leaveCapture(s)
	_ = s.queue.Close()
}

// streamQuery queries. A runtime whose answer is wrong gives that of a busy stream until the stream
// is synchronized.
func (f *face) streamQuery(call string, h uintptr) code {
	answer := f.queryStream(call, h)
	if answer != success || !f.plays(chipStreamQueryWrong) {
		return answer
	}
	if s, fault := f.stream(call, h); fault == success && s.worked.Load() {
		return notReady
	}
	return answer
}

func (f *face) queryStream(call string, h uintptr) code {
	if f.plays(cudaCaptureModes) {
		if c := f.heedModes(); c != success {
			return c
		}
	}
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	if c := f.mayAskStream(s); c != success {
		return c
	}
	s.tells()
	if s.queue.IsDefault() {
		s.context.tells()
	}
	if !s.queue.IsDefault() {
		return queried(s.queue.Query())
	}
	p, err := s.queue.Mark()
	if err != nil {
		return codeOf(err)
	}
	if done, err := p.Query(); !done || err != nil {
		return queried(done, err)
	}
	for _, q := range f.blockingQueues(s.context) {
		if done, err := q.Query(); !done && err == nil {
			return notReady
		}
	}
	return success
}

// blockingQueues returns the queues that the legacy stream synchronizes with: of the blocking
// streams and of the per-thread ones.
func (f *face) blockingQueues(c *context) []*host.Queue {
	var qs []*host.Queue
	for _, o := range f.handles.live(func(o *object) bool {
		return o.stream != nil && o.stream.context == c
	}) {
		if q := o.stream.queue; !q.NonBlocking() {
			qs = append(qs, q)
		}
	}
	if f.plays(gpuNullStreamAsksPerThread) {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, s := range c.perThread {
			qs = append(qs, s.queue)
		}
	}
	return qs
}

// queried returns the result of a query.
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
	if f.plays(cudaCaptureModes) {
		if c := f.heedModes(); c != success {
			return c
		}
	}
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	if c := f.mayAskStream(s); c != success {
		return c
	}
	s.tells()
	if s.queue.IsDefault() {
		s.context.tells()
	}
	if s.queue.IsDefault() {
		for _, q := range f.blockingQueues(s.context) {
			if err := q.Sync(); err != nil && err != host.ErrClosed { // destroyed meanwhile
				return codeOf(err)
			}
		}
	}
	c := codeOf(s.queue.Sync())
	if c == success {
		s.worked.Store(false)
		f.synchronized(s.context)
	}
	return c
}

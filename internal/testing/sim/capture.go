package sim

import (
	"slices"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/host"
)

// capture is one going on.
type capture struct {
	capture *host.Capture
	stream  *stream
	thread  uint64
}

type graph struct {
	object
	graph *host.Graph
}

func (f *face) beginCapture(call string, h uintptr, mode int32) code {
	if mode < 0 || mode > int32(host.CaptureRelaxed) {
		return invalidValue
	}
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	c, err := host.BeginCapture(s.queue, host.CaptureMode(mode))
	if err == host.ErrCapturing {
		return illegalState
	}
	if err != nil {
		return codeOf(err)
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	f.captures = append(f.captures, &capture{c, s, threadID()})
	f.capturing.Store(int32(len(f.captures)))
	return success
}

func (f *face) endCapture(call string, h uintptr, out *uintptr) code {
	if out == nil {
		return invalidValue
	}
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	c := s.queue.Capture()
	if c == nil {
		return illegalState
	}
	if c.Mode() != host.CaptureRelaxed {
		for _, other := range f.activeCaptures() {
			if other.capture == c && other.thread != threadID() {
				return captureWrongThread
			}
		}
	}
	g, err := host.EndCapture(s.queue)
	f.activeCaptures()
	if err != nil {
		*out = 0
		return codeOf(err)
	}
	o := &graph{graph: g}
	o.object.graph = o
	*out = f.begin(&o.object, graphKind)
	return success
}

// activeCaptures forgets those that are over and returns the others.
func (f *face) activeCaptures() []*capture {
	if f.capturing.Load() == 0 {
		return nil
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	f.captures = slices.DeleteFunc(f.captures, func(c *capture) bool {
		return c.capture.Status() == host.CaptureEnded || f.handles.find(c.stream.handle) == nil && c.stream.handle != 0
	})
	f.capturing.Store(int32(len(f.captures)))
	return slices.Clone(f.captures)
}

// unsafeInCapture refuses what a capture forbids: asking and waiting, for instance. A thread in global mode heeds its own captures that are
// not relaxed and the global ones of others; in thread-local mode only its own; in relaxed mode none. The captures are spoilt.
func (f *face) unsafeInCapture() code {
	captures := f.activeCaptures()
	if len(captures) == 0 {
		return success
	}
	t := f.thread()
	mode := t.captureMode()
	if mode == host.CaptureRelaxed {
		return success
	}
	refused := success
	for _, c := range captures {
		if c.capture.Status() != host.CaptureActive {
			continue
		}
		own := c.thread == t.id
		if own && c.capture.Mode() != host.CaptureRelaxed || !own && mode == host.CaptureGlobal && c.capture.Mode() == host.CaptureGlobal {
			c.capture.Invalidate()
			refused = captureUnsupported
		}
	}
	return refused
}

// implicit refuses the legacy default stream while a blocking stream of its context is captured, which spoils the capture if asked for.
func (f *face) implicit(s *stream, spoil bool) code {
	refused := success
	for _, c := range f.activeCaptures() {
		if c.stream.context == s.context && !c.stream.queue.NonBlocking() && c.capture.Status() != host.CaptureEnded {
			if spoil {
				c.capture.Invalidate()
			}
			refused = captureImplicit
		}
	}
	return refused
}

// captureStatus is how the vendors number it.
func captureStatus(c *host.Capture) int32 {
	if c == nil {
		return 0
	}
	switch c.Status() {
	case host.CaptureActive:
		return 1
	case host.CaptureInvalidated:
		return 2
	}
	return 0
}

func (f *face) captureInfo(call string, h uintptr, status *int32, id *uint64) code {
	if status == nil {
		return invalidValue
	}
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	if s.queue.IsDefault() {
		if c := f.implicit(s, false); c != success {
			return c
		}
	}
	c := s.queue.Capture()
	*status = captureStatus(c)
	if id != nil && c != nil {
		*id = c.ID()
	}
	return success
}

func (f *face) exchangeCaptureMode(mode *int32) code {
	if mode == nil || *mode < 0 || *mode > int32(host.CaptureRelaxed) {
		return invalidValue
	}
	t := f.thread()
	t.mu.Lock()
	defer t.mu.Unlock()
	old := t.mode
	t.mode = host.CaptureMode(*mode)
	*mode = int32(old)
	return success
}

// graph resolves a handle of a graph, or of an executable one.
func (f *face) graph(call string, h uintptr, k kind) (*graph, code) {
	if o := f.handles.find(h); o != nil && o.kind == k {
		return o.graph, success
	}
	return nil, f.dead(call, h, k)
}

func (f *face) graphInstantiate(call string, out *uintptr, h uintptr) code {
	if out == nil {
		return invalidValue
	}
	g, fault := f.graph(call, h, graphKind)
	if fault != success {
		return fault
	}
	x := &graph{graph: g.graph}
	x.object.graph = x
	*out = f.begin(&x.object, execKind)
	return success
}

func (f *face) graphLaunch(call string, h, s uintptr) code {
	x, fault := f.graph(call, h, execKind)
	if fault != success {
		return fault
	}
	st, fault := f.stream(call, s)
	if fault != success {
		return fault
	}
	return codeOf(x.graph.Launch(st.queue))
}

func (f *face) graphDestroy(call string, h uintptr, k kind) code {
	g, fault := f.graph(call, h, k)
	if fault != success {
		return fault
	}
	f.end(&g.object)
	return success
}

func (f *face) graphNodes(call string, h uintptr, nodes *uintptr, n *uintptr) code {
	if n == nil {
		return invalidValue
	}
	g, fault := f.graph(call, h, graphKind)
	if fault != success {
		return fault
	}
	all := len(g.graph.Nodes())
	if nodes == nil {
		*n = uintptr(all)
		return success
	}
	out := unsafe.Slice(nodes, *n)
	for i := range out { // beyond the last come nulls; a node is a name, which no function here takes
		if out[i] = 0; i < all {
			out[i] = nodeMark | uintptr(i+1)<<nodeShift | g.handle
		}
	}
	*n = min(*n, uintptr(all))
	return success
}

const (
	nodeMark  = 1 << 63
	nodeShift = 48
)

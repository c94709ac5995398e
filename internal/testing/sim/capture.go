package sim

import (
	"slices"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/internal/host"
)

// captureMode is which calls a capture forbids to others, or which captures a thread respects.
type captureMode int32

const (
	captureGlobal captureMode = iota
	captureThreadLocal
	captureRelaxed
)

// captureStatus has the vendors' numbers.
type captureStatus int32

const (
	captureNone captureStatus = iota // no capture, or one that has ended
	captureActive
	captureSpoilt // invalidated: it still has to be ended, with an error
)

// capture turns the work of a stream, and of the streams that wait for its events, into a graph
// instead of running it. The face's captureMu guards what changes.
type capture struct {
	id     uint64
	mode   captureMode
	origin *stream
	thread uint64
	ended  atomic.Bool

	status captureStatus
	nodes  []*node
	graph  *graph              // of these nodes, if its handle was asked for
	tails  map[*stream][]*node // what each stream's next work depends on; slices never change
}

// place is where an event was recorded in a capture.
type place struct {
	capture *capture
	after   []*node
}

// work makes a stream do what lay puts on a queue: now or, if the stream is captured, at each
// launch of the graph.
func (f *face) work(s *stream, lay func(*host.Queue) error) code {
	if c := s.capture.Load(); c != nil {
		return f.addNode(c, s, &node{what: emptyNodeType, lay: lay})
	}
	if c := f.legacyMayWork(s); c != success {
		return c
	}
	if s.queue.IsDefault() {
		s.context.tells()
	}
	return codeOf(lay(s.queue))
}

// typed is work for what a graph has a type of node.
func (f *face) typed(what nodeType, s *stream, lay func(*host.Queue) error) code {
	if c := s.capture.Load(); c != nil {
		return f.addNode(c, s, &node{what: what, lay: lay})
	}
	return f.work(s, lay)
}

func (f *face) beginCapture(call string, h uintptr, mode captureMode) code {
	if mode < 0 || mode > captureRelaxed {
		return invalidValue
	}
	s, fault := f.stream(call, h)
	switch {
	case fault != success:
		return fault
	case s.queue.IsDefault():
		return captureUnsupported
	}
	if err := s.queue.Err(); err != nil {
		return codeOf(err)
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	if s.capture.Load() != nil {
		return illegalState
	}
	c := &capture{id: f.ids.Add(1), mode: mode, origin: s, thread: threadID()}
	c.status, c.tails = captureActive, map[*stream][]*node{s: nil}
	s.capture.Store(c)
	f.captures = append(f.captures, c)
	f.capturing.Store(int32(len(f.captures)))
	return success
}

// endCapture ends a capture. On CUDA out may be null: NVIDIA's cuda.core has asked for the graph
// before, by cuStreamGetCaptureInfo, and ends its captures so.
func (f *face) endCapture(call string, h uintptr, out *uintptr) code {
	if out == nil && f.hip() {
		return invalidValue
	}
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	c := s.capture.Load()
	switch {
	case c == nil && f.plays(amdEndCaptureUnmatched):
		return captureUnmatched
	case c == nil:
		return illegalState
	case c.origin != s:
		return captureUnmatched
	case c.mode != captureRelaxed && c.thread != threadID():
		return captureWrongThread
	}
	if out != nil {
		*out = 0
	}
	joined := c.joined()
	status := c.status
	f.finish(c)
	switch {
	case out == nil && c.graph == nil && status != captureSpoilt && joined:
		f.discard(c)
		f.leaveGraph(c.nodes)
		return success
	case status == captureSpoilt:
		f.discard(c)
		f.leaveGraph(c.nodes)
		return captureInvalidated
	case !joined:
		f.discard(c)
		f.leaveGraph(c.nodes)
		return captureUnjoined
	}
	if g := f.graphOf(c); out != nil {
		*out = g.handle
	}
	return success
}

// finish ends a capture and frees its streams. The caller holds f.captureMu.
func (f *face) finish(c *capture) {
	c.status = captureNone
	c.ended.Store(true)
	for s := range c.tails {
		s.capture.CompareAndSwap(c, nil)
	}
	c.tails = nil
	f.captures = slices.DeleteFunc(f.captures, func(o *capture) bool { return o == c })
	f.capturing.Store(int32(len(f.captures)))
}

// leaveCapture removes a destroyed stream from its capture. A stream that others wait for can go:
// NVIDIA's cuda.core destroys the streams that it has joined while the capture is in progress. The
// end of a capture that lacks such a wait is an error.
func (f *face) leaveCapture(s *stream) {
	if s.capture.Load() == nil {
		return
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	c := s.capture.Load()
	switch {
	case c == nil:
	case c.origin == s:
		f.finish(c)
		f.discard(c)
		f.leaveGraph(c.nodes)
	default:
		if !c.othersFollow(s) {
			c.spoil()
		}
		delete(c.tails, s)
		s.capture.Store(nil)
	}
}

// spoil invalidates a capture: it refuses everything until it is ended, and its end is an error.
// The caller holds captureMu.
func (c *capture) spoil() {
	if c.status == captureActive {
		c.status = captureSpoilt
	}
}

// refuses returns why nothing can be added. The caller holds captureMu.
func (c *capture) refuses() code {
	switch c.status {
	case captureSpoilt:
		return captureInvalidated
	case captureNone: // ended by another thread just now
		return illegalState
	}
	return success
}

// addNode adds work of s to its capture.
func (f *face) addNode(c *capture, s *stream, n *node) code {
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	if fault := c.refuses(); fault != success {
		return fault
	}
	n.id, n.after, n.context = len(c.nodes), c.tails[s], s.context
	c.nodes = append(c.nodes, n)
	if n.event != nil {
		n.event.noded.Store(true)
	}
	c.tails[s] = []*node{n}
	return success
}

// join makes s wait for a place in a capture, and so take part in it.
func (f *face) join(s *stream, at *place) code {
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	c := at.capture
	if s.queue.IsDefault() {
		switch {
		case f.plays(amdNullStreamInCapture):
			return invalidHandle
		case f.plays(amdCapturesUnguarded):
			return invalidValue
		}
		c.spoil()
		return captureImplicit
	}
	if c.status == captureNone {
		return capturedEvent
	}
	if other := s.capture.Load(); other != nil && other != c {
		other.spoil()
		c.spoil()
		return captureMerge
	}
	if fault := c.refuses(); fault != success {
		return fault
	}
	c.tails[s] = union(c.tails[s], at.after)
	s.capture.Store(c)
	return success
}

// joined reports whether the origin depends on the work of every stream. The caller holds
// captureMu.
func (c *capture) joined() bool {
	seen := before(c.tails[c.origin])
	for _, tail := range c.tails {
		if !containsAll(seen, tail) {
			return false
		}
	}
	return true
}

// othersFollow reports whether other streams depend on all work of s. The caller holds captureMu.
func (c *capture) othersFollow(s *stream) bool {
	var others []*node
	for other, tail := range c.tails {
		if other != s {
			others = append(others, tail...)
		}
	}
	return containsAll(before(others), c.tails[s])
}

// before returns these nodes and all that they depend on.
func before(nodes []*node) map[*node]bool {
	seen := map[*node]bool{}
	todo := slices.Clone(nodes)
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !seen[n] {
			seen[n] = true
			todo = append(todo, n.after...)
		}
	}
	return seen
}

func containsAll(set map[*node]bool, nodes []*node) bool {
	for _, n := range nodes {
		if !set[n] {
			return false
		}
	}
	return true
}

func union(a, b []*node) []*node {
	if len(a) == 0 {
		return b
	}
	u := slices.Clone(a)
	for _, n := range b {
		if !slices.Contains(a, n) {
			u = append(u, n)
		}
	}
	return u
}

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
	// stuck: its end has failed, and its streams stay in it. No call heeds it any more.
	stuck bool
	// before is a stuck capture whose origin has begun this one. They end together.
	before *capture
	nodes  []*node
	graph  *graph // of these nodes, if its handle was asked for
	given  bool   // the program has made the graph
	// abandoned: a stream was destroyed with work that no other stream waits for.
	abandoned bool
	tails     map[*stream][]*node // what each stream's next work depends on; slices never change
}

// place is where an event was recorded in a capture.
type place struct {
	capture *capture
	after   []*node
}

// work makes a stream do what lay puts on a queue: now or, if the stream is captured, at each
// launch of the graph.
func (f *face) work(s *stream, lay func(*host.Queue) error) code {
	if c := f.captureOf(s); c != nil {
		return f.addNode(c, s, newNode(emptyNodeType, nodeSpec{lay: lay}))
	}
	return f.enqueue(s, lay)
}

// enqueue puts work on a stream's queue, also if the stream is captured.
func (f *face) enqueue(s *stream, lay func(*host.Queue) error) code {
	if c := f.legacyMayWork(s); c != success {
		return c
	}
	if s.queue.IsDefault() {
		s.context.tells()
	}
	s.worked.Store(true)
	return codeOf(lay(s.queue))
}

// workOf is work of a call.
func (f *face) workOf(call string, s *stream, lay func(*host.Queue) error) code {
	if f.captureFor(call, s) == nil {
		return f.enqueue(s, lay)
	}
	return f.work(s, lay)
}

// typed is work for what a graph has a type of node.
func (f *face) typed(what nodeType, s *stream, lay func(*host.Queue) error) code {
	if c := f.captureOf(s); c != nil {
		return f.addNode(c, s, newNode(what, nodeSpec{lay: lay}))
	}
	return f.work(s, lay)
}

// captureOf returns the capture that takes a stream's work, if any.
func (f *face) captureOf(s *stream) *capture {
	if f.plays(chipCapturesRunAtOnce) {
		return nil
	}
	return s.capture.Load()
}

// captureFor is captureOf for a call, which a release may run at once nevertheless.
func (f *face) captureFor(call string, s *stream) *capture {
	escapes := false
	switch call {
	case "hipModuleLaunchKernel":
		escapes = f.plays(amdLaunchNotCaptured)
	case "hipModuleLaunchCooperativeKernel":
		escapes = f.plays(amdCooperativeNotCaptured)
	case "hipGraphLaunch":
		escapes = f.plays(amdGraphNotCaptured)
	case "hipMemcpyPeerAsync":
		escapes = f.plays(amdPeerCopyNotCaptured)
	case "hipStreamWaitValue32", "hipStreamWaitValue64", "hipStreamWriteValue32",
		"hipStreamWriteValue64":
		escapes = f.plays(amdValueNotCaptured)
	}
	if escapes {
		return nil
	}
	return f.captureOf(s)
}

func (f *face) beginCapture(call string, h uintptr, mode captureMode) code {
	return f.beginCaptureTo(call, h, mode, nil, nil)
}

// beginCaptureTo is beginCapture into a graph, if there is one, behind nodes of it.
func (f *face) beginCaptureTo(call string, h uintptr, mode captureMode, g *graph,
	after []*node) code {
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
	before := s.capture.Load()
	if before != nil && (!before.stuck || before.status == captureActive || before.origin != s) {
		return illegalState
	}
	if g != nil && g.capture != nil {
		return illegalState
	}
	c := &capture{id: f.ids.Add(1), mode: mode, origin: s, thread: threadID(), before: before}
	c.status, c.tails = captureActive, map[*stream][]*node{s: after}
	if g != nil {
		c.graph, c.given, c.nodes, g.capture = g, true, g.nodes, c
	}
	s.capture.Store(c)
	f.captures = append(f.captures, c)
	f.countCaptures()
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
	case c.mode != captureRelaxed && (c.thread != threadID() || c.stuck):
		return captureWrongThread
	case c.stuck:
		if f.plays(amdSecondEndCrashes) {
			f.note(Crash{call, h, "the runtime no longer lists the capture whose end has failed"}, true)
		}
		return captureUnjoined
	}
	if out != nil {
		*out = 0
	}
	joined := c.joined()
	status := c.status
	if (status == captureSpoilt || !joined) && f.plays(amdFailedCaptureStays) {
		f.stick(c)
	} else {
		f.finish(c)
	}
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
	if c.graph != nil {
		c.graph.capture = nil
	}
	f.unlist(c)
	if c.before != nil {
		f.finish(c.before)
		c.before = nil
	}
}

// stick is finish for a capture whose end fails without effect on its streams. The caller holds
// f.captureMu.
func (f *face) stick(c *capture) {
	f.unlist(c)
	if c.graph != nil {
		c.graph.capture = nil
	}
	c.stuck = true
	f.stuck = append(f.stuck, c)
	f.countCaptures()
}

// unlist removes a capture from the lists. The caller holds f.captureMu.
func (f *face) unlist(c *capture) {
	same := func(o *capture) bool { return o == c }
	f.captures = slices.DeleteFunc(f.captures, same)
	f.stuck = slices.DeleteFunc(f.stuck, same)
	f.countCaptures()
}

func (f *face) countCaptures() { f.capturing.Store(int32(len(f.captures) + len(f.stuck))) }

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
	case c.origin == s && c.stuck && f.plays(amdCapturesUnguarded): // frees no other stream
		delete(c.tails, s)
		s.capture.Store(nil)
	case c.origin == s:
		f.finish(c)
		if !c.stuck {
			f.discard(c)
			f.leaveGraph(c.nodes)
		}
	default:
		if !c.othersFollow(s) {
			c.abandoned = true
			if !f.plays(amdFailedCaptureStays) { // there, the end finds out
				f.spoil(c)
			}
		}
		delete(c.tails, s)
		s.capture.Store(nil)
	}
}

// spoil invalidates a capture: it refuses everything until it is ended, and its end is an error.
// The caller holds captureMu.
func (f *face) spoil(c *capture) {
	if c.status == captureActive && !f.plays(amdCapturesUnspoilt) {
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
	if c.stuck {
		if f.plays(amdFailedGraphReleased) {
			f.note(Crash{"work in a capture whose end has failed", s.handle, "its graph is gone"}, true)
		}
		return success // it runs never
	}
	n.id, n.after, n.context = len(c.nodes), c.tails[s], s.context
	c.nodes = append(c.nodes, n)
	if e := n.spec.Load().event; e != nil {
		e.noded.Store(true)
	}
	c.tails[s] = []*node{n}
	return success
}

// hasTail reports whether a stream has captured work that its next work depends on.
func (f *face) hasTail(c *capture, s *stream) bool {
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	return len(c.tails[s]) > 0
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
		f.spoil(c)
		return captureImplicit
	}
	if c.status == captureNone {
		return capturedEvent
	}
	if other := s.capture.Load(); other != nil && other != c {
		f.spoil(other)
		f.spoil(c)
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
	if c.abandoned {
		return false
	}
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

package sim

import (
	"fmt"
	"slices"

	"github.com/gpuevent/gpuevent/internal/host"
)

// nodeMemory is what memory that a graph allocates has besides. Its address belongs to the graph;
// the memory is there from a launch's allocation to the free, in the same graph or later.
type nodeMemory struct {
	made   bool // a graph allocates it
	graphs int  // graphs and executable graphs with its nodes
	inside bool // the graph frees it
	out    bool // a launch has allocated it, and no free was called for
	backed bool // the device's memory is taken
}

// memoryStep is a node that allocates or frees.
type memoryStep struct {
	block *block
	free  bool
}

// captureAlloc adds a node that allocates.
func (f *face) captureAlloc(s *stream, out *uintptr, size uintptr, d *device) code {
	b := &block{at: deviceAddress(size), size: size, device: d, context: s.context}
	b.node = nodeMemory{made: true, graphs: 1} // the capture's
	f.memory.mu.Lock()
	f.memory.live.insert(b)
	f.memory.mu.Unlock()
	n := &node{what: allocNodeType, memory: memoryStep{block: b}, lay: onReached(func() {
		f.memory.mu.Lock()
		if b.reached = true; b.users == 0 {
			fillBytes(b.data, fresh)
		}
		f.memory.mu.Unlock()
	})}
	if fault := f.addNode(s.capture.Load(), s, n); fault != success {
		f.leaveGraph([]*node{n})
		return fault
	}
	*out = b.at
	return success
}

// captureFree adds a node that frees memory of the same graph.
func (f *face) captureFree(call string, s *stream, address uintptr) code {
	f.memory.mu.Lock()
	b := f.memory.live.of(address)
	ours := b != nil && b.at == address && b.node.made && !b.node.inside
	if ours {
		b.node.inside = true
	}
	f.memory.mu.Unlock()
	if !ours {
		f.note(Crash{call, address, "not an allocation of the graph"}, false)
		return invalidValue
	}
	n := &node{what: freeNodeType, memory: memoryStep{b, true}, lay: onReached(func() {
		f.memory.mu.Lock()
		b.reached = false
		fillBytes(b.data, poison)
		f.memory.mu.Unlock()
	})}
	return f.addNode(s.capture.Load(), s, n)
}

// onReached calls fn when a queue comes to it.
func onReached(fn func()) func(*host.Queue) error {
	return func(q *host.Queue) error {
		p, err := q.Mark()
		if err == nil {
			p.OnDone(func(error) { fn() })
		}
		return err
	}
}

// joinGraph notes that one more graph has the nodes.
func (f *face) joinGraph(nodes []*node) { f.countGraphs(nodes, 1) }

// leaveGraph notes that a graph with the nodes is gone. Memory that was allocated and not freed
// stays.
func (f *face) leaveGraph(nodes []*node) { f.countGraphs(nodes, -1) }

func (f *face) countGraphs(nodes []*node, by int) {
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	for _, n := range nodes {
		if b := n.memory.block; b != nil && !n.memory.free {
			b.node.graphs += by
			if b.node.graphs == 0 && !b.node.out {
				f.memory.live.remove(b)
				b.unback()
				b.gone = true
				f.memory.bury(b)
			}
		}
	}
}

// unback gives the device's memory back. The caller holds the lock.
func (b *block) unback() {
	if b.node.backed {
		b.node.backed = false
		b.device.used -= b.size
	}
}

// launchMemory prepares the memory of a launch. A graph can't be launched again while memory of the
// launch before is still allocated, unless it frees that first.
func (f *face) launchMemory(call string, x *graph) code {
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	need := map[*device]uintptr{}
	for _, n := range x.nodes {
		b := n.memory.block
		switch {
		case b == nil || n.memory.free:
		case b.node.out && !x.autoFree:
			f.note(Crash{call, b.at, fmt.Sprintf("the %d bytes at %#x of the launch before are not "+
				"freed", b.size, b.at)}, false)
			return invalidValue
		case !b.node.backed:
			need[b.device] += b.size
		}
	}
	for d, size := range need {
		if size > d.memory-d.used {
			return outOfMemory
		}
	}
	for _, n := range x.nodes {
		b := n.memory.block
		if b == nil || n.memory.free {
			continue
		}
		if !b.node.backed {
			b.node.backed = true
			b.device.used += b.size
		}
		b.freeing = false
		if !b.node.inside && !b.node.out {
			b.node.out = true
			f.created[memoryKind].Add(1)
		}
	}
	return success
}

// dropNode ends an allocation that a launch has made. Its address stays the graph's, for the next
// launch. The caller holds the lock.
func (f *face) dropNode(b *block) (misuse string) {
	b.reached = false
	if b.users > 0 {
		return fmt.Sprintf("the %d bytes at %#x are freed while work uses them", b.size, b.at)
	}
	fillBytes(b.data, poison)
	return ""
}

// graphAutoFree is a flag of an instantiation.
const graphAutoFree = 1

// instantiated reports whether a graph that allocates has an executable graph: it can have one at a
// time.
func (f *face) instantiated(g *graph) bool {
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	for _, n := range g.nodes {
		if b := n.memory.block; b != nil && b.node.graphs > 1 {
			return true
		}
	}
	return false
}

func hasMemory(nodes []*node) bool {
	return slices.ContainsFunc(nodes, func(n *node) bool { return n.memory.block != nil })
}

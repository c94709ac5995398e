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

// allocNode is a node that allocates, as it was asked for.
type allocNode struct {
	address, size uintptr
	asked         any // the vendor's parameters, if there were any
}

// captureAlloc adds a node that allocates.
func (f *face) captureAlloc(s *stream, out *uintptr, size uintptr, d *device) code {
	n := f.newAlloc(s.context, d, size, false)
	if fault := f.addNode(s.capture.Load(), s, n); fault != success {
		f.leaveGraph([]*node{n})
		return fault
	}
	*out = n.memory.block.at
	return success
}

// newAlloc returns a node that allocates memory of a device, or managed memory that counts as the
// device's.
func (f *face) newAlloc(c *context, d *device, size uintptr, managed bool) *node {
	b := newBlock(size, d, c, managed)
	b.node = nodeMemory{made: true, graphs: 1} // the capture's
	f.memory.mu.Lock()
	f.memory.live.insert(b)
	f.memory.mu.Unlock()
	n := newNode(allocNodeType, nodeSpec{lay: onReached(func() {
		f.memory.mu.Lock()
		if b.reached = true; b.users == 0 {
			fillBytes(b.data, fresh)
		}
		f.memory.mu.Unlock()
	}), params: &allocNode{address: b.at, size: size}})
	n.context, n.memory = c, memoryStep{block: b}
	return n
}

// captureFree adds a node that frees memory of the same graph.
func (f *face) captureFree(call string, s *stream, address uintptr) code {
	n, fault := f.newFree(call, address)
	if fault != success {
		return fault
	}
	return f.addNode(s.capture.Load(), s, n)
}

// newFree returns a node that frees memory of a graph.
func (f *face) newFree(call string, address uintptr) (*node, code) {
	f.memory.mu.Lock()
	b := f.memory.live.of(address)
	ours := b != nil && b.at == address && b.node.made && !b.node.inside
	if ours {
		b.node.inside = true
	}
	f.memory.mu.Unlock()
	if !ours {
		f.note(Crash{call, address, "not an allocation of the graph"}, false)
		return nil, invalidValue
	}
	n := newNode(freeNodeType, nodeSpec{lay: onReached(func() {
		f.memory.mu.Lock()
		b.reached = false
		fillBytes(b.data, poison)
		f.memory.mu.Unlock()
	})})
	n.context, n.memory = b.context, memoryStep{b, true}
	return n, success
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

// back takes the device's memory, first such that ended graphs have left. The caller holds the
// lock.
func (b *block) back() {
	d := b.device
	old := min(b.size, d.graphIdle)
	d.graphIdle -= old
	d.used += b.size - old
	b.node.backed = true
}

// unback leaves the memory to other graphs. The caller holds the lock.
func (b *block) unback() {
	if b.node.backed {
		b.node.backed = false
		b.device.graphIdle += b.size
	}
}

// trimGraphs gives the device what ended graphs have left. The caller holds the lock.
func (d *device) trimGraphs() {
	d.used -= d.graphIdle
	d.graphIdle = 0
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
		if size > d.memory-d.used+d.graphIdle {
			return outOfMemory
		}
	}
	for _, n := range x.nodes {
		b := n.memory.block
		if b == nil || n.memory.free {
			continue
		}
		if !b.node.backed {
			b.back()
			b.device.graphMost = max(b.device.graphMost, f.graphMemory(b.device))
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

func hasMemory(nodes []*node) bool {
	return slices.ContainsFunc(nodes, func(n *node) bool { return n.memory.block != nil })
}

// Attributes of a device's memory for graphs. The simulator reserves what is used, and no more.
const (
	graphMemUsed int32 = iota
	graphMemUsedMost
	graphMemReserved
	graphMemReservedMost
)

// graphMemory returns how much of a device's memory graphs have, with what ended graphs have left.
// The caller holds the memory's lock.
func (f *face) graphMemory(d *device) uintptr {
	sum := d.graphIdle
	for _, b := range f.memory.live {
		if b.device == d && b.node.backed {
			sum += b.size
		}
	}
	return sum
}

func (f *face) graphMemGet(ordinal, attribute int32, value *uint64) code {
	d, fault := f.device(ordinal)
	switch {
	case fault != success:
		return fault
	case value == nil || attribute < graphMemUsed || attribute > graphMemReservedMost:
		return invalidValue
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	*value = uint64(f.graphMemory(d))
	if attribute == graphMemUsedMost || attribute == graphMemReservedMost {
		*value = uint64(d.graphMost)
	}
	return success
}

// graphMemSet resets a mark.
func (f *face) graphMemSet(ordinal, attribute int32, value *uint64) code {
	d, fault := f.device(ordinal)
	switch {
	case fault != success:
		return fault
	case value == nil || *value != 0,
		attribute != graphMemUsedMost && attribute != graphMemReservedMost:
		return invalidValue
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	d.graphMost = f.graphMemory(d)
	return success
}

// graphMemTrim takes memory back from graphs whose allocations are freed and from ended ones. Those
// that are left get it again at their next launch.
func (f *face) graphMemTrim(ordinal int32) code {
	d, fault := f.device(ordinal)
	if fault != success {
		return fault
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	for _, b := range f.memory.live {
		if b.device == d && b.node.made && !b.node.out && !b.reached && b.users == 0 {
			b.unback()
		}
	}
	d.trimGraphs()
	return success
}

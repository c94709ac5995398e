package sim

import "unsafe"

// choice is a value by which conditional nodes choose what to run.
type choice struct {
	handle uint64
	value  uint32 // at the beginning of each launch
	what   conditionalType
	used   bool
}

type conditionalType int32

const (
	conditionalIf conditionalType = iota
	conditionalWhile
	conditionalSwitch
)

const choiceHasDefault = 1

// body returns which body runs. The result can be out of range.
func (c *choice) body() int {
	switch {
	case c.what == conditionalSwitch:
		return int(c.value)
	case c.value != 0:
		return 0
	case c.what == conditionalIf:
		return 1
	}
	return -1
}

// newChoice makes a value for one conditional node of a graph, or of a body of it.
func (f *face) newChoice(call string, out *uint64, h, ctx uintptr, value, flags uint32) code {
	g, fault := f.graph(call, h, graphKind)
	switch {
	case fault != success:
		return fault
	case out == nil || flags > choiceHasDefault || flags == 0 && value != 0:
		return invalidValue
	case ctx != 0 && f.findContext(ctx) == nil:
		return invalidContext
	}
	c := &choice{handle: f.ids.Add(1)}
	if flags == choiceHasDefault {
		c.value = value
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	if g.choices == nil {
		g.choices = map[uint64]*choice{}
	}
	g.choices[c.handle] = c
	*out = c.handle
	return success
}

// choice finds a value of the graph, or of one that it is part of.
func (g *graph) choice(handle uint64) *choice {
	for g != nil {
		if c := g.choices[handle]; c != nil || g.parent == nil {
			return c
		}
		g = g.parent.graph
	}
	return nil
}

// newConditional returns a node that runs one of its bodies. Each value is for one node of its
// graph or of a body there.
func (f *face) newConditional(call string, h uintptr, handle uint64, what conditionalType,
	size uint32, c *context) (*node, code) {
	most := map[conditionalType]uint32{conditionalIf: 2, conditionalWhile: 1,
		conditionalSwitch: 1 << 16}[what]
	g, fault := f.graph(call, h, graphKind)
	switch {
	case fault != success:
		return nil, fault
	case size == 0 || size > most:
		return nil, invalidValue
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	value := g.choice(handle)
	if value == nil || value.used {
		return nil, invalidValue
	}
	value.used, value.what = true, what
	n := newNode(conditionalNodeType, nodeSpec{lay: pass})
	n.choice, n.context = value, c
	for range size {
		body := f.newGraph(c)
		body.parent = n
		f.begin(&body.object, graphKind)
		n.bodies, n.handles = append(n.bodies, body), append(n.handles, body.handle)
	}
	return n, success
}

// bodyArray returns the array of a node's bodies, which belongs to the node.
func (n *node) bodyArray() *uintptr { return unsafe.SliceData(n.handles) }

package sim

import (
	"sync"
	"sync/atomic"
)

// kind is what a handle stands for.
type kind uint8

const (
	contextKind kind = iota
	streamKind
	eventKind
	graphKind
	execKind
	nodeKind
	moduleKind
	functionKind
	libraryKind
	kernelKind // of a library
	userObjectKind
	memoryKind // not in the handle table, but counted alike
	poolKind   // the drivers make one per device, so they are not counted
	kinds
)

var kindNames = [kinds]string{"context", "stream", "event", "graph", "graph exec", "graph node",
	"module", "function", "library", "kernel", "user object",
	"memory", "memory pool"}

func (k kind) String() string { return kindNames[k] }

// object is what a handle refers to.
type object struct {
	handle  uintptr
	kind    kind
	context *context
	stream  *stream
	event   *event
	graph   *graph
	pool    *pool
	node    *node
	module  *module
	entry   *entryPoint
	library *library
	kernel  *libraryKernel
	user    *userObject
}

// owner returns the context that an object belongs to; nil if it belongs to none.
func (o *object) owner() *context {
	switch {
	case o.stream != nil:
		return o.stream.context
	case o.event != nil:
		return o.event.context
	case o.node != nil:
		return o.node.context
	case o.module != nil:
		return o.module.home
	case o.entry != nil:
		return o.entry.module.home
	}
	return o.context
}

// The low four bits of a handle are zero, as in an address. Then come the index, the generation, a
// mark of the API, and the machine's number, which no address has bits for.
const (
	indexBits  = 22
	genBits    = 17
	markBits   = 4
	indexShift = 4
	genShift   = indexShift + indexBits
	markShift  = genShift + genBits
	idShift    = markShift + markBits
	idBits     = 64 - idShift
	chunkBits  = 10
)

type chunk [1 << chunkBits]slot

type slot struct {
	object atomic.Pointer[object]
	gen    uintptr // guarded by the table's lock
}

// handleTable finds objects by handle without a lock. A handle is not used again for long, unless
// reuse is set: then at once, as drivers do.
type handleTable struct {
	mark uintptr
	// generation of a fresh slot: differs between machines, so that none takes another's handles
	first  uintptr
	reuse  bool
	chunks [1 << (indexBits - chunkBits)]atomic.Pointer[chunk]

	mu   sync.Mutex
	next uintptr
	free []uintptr // indices, used oldest first, or newest first with reuse
	head int
}

func (t *handleTable) slot(index uintptr) *slot {
	c := t.chunks[index>>chunkBits].Load()
	if c == nil {
		return nil
	}
	return &c[index&(1<<chunkBits-1)]
}

// add assigns a handle to o.
func (t *handleTable) add(o *object) uintptr {
	t.mu.Lock()
	defer t.mu.Unlock()
	index, fresh := t.take()
	s := t.slot(index)
	if fresh {
		s.gen = t.first
	} else if !t.reuse {
		s.gen = (s.gen + 1) & (1<<genBits - 1)
	}
	o.handle = t.mark<<markShift | s.gen<<genShift | index<<indexShift
	s.object.Store(o)
	return o.handle
}

// take finds an unused index. The caller holds t.mu.
func (t *handleTable) take() (index uintptr, fresh bool) {
	n := len(t.free)
	switch {
	case n > t.head && t.reuse:
		index, t.free = t.free[n-1], t.free[:n-1]
		return index, false
	case n-t.head > 64:
		index = t.free[t.head]
		if t.head++; t.head > 4096 {
			t.free = append(t.free[:0], t.free[t.head:]...)
			t.head = 0
		}
		return index, false
	}
	index = t.next
	if index >= 1<<indexBits {
		panic("sim: more handles alive than the simulated driver has room for")
	}
	t.next++
	if at := &t.chunks[index>>chunkBits]; at.Load() == nil {
		at.Store(new(chunk))
	}
	return index, true
}

// find returns the live object with handle h, or nil.
func (t *handleTable) find(h uintptr) *object {
	if h>>markShift != t.mark || h&(1<<indexShift-1) != 0 {
		return nil
	}
	s := t.slot(h >> indexShift & (1<<indexBits - 1))
	if s == nil {
		return nil
	}
	if o := s.object.Load(); o != nil && o.handle == h {
		return o
	}
	return nil
}

// remove ends a handle. It reports whether this call did.
func (t *handleTable) remove(o *object) bool {
	index := o.handle >> indexShift & (1<<indexBits - 1)
	if !t.slot(index).object.CompareAndSwap(o, nil) {
		return false
	}
	t.mu.Lock()
	t.free = append(t.free, index)
	t.mu.Unlock()
	return true
}

// live returns all objects for which want returns true.
func (t *handleTable) live(want func(*object) bool) []*object {
	var found []*object
	for i := range t.chunks {
		c := t.chunks[i].Load()
		if c == nil {
			break
		}
		for j := range c {
			if o := c[j].object.Load(); o != nil && want(o) {
				found = append(found, o)
			}
		}
	}
	return found
}

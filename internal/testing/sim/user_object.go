package sim

import (
	"slices"
	"sync"

	"github.com/gpuevent/gpuevent/internal/host"
)

// userObject counts references of C's to something that graphs need, and calls a C function when
// there are none left.
type userObject struct {
	object
	fn, data uintptr

	mu   sync.Mutex
	refs uint32
}

// keepers are the references that a graph has. The face's captureMu guards them.
type keepers struct {
	kept    map[*userObject]uint32
	pending []host.Point // ends of launches, the finished ones not all removed
}

const (
	userObjectNoSync = 1 // the destructor runs on its own; the only way there is
	userObjectMove   = 1 // the graph takes the caller's references
)

func (f *face) userObjectCreate(out *uintptr, data, fn uintptr, refs, flags uint32) code {
	if out == nil || fn == 0 || refs == 0 || flags != userObjectNoSync {
		return invalidValue
	}
	u := &userObject{fn: fn, data: data, refs: refs}
	u.object.user = u
	*out = f.begin(&u.object, userObjectKind)
	return success
}

// userObject resolves the handle of a user object.
func (f *face) userObject(call string, h uintptr) (*userObject, code) {
	if o := f.handles.find(h); o != nil && o.user != nil {
		return o.user, success
	}
	return nil, f.dead(call, h, userObjectKind)
}

func (u *userObject) retain(n uint32) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.refs += n
}

// releaseUser takes references away; the last one calls the destructor on another thread.
func (f *face) releaseUser(u *userObject, n uint32) code {
	u.mu.Lock()
	defer u.mu.Unlock()
	if n > u.refs {
		return invalidValue
	}
	if u.refs -= n; u.refs == 0 && f.end(&u.object) {
		go f.callBack(u.fn, u.data)
	}
	return success
}

func (f *face) graphRetain(call string, h, object uintptr, n, flags uint32) code {
	g, u, fault := f.keeping(call, h, object)
	switch {
	case fault != success:
		return fault
	case n == 0 || flags > userObjectMove:
		return invalidValue
	}
	if flags != userObjectMove {
		u.retain(n)
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	if g.keepers.kept == nil {
		g.keepers.kept = map[*userObject]uint32{}
	}
	g.keepers.kept[u] += n
	return success
}

func (f *face) graphRelease(call string, h, object uintptr, n uint32) code {
	g, u, fault := f.keeping(call, h, object)
	if fault != success {
		return fault
	}
	f.captureMu.Lock()
	had := g.keepers.kept[u]
	if n <= had {
		g.keepers.kept[u] -= n
	}
	f.captureMu.Unlock()
	if n == 0 || n > had {
		return invalidValue
	}
	return f.releaseUser(u, n)
}

// keeping resolves the handles of a graph and of a user object.
func (f *face) keeping(call string, h, object uintptr) (*graph, *userObject, code) {
	g, fault := f.graph(call, h, graphKind)
	if fault != success {
		return nil, nil, fault
	}
	u, fault := f.userObject(call, object)
	return g, u, fault
}

// keepToo makes a graph keep what another and the graphs in it do. An executable one does so for
// all its nodes; another graph for itself, and each graph in it for its own nodes.
func (f *face) keepToo(x, g *graph) {
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	f.keepAll(x, g)
}

// keepAll is keepToo for callers with captureMu.
func (f *face) keepAll(x, g *graph) {
	for u, n := range g.keepers.kept {
		if n > 0 {
			u.retain(1)
			if x.keepers.kept == nil {
				x.keepers.kept = map[*userObject]uint32{}
			}
			x.keepers.kept[u]++
		}
	}
	for _, n := range g.nodes {
		for i, part := range n.inner() {
			to := x
			if m := x.clones[n]; m != nil {
				to = m.inner()[i]
			}
			f.keepAll(to, part)
		}
	}
}

// launchedGraph remembers the end of a launch, where that matters.
func (f *face) launchedGraph(x *graph, s *stream) {
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	if len(x.keepers.kept) == 0 {
		return
	}
	if end, err := s.queue.Mark(); err == nil {
		x.keepers.pending = append(stillPending(x.keepers.pending), end)
	}
}

// letGo gives a graph's references back when its launches have ended. The caller holds captureMu.
func (f *face) letGo(g *graph) {
	k := g.keepers
	g.keepers = keepers{}
	if len(k.kept) == 0 {
		return
	}
	releaseAll := func() {
		for u, n := range k.kept {
			f.releaseUser(u, n)
		}
	}
	k.pending = stillPending(slices.Clone(k.pending))
	if len(k.pending) == 0 {
		releaseAll()
		return
	}
	go func() {
		for _, p := range k.pending {
			ended := make(chan struct{})
			p.OnDone(func(error) { close(ended) })
			<-ended
		}
		releaseAll()
	}()
}

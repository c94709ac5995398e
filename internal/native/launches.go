package native

import (
	"slices"
	"sync"
	"sync/atomic"
)

// launches are the kernels launched on a stream lately. A failure of the device that comes later
// names those that were in flight. It is safe for concurrent use.
type launches struct {
	newest atomic.Pointer[launch]
	mu     sync.Mutex
	all    []*launch // oldest first
}

// launch is the latest launch of a kernel.
type launch struct {
	name  *string
	after uint32 // the stream's newest record at that time
}

// kept is how many kernels are remembered.
const kept = 8

// add notes a launch behind record number after of the stream. The name is the kernel's, always at
// the same address.
func (l *launches) add(name *string, after uint32) {
	if n := l.newest.Load(); n != nil && n.name == name && n.after == after {
		return
	}
	l.insert(&launch{name, after})
}

func (l *launches) insert(n *launch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = slices.DeleteFunc(l.all, func(old *launch) bool { return old.name == n.name })
	if len(l.all) == kept {
		l.all = slices.Delete(l.all, 0, 1)
	}
	l.all = append(l.all, n)
	l.newest.Store(n)
}

// names returns the names of the kernels that are not done, oldest first. done reports whether the
// stream has passed the record after a launch.
func (l *launches) names(done func(next uint32) bool) (names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range l.all {
		if !done(n.after + 1) {
			names = append(names, *n.name)
		}
	}
	return names
}

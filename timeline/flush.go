package timeline

import (
	"context"
	"fmt"
	"slices"
)

// flush is a wait for what had ended when it began.
type flush struct {
	lanes map[*lane]uint64 // how many of their spans
	late  map[*slot]uint64 // stragglers, once the lanes are through
	done  chan struct{}
}

// flush waits until everything that has ended so far is resolved.
func (r *resolver) flush(ctx context.Context) error {
	f := &flush{lanes: map[*lane]uint64{}, done: make(chan struct{})}
	r.tl.mu.Lock()
	for _, l := range r.tl.lanes {
		f.lanes[l] = l.awaited()
	}
	r.tl.mu.Unlock()
	r.mu.Lock()
	r.flushes = append(r.flushes, f)
	r.mu.Unlock()
	r.poke()
	select {
	case <-f.done:
		return nil
	case <-r.done:
		return nil // closed
	case <-ctx.Done():
		r.mu.Lock()
		r.flushes = slices.DeleteFunc(r.flushes, func(o *flush) bool { return o == f })
		r.mu.Unlock()
		return fmt.Errorf("timeline: spans are unfinished: %w", ctx.Err())
	}
}

// endFlushes ends those whose spans are all resolved, and their callbacks called.
func (r *resolver) endFlushes() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flushes = slices.DeleteFunc(r.flushes, func(f *flush) bool {
		over := f.over(r)
		if over {
			close(f.done)
		}
		return over
	})
}

// over reports whether all is resolved. The resolver calls it.
func (f *flush) over(r *resolver) bool {
	for l, n := range f.lanes {
		if l.taken < n {
			return false
		}
		delete(f.lanes, l)
	}
	if f.late == nil {
		f.late = make(map[*slot]uint64, len(r.stragglers))
		for s, id := range r.stragglers {
			f.late[s] = id
		}
	}
	for s, id := range f.late {
		if r.stragglers[s] == id {
			return false
		}
		delete(f.late, s)
	}
	return true
}

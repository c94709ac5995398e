package timeline

import (
	"sync"
	"time"
)

// ring keeps the newest finished items. It grows as it is filled, and its places are used again
// with their memory for attributes.
type ring struct {
	mu    sync.Mutex
	all   []record
	next  int // the place of the next item, once the ring is full
	most  int
	taken uint64 // items that newer ones took the place of
}

// put copies an item into the ring.
func (r *ring) put(it *record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.all) < r.most {
		r.all = append(r.all, record{})
		r.all[len(r.all)-1].set(it)
		return
	}
	r.all[r.next].set(it)
	r.next = (r.next + 1) % r.most
	r.taken++
}

// set copies an item, whose attributes are not the place's.
func (r *record) set(it *record) {
	attrs := append(r.attrs[:0], it.attrs...)
	*r = *it
	r.attrs = attrs
}

// items returns what is kept, in the order in which it was finished.
func (r *ring) items(origin time.Time) []Item {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]Item, 0, len(r.all))
	for i := range r.all {
		all = append(all, r.all[(r.next+i)%len(r.all)].item(origin))
	}
	return all
}

// overwritten is how many items the ring has lost.
func (r *ring) overwritten() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.taken
}

package timeline

import (
	"sync"
	"time"
)

// ring keeps the newest finished items, encoded in blocks: a span takes some ten bytes.
type ring struct {
	mu     sync.Mutex
	blocks []*block // oldest first; the last one is being filled
	skip   int      // items of the first block that newer ones replaced
	kept   int
	most   int
	taken  uint64 // items that newer ones replaced
}

// put copies an item into the ring.
func (r *ring) put(it *record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.blocks); n == 0 || r.blocks[n-1].isFull() {
		if n > 0 {
			r.blocks[n-1].seal()
		}
		r.blocks = append(r.blocks, newBlock(n > 0))
	}
	r.blocks[len(r.blocks)-1].put(it)
	if r.kept < r.most {
		r.kept++
		return
	}
	r.taken++
	if r.skip++; r.skip == r.blocks[0].n {
		r.blocks[0] = nil // the array keeps no block
		r.blocks, r.skip = r.blocks[1:], 0
	}
}

// runs returns what is kept, in the order in which it was finished. Later items do not change it.
func (r *ring) runs(origin time.Time) []run {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]run, 0, len(r.blocks))
	for i, b := range r.blocks {
		of := blockRun{block: b.frozen(), origin: origin}
		if i == 0 {
			of.skip = r.skip
		}
		all = append(all, of)
	}
	return all
}

// items returns what is kept, in the order in which it was finished.
func (r *ring) items(origin time.Time) []Item {
	runs := r.runs(origin)
	n := 0
	for _, b := range runs {
		n += b.size()
	}
	all := make([]Item, 0, n)
	for _, b := range runs {
		b.each(func(it *Item) { all = append(all, it.clone()) })
	}
	return all
}

// overwritten is how many items the ring has lost.
func (r *ring) overwritten() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.taken
}

// run is a part of a timeline's items.
type run interface {
	size() int
	// each calls f for each item, which is only valid during the call.
	each(f func(*Item))
}

// blockRun is a block of a ring.
type blockRun struct {
	block
	skip   int
	origin time.Time
}

func (b blockRun) size() int { return b.n - b.skip }

func (b blockRun) each(f func(*Item)) {
	n, it := 0, Item{}
	b.decode(func(r *record) {
		if n++; n > b.skip {
			it = r.view(b.origin)
			f(&it)
		}
	})
}

// itemRun is a part of a snapshot.
type itemRun []Item

func (r itemRun) size() int { return len(r) }

func (r itemRun) each(f func(*Item)) {
	for i := range r {
		f(&r[i])
	}
}

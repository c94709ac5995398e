package host

import (
	"sort"
	"sync/atomic"
)

// The list of failures of an event is what is left of failed records when their slots are taken
// over. Slots are taken over in the order of the records, so the list is in order and only ever
// grows at its end. An entry is a run of records that failed in the same way: its first one,
// doubled, plus one if the maker died; and its last one, zero while it is the first. The list is in
// pieces, made when needed. When no more can be had, failures are forgotten, and what may be one of
// those reads as ErrIPCForgotten.

const (
	lists    = 7
	listRuns = 32 // of the first piece; each has four times as many as the one before
	runWords = 2
	maxRuns  = listRuns * (1<<(2*lists) - 1) / 3
)

// run is the i-th entry of the list. It makes the memory for it only if asked to.
func (b *block) run(i int, create bool) (first, last *atomic.Uint64, ok bool) {
	piece, size := 0, listRuns
	for i >= size {
		i -= size
		size *= 4
		piece++
	}
	if piece >= lists {
		return nil, nil, false
	}
	at := &b.w[blockLists+piece]
	if at.Load() == 0 {
		if !create {
			return nil, nil, false
		}
		offset, err := b.mem.alloc(size * runWords)
		if err != nil {
			return nil, nil, false
		}
		at.CompareAndSwap(0, offset)
	}
	w, err := b.mem.words(at.Load()+uint64(i)*runWords*8, runWords)
	if err != nil {
		return nil, nil, false
	}
	return &w[0], &w[1], true
}

// lastOf is the last record of a run.
func lastOf(first, last uint64) uint64 { return max(first>>1, last) }

// note makes sure that a failure is in the list, or counted as forgotten. False means that it can't
// be put there any more because its slot is not to be taken over.
func (b *block) note(seq uint64, died bool) bool {
	word := seq << 1
	if died {
		word |= 1
	}
	runs := &b.w[blockRuns]
	for {
		n := runs.Load()
		if first, _, ok := b.run(int(n), false); ok && first.Load() != 0 {
			runs.CompareAndSwap(n, n+1)
			continue
		}
		forgotten := b.w[blockForgotten].Load()
		if n > 0 {
			first, last, ok := b.run(int(n-1), false)
			if !ok {
				return false
			}
			f, l := first.Load(), last.Load()
			end := lastOf(f, l)
			if end >= seq {
				return b.noted(seq) != nil
			}
			if forgotten == 0 && end == seq-1 && f&1 == word&1 {
				if last.CompareAndSwap(l, seq) {
					return true
				}
				continue
			}
		}
		if forgotten >= seq {
			return true
		}
		if forgotten == 0 {
			if first, _, ok := b.run(int(n), true); ok {
				if first.CompareAndSwap(0, word) {
					runs.CompareAndSwap(n, n+1)
					return true
				}
				continue
			}
		}
		if b.w[blockForgotten].CompareAndSwap(forgotten, seq) {
			return true
		}
	}
}

// noted is the outcome of a record whose slot was taken over.
func (b *block) noted(seq uint64) error {
	forgotten := b.w[blockForgotten].Load() // before the list: it may only have grown since
	n := int(b.w[blockRuns].Load())
	for {
		first, _, ok := b.run(n, false)
		if !ok || first.Load() == 0 {
			break
		}
		n++
	}
	i := sort.Search(n, func(i int) bool {
		first, last, ok := b.run(i, false)
		return ok && lastOf(first.Load(), last.Load()) >= seq
	})
	if i < n {
		first, _, ok := b.run(i, false)
		if !ok {
			return ErrIPCForgotten // no memory to look
		}
		switch f := first.Load(); {
		case f>>1 > seq:
			return nil
		case f&1 != 0:
			return ErrPeerDied
		}
		return ErrPeerFailed
	}
	if seq <= forgotten {
		return ErrIPCForgotten
	}
	return nil
}

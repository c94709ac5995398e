package host

import (
	"fmt"
	"sort"
	"sync/atomic"
)

// The list of failures of an event records which records failed when their slots are taken over.
// Slots are taken over in the order of the records, so the list is in order and only grows at its
// end. An entry is a run of records that failed in the same way: its first one, doubled, plus one
// if the maker died; and its last one, or zero while that is the first. The list is in pieces, made
// when needed. When there is no memory for another, failures are forgotten, and records that may be
// among them read as ErrIPCForgotten.

const (
	lists    = 7
	listRuns = 32 // of the first piece; each has four times as many as the one before
	runWords = 2
	maxRuns  = listRuns * (1<<(2*lists) - 1) / 3
)

// run returns the i-th entry of the list, nil if it has no memory. Memory is allocated only on
// request, which may fail.
func (b *block) run(i int, create bool) (first, last *atomic.Uint64, err error) {
	piece, size := 0, listRuns
	for ; i >= size && piece < lists; piece++ {
		i -= size
		size *= 4
	}
	if piece == lists {
		return nil, nil, nil
	}
	at := &b.w[blockLists+piece]
	if at.Load() == 0 {
		if !create {
			return nil, nil, nil
		}
		offset, err := b.mem.alloc(size * runWords)
		if err != nil {
			return nil, nil, nil
		}
		at.CompareAndSwap(0, offset)
	}
	w, err := b.mem.words(at.Load()+uint64(i)*runWords*8, runWords)
	if err != nil {
		return nil, nil, err
	}
	return &w[0], &w[1], nil
}

// length is how many runs the list has, and at is what it was when that was last written down.
func (b *block) length() (n int, at uint64, err error) {
	at = b.w[blockRuns].Load()
	if at > maxRuns {
		return 0, 0, fmt.Errorf("%w: a list of %d failures", ErrIPCSegment, at)
	}
	for n = int(at); ; n++ {
		first, _, err := b.run(n, false)
		if err != nil {
			return 0, 0, err
		}
		if first == nil || first.Load() == 0 {
			return n, at, nil
		}
	}
}

// entry returns the list's entry at i, which must exist.
func (b *block) entry(i int) (first, last *atomic.Uint64, err error) {
	if first, last, err = b.run(i, false); err == nil && first == nil {
		err = fmt.Errorf("%w: a part of a list is missing", ErrIPCSegment)
	}
	return first, last, err
}

// lastOf returns the last record of a run.
func lastOf(first, last uint64) uint64 { return max(first>>1, last) }

// note makes sure that a failure is in the list, or counted as forgotten. False means that it can't
// be added any more, since its slot is not to be taken over.
func (b *block) note(seq uint64, died bool) (bool, error) {
	word := seq << 1
	if died {
		word |= 1
	}
	for {
		n, at, err := b.length()
		if err != nil {
			return false, err
		}
		if n > int(at) {
			b.w[blockRuns].CompareAndSwap(at, uint64(n))
		}
		forgotten := b.w[blockForgotten].Load()
		if n > 0 {
			first, last, err := b.entry(n - 1)
			if err != nil {
				return false, err
			}
			f, l := first.Load(), last.Load()
			end := lastOf(f, l)
			if end >= seq {
				outcome, err := b.noted(seq)
				return outcome != nil, err
			}
			if forgotten == 0 && end == seq-1 && f&1 == word&1 {
				if last.CompareAndSwap(l, seq) {
					return true, nil
				}
				continue
			}
		}
		if forgotten >= seq {
			return true, nil
		}
		if forgotten == 0 {
			first, _, err := b.run(n, true)
			if err != nil {
				return false, err
			}
			if first != nil {
				if first.CompareAndSwap(0, word) {
					b.w[blockRuns].CompareAndSwap(uint64(n), uint64(n+1))
					return true, nil
				}
				continue
			}
		}
		if b.w[blockForgotten].CompareAndSwap(forgotten, seq) {
			return true, nil
		}
	}
}

// noted returns the outcome of a record whose slot was taken over. An error means that the list
// could not be read.
func (b *block) noted(seq uint64) (outcome, err error) {
	forgotten := b.w[blockForgotten].Load() // before the list: it may only have grown since
	n, _, err := b.length()
	if err != nil {
		return nil, err
	}
	i := sort.Search(n, func(i int) bool {
		first, last, e := b.entry(i)
		if e != nil {
			err = e
			return true
		}
		return lastOf(first.Load(), last.Load()) >= seq
	})
	if err != nil {
		return nil, err
	}
	if i < n {
		first, _, err := b.entry(i)
		if err != nil {
			return nil, err
		}
		switch f := first.Load(); {
		case f>>1 > seq:
			return nil, nil
		case f&1 != 0:
			return ErrPeerDied, nil
		}
		return ErrPeerFailed, nil
	}
	if seq <= forgotten {
		return ErrIPCForgotten, nil
	}
	return nil, nil
}

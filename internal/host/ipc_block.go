package host

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
)

// memory is what several processes share, and what the kernel knows about them.
type memory interface {
	// words gives access to n words at an offset.
	words(offset uint64, n int) ([]atomic.Uint64, error)
	// alloc finds room for n zeroed words. Room is never given back.
	alloc(n int) (offset uint64, err error)
	// alive reports whether the process that holds the token may still complete records.
	alive(token uint32) bool
}

// block is one shared event. Every process may die at any instruction, so each step leaves a state
// from which others can go on, and no process ever waits for another.
//
// Records are numbered. Record n has slot n mod size of the ring that was the event's newest when
// it was made. To make a record is to take its slot over, which must be complete, and then to raise
// the number in the head; whoever finds a slot taken raises the number for its maker. The record
// exists from then on. Where a slot is still pending, the event gets a larger ring, which begins
// with that record. A slot that was taken is void if its record begins the next ring instead.
//
// Failures are noted in a list before their slots are taken over, so the outcome of a record whose
// slot is gone is known: it is complete, and it failed if and only if the list has it.
//
// A block is used for one event after another. Numbers go on, so the records of an earlier event
// keep their outcomes and can't be mistaken for new ones.
type block struct {
	mem    memory
	offset uint64
	key    uint64 // the event's records have higher numbers; that of an earlier event is lower
	token  uint32 // of this process
	w      []atomic.Uint64
}

// Words of a block.
const (
	blockMagic = iota
	blockHead
	blockKey
	blockForgotten // failures after the end of the list, up to this one, are missing from it
	blockRuns      // a lower bound of the number of runs in the list
	blockRings
	blockLists = blockRings + rings - 1
	blockSlots = 24 // the first ring
	blockWords = 32

	blockMark = 0x6b636f6c42764567
)

const (
	rings     = 8
	firstRing = blockWords - blockSlots
	ringBase  = 0 // the first record of the ring
	ringSlots = 8 // where the slots begin
)

// ringSize returns the number of slots: 8, 32, 128 up to 131072.
func ringSize(r int) int { return firstRing << (2 * r) }

// maxPending is how many records of one shared event may be pending.
const maxPending = firstRing << (2 * (rings - 1))

// newBlock makes a new event in fresh memory, or in that of an event that was closed.
func newBlock(mem memory, offset uint64, token uint32) (*block, error) {
	w, err := mem.words(offset, blockWords)
	if err != nil {
		return nil, err
	}
	b := &block{mem: mem, offset: offset, token: token, w: w}
	if w[blockMagic].CompareAndSwap(0, blockMark) {
		return b, nil
	}
	if err := b.reuse(); err != nil {
		return nil, err
	}
	runtime.KeepAlive(b)
	return b, nil
}

// reuse starts a new event where another was closed. Its key is a number that no record has, so
// that records still about to be made for the old event can't get into the new one. The number's
// slot is taken over all the same, as for a record: a failure there would otherwise be noted a
// round later, behind others. Only a process that was about to make a record of the old event may
// be quicker; it then has the number, and the key is the next.
func (b *block) reuse() error {
	for {
		h := b.head()
		seq := h.seq() + 1
		slot, w, err := b.free(h)
		if err != nil {
			return err
		}
		if slot != nil && slot.CompareAndSwap(w, slotWord(seq, b.token, slotDone)) {
			b.key = seq
			b.w[blockKey].Store(seq)
			b.w[blockHead].Store(uint64(h.next() &^ headClosed))
			return nil
		}
	}
}

// openBlock finds an event that another process made.
func openBlock(mem memory, offset, key uint64, token uint32) (*block, error) {
	w, err := mem.words(offset, blockWords)
	if err != nil || w[blockMagic].Load() != blockMark {
		return nil, fmt.Errorf("%w: %w", ErrIPCDescriptor, ErrIPCSegment)
	}
	b := &block{mem: mem, offset: offset, key: key, token: token, w: w}
	if h := b.head(); h.closed() || !b.ours() {
		return nil, ErrIPCGone
	}
	runtime.KeepAlive(b)
	return b, nil
}

func (b *block) head() head { return head(b.w[blockHead].Load()) }

// ours reports whether the block is still that of our event. A head that was read before is too
// then.
func (b *block) ours() bool { return b.w[blockKey].Load() == b.key }

// close ends the event: nobody makes another record. Pending ones go on.
func (b *block) close() {
	b.w[blockHead].Or(uint64(headClosed))
	runtime.KeepAlive(b)
}

// worn reports whether the numbers are used up, so that no other event can have the block.
func (b *block) worn() bool {
	defer runtime.KeepAlive(b)
	return b.head().seq() > maxSeq/2
}

// newest returns the number of the newest record, or the key if there is none. False means that the
// event is closed and its memory is used for another.
func (b *block) newest() (uint64, bool) {
	defer runtime.KeepAlive(b)
	seq := b.head().seq()
	return seq, b.ours()
}

// ring returns the r-th ring.
type ring struct {
	base  *atomic.Uint64 // nil for the first
	slots []atomic.Uint64
}

func (r ring) slot(seq uint64) (*atomic.Uint64, int) {
	i := int(seq % uint64(len(r.slots)))
	return &r.slots[i], i
}

func (b *block) ring(r int) (ring, error) {
	if r == 0 {
		return ring{nil, b.w[blockSlots:blockWords]}, nil
	}
	w, err := b.mem.words(b.w[blockRings+r-1].Load(), ringSlots+ringSize(r))
	if err != nil {
		return ring{}, err
	}
	return ring{&w[ringBase], w[ringSlots:]}, nil
}

// ringOf returns the ring that has a record.
func (b *block) ringOf(seq uint64) (ring, error) {
	for r := b.head().ring(); ; r-- {
		rg, err := b.ring(r)
		if err != nil || r == 0 || rg.base.Load() <= seq {
			return rg, err
		}
	}
}

// begin makes the next record, pending or done, and returns its number and slot.
func (b *block) begin(as int) (uint64, *atomic.Uint64, error) {
	defer runtime.KeepAlive(b)
	for {
		h := b.head()
		if h.closed() || !b.ours() {
			return 0, nil, ErrIPCGone
		}
		seq := h.seq() + 1
		if seq >= maxSeq {
			return 0, nil, fmt.Errorf("%w: after %d records: make a new event", ErrIPCBusy, seq)
		}
		slot, w, err := b.free(h)
		if err != nil {
			return 0, nil, err
		}
		if slot == nil || !slot.CompareAndSwap(w, slotWord(seq, b.token, as)) {
			continue
		}
		if b.w[blockHead].CompareAndSwap(uint64(h), uint64(h.next())) {
			return seq, slot, nil
		}
		now := b.head()
		if now.ring() == h.ring() {
			if now.seq() >= seq {
				return seq, slot, nil // another has raised it
			}
			slot.CompareAndSwap(slotWord(seq, b.token, slotPending), slotWord(seq, b.token, slotDone))
			return 0, nil, ErrIPCGone // closed before this call
		}
		next, err := b.ring(h.ring() + 1)
		if err != nil {
			return 0, nil, err
		}
		if seq < next.base.Load() {
			return seq, slot, nil
		}
	}
}

// free makes sure that the slot of the record after h may be taken over, and returns it with the
// word that it has then. No slot means that the block has changed: read the head again. So a caller
// loops only while others make progress. A block that blocks the way and doesn't change is damaged.
func (b *block) free(h head) (*atomic.Uint64, uint64, error) {
	rg, err := b.ring(h.ring())
	if err != nil {
		return nil, 0, err
	}
	seq := h.seq() + 1
	slot, i := rg.slot(seq)
	w := slot.Load()
	if w == 0 {
		return slot, w, nil
	}
	before, token, state := slotParts(w, i)
	switch {
	case before == seq: // taken by another that may not have raised the number yet
		b.w[blockHead].CompareAndSwap(uint64(h), uint64(h.next()))
		return nil, 0, nil
	case before > seq: // taken by another long ago
		return nil, 0, b.changed(h)
	case state == slotPending && b.mem.alive(token):
		return nil, 0, b.grow(h)
	case state == slotPending:
		slot.CompareAndSwap(w, slotWord(before, token, slotDied))
		return nil, 0, nil
	case state == slotDone:
		return slot, w, nil
	}
	ok, err := b.note(before, state == slotDied)
	switch {
	case err != nil:
		return nil, 0, err
	case !ok: // another has taken it over, or has gone on to a new ring
		return nil, 0, b.changed(h)
	}
	return slot, w, nil
}

// changed returns an error if the head is what it was although that is impossible.
func (b *block) changed(h head) error {
	if b.head() != h {
		return nil
	}
	return fmt.Errorf("%w: the slot of record %d can't be used", ErrIPCSegment, h.seq()+1)
}

// grow makes the record after h begin a larger ring.
func (b *block) grow(h head) error {
	r := h.ring() + 1
	if r == rings {
		return ErrIPCBusy
	}
	at := &b.w[blockRings+r-1]
	if at.Load() == 0 {
		offset, err := b.mem.alloc(ringSlots + ringSize(r))
		if err != nil {
			return err
		}
		at.CompareAndSwap(0, offset)
	}
	rg, err := b.ring(r)
	if err != nil {
		return err
	}
	// The base is read before the head is found unchanged: so a late process can't move it any
	// more.
	old, seq := rg.base.Load(), h.seq()+1
	if b.head() == h && (old == seq || rg.base.CompareAndSwap(old, seq)) {
		b.w[blockHead].CompareAndSwap(uint64(h), uint64(h.grown()))
	}
	return nil
}

// finish completes a pending record of this process, unless it is complete.
func (b *block) finish(seq uint64, slot *atomic.Uint64, state int) {
	slot.CompareAndSwap(slotWord(seq, b.token, slotPending), slotWord(seq, b.token, state))
	runtime.KeepAlive(b)
}

// status returns the state of a record made by any process.
func (b *block) status(seq uint64) (done bool, err error) {
	defer runtime.KeepAlive(b)
	for {
		rg, err := b.ringOf(seq)
		if err != nil {
			return unread(err)
		}
		slot, i := rg.slot(seq)
		w := slot.Load()
		now, token, state := slotParts(w, i)
		switch {
		case w == 0 || now < seq:
			return true, fmt.Errorf("%w: a record is missing", ErrIPCSegment)
		case now > seq: // complete, and so long ago that its slot has another record
			outcome, err := b.noted(seq)
			if err != nil {
				return unread(err)
			}
			return true, outcome
		case state == slotDone:
			return true, nil
		case state == slotFailed:
			return true, ErrPeerFailed
		case state == slotDied:
			return true, ErrPeerDied
		case b.mem.alive(token):
			return false, nil
		}
		slot.CompareAndSwap(w, slotWord(seq, token, slotDied))
	}
}

// unread returns the status of a record that could not be read: pending, unless that can't change
// any more.
func unread(err error) (done bool, failure error) {
	if errors.Is(err, ErrIPCSegment) {
		return true, err
	}
	return false, nil
}

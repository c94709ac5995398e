package host

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The key of an event in used memory is a number without a record. What its slot has is not lost
// and not noted too late, whenever it fails.
func TestBlockUsedAgainAfterFailures(t *testing.T) {
	t.Parallel()
	const dead = 7
	for name, c := range map[string]struct {
		token        uint32
		before, then int // what record 1 is when the memory is used again, and later
		ring         int
	}{
		"failed":       {2, slotFailed, slotFailed, 0},
		"done":         {2, slotDone, slotDone, 0},
		"died":         {dead, slotPending, slotDied, 0},
		"fails later":  {2, slotPending, slotFailed, 1},
		"done later":   {2, slotPending, slotDone, 1},
		"stays undone": {2, slotPending, slotPending, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newTestMemory(1 << 14)
			old := newTestBlock(t, m)
			m.dead.Store(uint32(dead), true)
			maker := testBlock(t, m, c.token)
			_, first, err := maker.begin(slotPending)
			require.NoError(t, err)
			if c.before != slotPending {
				maker.finish(1, first, c.before)
			}
			for range firstRing - 1 {
				seq, slot, err := old.begin(slotPending)
				require.NoError(t, err)
				old.finish(seq, slot, slotFailed)
			}
			old.close()
			b, err := newBlock(m, old.offset, exporterTestToken)
			require.NoError(t, err)
			assert.Equal(t, uint64(firstRing+1), b.key)
			assert.Equal(t, c.ring, b.head().ring())
			if c.then != c.before && c.token != dead {
				maker.finish(1, first, c.then)
			}
			want := map[uint64]int{1: c.then}
			for seq := uint64(2); seq <= firstRing; seq++ {
				want[seq] = slotFailed
			}
			for i := range 3 * ringSize(c.ring) {
				seq, slot, err := b.begin(slotPending)
				require.NoError(t, err)
				require.Equal(t, b.key+1+uint64(i), seq)
				want[seq] = slotDone + i%2
				b.finish(seq, slot, want[seq])
			}
			for seq, state := range want {
				require.Equal(t, state, statusOf(old, seq), seq)
			}
		})
	}
}

// A process has taken a slot for the old event and is held up there, while the event is closed and
// its memory used again. Its record belongs to the old event.
func TestBlockUsedAgainUnderARecord(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		died  bool // it ends while held up
		state int  // what it makes of its record
		key   uint64
	}{
		"done":   {false, slotDone, firstRing + 2},
		"failed": {false, slotFailed, firstRing + 2},
		"died":   {true, slotDied, firstRing + 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const slow = 2
			m := newTestMemory(1 << 14)
			old := newTestBlock(t, m)
			want := map[uint64]int{}
			for range firstRing {
				seq, slot, err := old.begin(slotPending)
				require.NoError(t, err)
				old.finish(seq, slot, slotFailed)
				want[seq] = slotFailed
			}
			// It has taken the slot and not raised the number.
			late := uint64(firstRing + 1)
			slot, w, err := testBlock(t, m, slow).free(old.head())
			require.NoError(t, err)
			require.True(t, slot.CompareAndSwap(w, slotWord(late, slow, slotPending)))
			if c.died {
				m.dead.Store(uint32(slow), true)
			}
			old.close()
			b, err := newBlock(m, old.offset, exporterTestToken)
			require.NoError(t, err)
			assert.Equal(t, c.key, b.key)
			if !c.died {
				slot.CompareAndSwap(slotWord(late, slow, slotPending), slotWord(late, slow, c.state))
			}
			want[late] = c.state
			for i := range 3 * firstRing {
				seq, slot, err := b.begin(slotPending)
				require.NoError(t, err)
				want[seq] = slotDone + i%2
				b.finish(seq, slot, want[seq])
			}
			for seq, state := range want {
				require.Equal(t, state, statusOf(old, seq), seq)
			}
		})
	}
}

// Memory that others can't be made to give up is left alone until it can be used.
func TestBlockTooBusyToBeUsedAgain(t *testing.T) {
	t.Parallel()
	m := newTestMemory(1 << 20)
	old := newTestBlock(t, m)
	peer := testBlock(t, m, 2)
	var slots []*atomic.Uint64
	for {
		_, slot, err := peer.begin(slotPending)
		if err != nil {
			require.ErrorIs(t, err, ErrIPCBusy)
			break
		}
		slots = append(slots, slot)
	}
	old.close()
	_, err := newBlock(m, old.offset, exporterTestToken)
	require.ErrorIs(t, err, ErrIPCBusy)
	for i, slot := range slots {
		peer.finish(uint64(i+1), slot, slotFailed)
	}
	b, err := newBlock(m, old.offset, exporterTestToken)
	require.NoError(t, err)
	assert.Equal(t, uint64(len(slots)+1), b.key)
	for range 3 * firstRing {
		_, _, err = b.begin(slotDone)
		require.NoError(t, err)
	}
	for seq := range slots {
		if got := statusOf(old, uint64(seq+1)); got != slotFailed {
			t.Fatalf("record %d: %d", seq+1, got)
		}
	}
}

// A block that somebody has overwritten is an error, and never a loop without an end.
func TestBlockDamaged(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(b *block){
		"slot ahead of its number": func(b *block) {
			b.w[blockSlots+1].Store(slotWord(1+10*firstRing, 2, slotDone))
		},
		"failure behind others": func(b *block) {
			_, _ = b.note(5, false)
		},
		"number of runs": func(b *block) { b.w[blockRuns].Store(1 << 63) },
		"missing runs":   func(b *block) { b.w[blockRuns].Store(maxRuns) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newTestBlock(t, newTestMemory(1<<14))
			for range firstRing {
				seq, slot, err := b.begin(slotPending)
				require.NoError(t, err)
				b.finish(seq, slot, slotFailed)
			}
			damage(b)
			_, _, err := b.begin(slotDone)
			require.ErrorIs(t, err, ErrIPCSegment)
			b.close()
			_, err = newBlock(b.mem, b.offset, exporterTestToken)
			require.ErrorIs(t, err, ErrIPCSegment)
		})
	}
}

// unmapped is memory that a process can't map for a while.
type unmapped struct {
	*testMemory
	from uint64 // what lies behind
	err  error
}

func (m *unmapped) words(offset uint64, n int) ([]atomic.Uint64, error) {
	if offset >= m.from && m.err != nil {
		return nil, m.err
	}
	return m.testMemory.words(offset, n)
}

// A list of failures that can't be mapped neither keeps a process in a loop nor lets a record read
// as what it is not.
func TestFailuresOutOfReach(t *testing.T) {
	t.Parallel()
	m := newTestMemory(1 << 14)
	b := newTestBlock(t, m)
	for range 3 * firstRing {
		seq, slot, err := b.begin(slotPending)
		require.NoError(t, err)
		b.finish(seq, slot, slotFailed)
	}
	mem := &unmapped{m, b.w[blockLists].Load(), assert.AnError}
	peer := testBlock(t, mem, 2)
	_, _, err := peer.begin(slotDone)
	require.ErrorIs(t, err, assert.AnError)
	done, err := peer.status(1)
	assert.False(t, done, "ask again")
	require.NoError(t, err)
	mem.err = ErrIPCSegment
	done, err = peer.status(1)
	assert.True(t, done, "there is no use in asking again")
	require.ErrorIs(t, err, ErrIPCSegment)
	mem.err = nil
	assert.Equal(t, slotFailed, statusOf(peer, 1))
	_, _, err = peer.begin(slotDone)
	require.NoError(t, err)
}

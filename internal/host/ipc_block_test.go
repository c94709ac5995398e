package host

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testMemory is shared memory whose processes are goroutines.
type testMemory struct {
	all  []atomic.Uint64
	used atomic.Uint64
	full atomic.Bool
	dead sync.Map // tokens
}

func newTestMemory(n int) *testMemory {
	m := &testMemory{all: make([]atomic.Uint64, n)}
	m.used.Store(64)
	return m
}

func (m *testMemory) words(offset uint64, n int) ([]atomic.Uint64, error) {
	return m.all[offset/8 : offset/8+uint64(n)], nil
}

func (m *testMemory) alloc(n int) (uint64, error) {
	if m.full.Load() {
		return 0, ErrIPCFull
	}
	end := m.used.Add(uint64(n) * 8)
	if end > uint64(len(m.all))*8 {
		return 0, ErrIPCFull
	}
	return end - uint64(n)*8, nil
}

func (m *testMemory) alive(token uint32) bool {
	_, dead := m.dead.Load(token)
	return !dead
}

// mortal is the memory of a process that may end whenever it looks at others or asks for memory.
type mortal struct {
	*testMemory
	token uint32
	rnd   *rand.Rand
	odds  int
}

type death struct{}

func (m *mortal) strike() {
	if m.rnd.IntN(m.odds) == 0 {
		m.dead.Store(m.token, true)
		panic(death{})
	}
}

func (m *mortal) alloc(n int) (uint64, error) {
	m.strike()
	offset, err := m.testMemory.alloc(n)
	m.strike()
	return offset, err
}

func (m *mortal) alive(token uint32) bool {
	m.strike()
	return m.testMemory.alive(token)
}

func (m *mortal) words(offset uint64, n int) ([]atomic.Uint64, error) {
	if m.rnd.IntN(m.odds) == 0 {
		runtime.Gosched() // others go on in the middle of it
	}
	return m.testMemory.words(offset, n)
}

func testBlock(t *testing.T, m memory, token uint32) *block {
	t.Helper()
	b, err := openBlock(m, 64, 0, token)
	require.NoError(t, err)
	return b
}

func newTestBlock(t *testing.T, m *testMemory) *block {
	t.Helper()
	offset, err := m.alloc(blockWords)
	require.NoError(t, err)
	b, err := newBlock(m, offset, exporterTestToken)
	require.NoError(t, err)
	return b
}

const exporterTestToken = 1

func statusOf(b *block, seq uint64) int {
	switch done, err := b.status(seq); {
	case !done:
		return slotPending
	case errors.Is(err, ErrPeerFailed):
		return slotFailed
	case errors.Is(err, ErrPeerDied):
		return slotDied
	case err == nil:
		return slotDone
	}
	return -1
}

func TestSlotWord(t *testing.T) {
	t.Parallel()
	for _, seq := range []uint64{1, 7, 8, 9, 1 << 20, maxSeq} {
		for _, token := range []uint32{1, 2, maxToken} {
			for _, state := range []int{slotPending, slotDone, slotFailed, slotDied} {
				for _, size := range []int{ringSize(0), ringSize(1), ringSize(rings - 1)} {
					w := slotWord(seq, token, state)
					assert.NotZero(t, w)
					s, who, st := slotParts(w, int(seq%uint64(size)))
					assert.Equal(t, []any{seq, token, state}, []any{s, who, st})
				}
			}
		}
	}
	h := head(maxSeq).grown().grown() | headClosed
	assert.Equal(t, []any{uint64(maxSeq), 2, true}, []any{h.seq(), h.ring(), h.closed()})
	assert.False(t, (h &^ headClosed).closed())
}

func TestBlockGrowsAndIsBusyInTheEnd(t *testing.T) {
	t.Parallel()
	m := newTestMemory(1 << 20)
	b := newTestBlock(t, m)
	slots := make([]*atomic.Uint64, 1, maxPending)
	for {
		seq, slot, err := b.begin(slotPending)
		if err != nil {
			require.ErrorIs(t, err, ErrIPCBusy)
			break
		}
		require.EqualValues(t, len(slots), seq)
		slots = append(slots, slot)
	}
	assert.Greater(t, len(slots), maxPending)
	for seq := 1; seq < len(slots); seq++ {
		b.finish(uint64(seq), slots[seq], slotDone+seq%2)
	}
	for range 3 * maxPending {
		_, _, err := b.begin(slotDone)
		require.NoError(t, err)
	}
	for seq := 1; seq < len(slots); seq++ {
		if got := statusOf(b, uint64(seq)); got != slotDone+seq%2 {
			t.Fatalf("record %d: %d", seq, got)
		}
	}
}

func TestBlockWithoutMemory(t *testing.T) {
	t.Parallel()
	m := newTestMemory(1 << 12)
	b := newTestBlock(t, m)
	m.full.Store(true)
	for seq := uint64(1); seq <= 20; seq++ {
		n, slot, err := b.begin(slotPending)
		require.NoError(t, err)
		require.Equal(t, seq, n)
		b.finish(n, slot, slotDone+int(n%2))
	}
	for seq := uint64(1); seq <= 20; seq++ {
		done, err := b.status(seq)
		assert.True(t, done)
		switch {
		case seq > 12:
			assert.Equal(t, seq%2 == 1, errors.Is(err, ErrPeerFailed))
		case seq <= 11: // the failures among them could not be noted
			assert.ErrorIs(t, err, ErrIPCForgotten)
		default:
			assert.NoError(t, err)
		}
	}
	for range firstRing {
		_, _, err := b.begin(slotPending)
		require.NoError(t, err)
	}
	_, _, err := b.begin(slotPending)
	assert.ErrorIs(t, err, ErrIPCFull)
}

// Failures that are far apart and those that follow each other, more than the list has room for.
func TestFailuresAreForgottenOnlyWhenTheListIsFull(t *testing.T) {
	t.Parallel()
	m := newTestMemory(1 << 20)
	b := newTestBlock(t, m)
	failed := func(seq uint64) bool { return seq%3 != 0 }
	const runs = maxRuns + 1000
	for seq := uint64(1); seq <= 3*runs; seq++ {
		n, slot, err := b.begin(slotPending)
		require.NoError(t, err)
		require.Equal(t, seq, n)
		if failed(seq) {
			b.finish(n, slot, slotFailed)
		} else {
			b.finish(n, slot, slotDone)
		}
	}
	forgotten := 0
	for seq := uint64(1); seq <= 3*runs; seq++ {
		done, err := b.status(seq)
		require.True(t, done)
		switch {
		case errors.Is(err, ErrIPCForgotten):
			forgotten++
			require.Greater(t, seq, uint64(3*maxRuns-3))
		case failed(seq) != errors.Is(err, ErrPeerFailed):
			t.Fatalf("record %d: %v", seq, err)
		}
	}
	assert.InDelta(t, 3*1000, forgotten, 20)
}

// What a process leaves that ends between taking a slot and raising the number.
func TestBlockAfterACrash(t *testing.T) {
	t.Parallel()
	const dead = 7
	m := newTestMemory(1 << 12)
	b := newTestBlock(t, m)
	m.dead.Store(uint32(dead), true)
	rg, err := b.ring(0)
	require.NoError(t, err)
	slot, _ := rg.slot(1)
	slot.Store(slotWord(1, dead, slotPending))
	seq, _ := b.newest()
	assert.Zero(t, seq)
	seq, _, err = b.begin(slotDone)
	require.NoError(t, err)
	assert.EqualValues(t, 2, seq)
	assert.Equal(t, slotDied, statusOf(b, 1))
	for range 100 { // its records are in the way of new ones
		_, _, err := testBlock(t, m, dead).begin(slotPending)
		require.NoError(t, err)
	}
	assert.Zero(t, b.head().ring(), "but make no larger ring")
	for seq := uint64(3); seq <= 102; seq++ {
		require.Equal(t, slotDied, statusOf(b, seq))
	}
}

// A slot taken for a record that came to begin a larger ring counts for nothing.
func TestBlockGrownUnderARecord(t *testing.T) {
	t.Parallel()
	m := newTestMemory(1 << 12)
	b := newTestBlock(t, m)
	for range firstRing + 1 {
		_, slot, err := b.begin(slotPending)
		require.NoError(t, err)
		defer func() { assert.NotNil(t, slot) }()
	}
	require.Equal(t, 1, b.head().ring())
	first, err := b.ring(0)
	require.NoError(t, err)
	slot, _ := first.slot(9)
	slot.Store(slotWord(9, 7, slotFailed)) // of a process that was late
	assert.Equal(t, slotPending, statusOf(b, 9))
	assert.Equal(t, slotDone, statusOf(b, 1), "its slot was only taken over complete")
}

// late is the memory of a process that is held up at its next look at a larger ring.
type late struct {
	*testMemory
	meanwhile func()
}

func (m *late) words(offset uint64, n int) ([]atomic.Uint64, error) {
	if f := m.meanwhile; f != nil {
		m.meanwhile = nil
		f()
	}
	return m.testMemory.words(offset, n)
}

// The event gets a larger ring while a process is about to use the old one.
func TestBlockLateRecord(t *testing.T) {
	t.Parallel()
	m := newTestMemory(1 << 12)
	b := newTestBlock(t, m)
	slots := make([]*atomic.Uint64, firstRing+ringSize(1)+1)
	for seq := 1; seq < len(slots); seq++ {
		var err error
		_, slots[seq], err = b.begin(slotPending)
		require.NoError(t, err)
	}
	require.Equal(t, 1, b.head().ring())
	full := uint64(len(slots))
	mem := &late{testMemory: m}
	slow := testBlock(t, mem, 2)
	mem.meanwhile = func() {
		seq, _, err := b.begin(slotPending)
		require.NoError(t, err)
		require.Equal(t, full, seq)
		require.Equal(t, 2, b.head().ring())
		b.finish(firstRing+1, slots[firstRing+1], slotFailed) // its slot would be free now
	}
	seq, _, err := slow.begin(slotDone)
	require.NoError(t, err)
	assert.Equal(t, full+1, seq, "the number in between is another's")
	assert.Equal(t, slotPending, statusOf(b, full))
	assert.Equal(t, slotDone, statusOf(b, full+1))
	assert.Equal(t, slotFailed, statusOf(b, firstRing+1))
}

// A failure is not noted behind later ones: its slot is not to be taken over then.
func TestFailureNotedTooLate(t *testing.T) {
	t.Parallel()
	b := newTestBlock(t, newTestMemory(1<<12))
	for _, c := range []struct {
		seq  uint64
		died bool
		want bool
	}{{5, false, true}, {9, true, true}, {5, false, true}, {7, false, false}} {
		ok, err := b.note(c.seq, c.died)
		require.NoError(t, err)
		assert.Equal(t, c.want, ok, c.seq)
	}
	for seq, want := range map[uint64]error{5: ErrPeerFailed, 7: nil, 9: ErrPeerDied} {
		outcome, err := b.noted(seq)
		require.NoError(t, err)
		assert.Equal(t, want, outcome, seq)
	}
}

// A new event in the memory of an old one: neither takes anything for its own that is the other's.
func TestBlockUsedAgain(t *testing.T) {
	t.Parallel()
	m := newTestMemory(1 << 12)
	old := newTestBlock(t, m)
	peer := testBlock(t, m, 2)
	var before []uint64
	for i := range 30 {
		seq, slot, err := peer.begin(slotPending)
		require.NoError(t, err)
		if i != 29 {
			peer.finish(seq, slot, slotDone+i%2)
		}
		before = append(before, seq)
	}
	old.close()
	_, _, err := peer.begin(slotDone)
	assert.ErrorIs(t, err, ErrIPCGone)
	_, err = openBlock(m, old.offset, old.key, 3)
	assert.ErrorIs(t, err, ErrIPCGone)
	seq, ok := peer.newest()
	assert.True(t, ok, "it can still be read")
	assert.EqualValues(t, 30, seq)

	fresh, err := newBlock(m, old.offset, exporterTestToken)
	require.NoError(t, err)
	seq, ok = fresh.newest()
	assert.True(t, ok)
	assert.Equal(t, fresh.key, seq, "not recorded")
	_, ok = peer.newest()
	assert.False(t, ok)
	_, _, err = peer.begin(slotDone)
	assert.ErrorIs(t, err, ErrIPCGone)
	_, err = openBlock(m, old.offset, old.key, 3)
	assert.ErrorIs(t, err, ErrIPCGone)
	for range 100 {
		_, _, err := fresh.begin(slotDone)
		require.NoError(t, err)
	}
	for i, seq := range before {
		want := slotDone + i%2
		if i == 29 {
			want = slotPending
		}
		require.Equal(t, want, statusOf(peer, seq), i)
	}
}

// Many processes use one event at once, end in the middle of it, and are followed by others, while
// the exporter closes it and makes another in its place, again and again. Every answer is checked
// against what was done.
func TestBlockCrowd(t *testing.T) {
	t.Parallel()
	const workers, lives, perLife = 6, 12, 400
	type fact struct {
		token  uint32
		intent atomic.Int32 // how the maker is about to complete it
		final  atomic.Bool  // and has
	}
	m := newTestMemory(1 << 20)
	event := newTestBlock(t, m)
	var key atomic.Uint64
	facts := make([]atomic.Pointer[fact], workers*lives*perLife*2)
	check := func(b *block, seq uint64) {
		f := facts[seq].Load()
		if f == nil {
			return
		}
		final := f.final.Load()
		got := statusOf(b, seq)
		intent := int(f.intent.Load())
		_, dead := m.dead.Load(f.token)
		ok := got == slotPending && !final || got == intent && got != slotPending ||
			got == slotDied && dead && !final
		if !ok {
			t.Errorf("record %d reads %d; intent %d, final %v, dead %v", seq, got, intent, final, dead)
		}
	}
	var tokens atomic.Uint32
	tokens.Store(exporterTestToken)
	life := func(rnd *rand.Rand) {
		token := tokens.Add(1)
		mem := &mortal{m, token, rnd, 40}
		defer func() {
			if v := recover(); v != nil && v != (death{}) {
				panic(v)
			}
		}()
		open := func() *block {
			for {
				switch b, err := openBlock(mem, 64, key.Load(), token); {
				case err == nil:
					return b
				case !errors.Is(err, ErrIPCGone):
					t.Error(err)
				}
				runtime.Gosched() // between two events
			}
		}
		b := open()
		type pending struct {
			seq  uint64
			slot *atomic.Uint64
		}
		var mine []pending
		finish := func(i int) {
			p := mine[i]
			mine[i] = mine[len(mine)-1]
			mine = mine[:len(mine)-1]
			f := facts[p.seq].Load()
			f.intent.Store(int32(slotDone + rnd.IntN(2)))
			b.finish(p.seq, p.slot, int(f.intent.Load()))
			f.final.Store(true)
		}
		for range perLife {
			if rnd.IntN(10) == 0 {
				mem.strike()
			}
			switch {
			case rnd.IntN(2) == 0 || len(mine) == 0:
				as := rnd.IntN(2)
				seq, slot, err := b.begin(as)
				if errors.Is(err, ErrIPCGone) {
					b = open()
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if seq <= b.key {
					t.Errorf("record %d of the event with key %d", seq, b.key)
				}
				f := &fact{token: token}
				f.intent.Store(int32(as))
				f.final.Store(as == slotDone)
				if !facts[seq].CompareAndSwap(nil, f) {
					t.Errorf("number %d was given twice", seq)
				}
				if as == slotPending {
					mine = append(mine, pending{seq, slot})
				}
			case rnd.IntN(3) > 0:
				finish(rnd.IntN(len(mine)))
			}
			if newest, _ := b.newest(); newest > 0 {
				check(b, 1+rnd.Uint64N(newest))
			}
		}
		for len(mine) > 0 {
			finish(0)
		}
	}
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(rand.Uint64(), uint64(i)))
			for range lives {
				life(rnd)
			}
		})
	}
	var end atomic.Bool
	reused := make(chan int)
	go func() {
		b, n := event, 0
		defer func() { reused <- n }()
		for !end.Load() {
			until := b.key + 1 + rand.Uint64N(100)
			for newest, _ := b.newest(); newest < until && !end.Load(); newest, _ = b.newest() {
				runtime.Gosched()
			}
			b.close()
			fresh, err := newBlock(m, b.offset, exporterTestToken)
			if err != nil {
				t.Error(err)
				return
			}
			b = fresh
			key.Store(b.key)
			n++
		}
	}()
	wg.Wait()
	end.Store(true)
	events := 1 + <-reused
	b, err := openBlock(m, 64, key.Load(), tokens.Add(1))
	require.NoError(t, err)
	newest, _ := b.newest()
	unknown, died := 0, 0
	for seq := uint64(1); seq <= newest; seq++ {
		if facts[seq].Load() == nil { // its maker ended before it could tell
			unknown++
		}
		check(b, seq)
		switch statusOf(b, seq) {
		case slotPending:
			t.Errorf("record %d is pending", seq)
		case slotDied:
			died++
		}
	}
	t.Logf("%d events, %d records, %d processes, %d records died, %d without a maker to ask, "+
		"ring %d, %d runs", events, newest, tokens.Load(), died, unknown, b.head().ring(),
		b.w[blockRuns].Load())
}

func TestChunks(t *testing.T) {
	t.Parallel()
	end := uint64(0)
	for k := range maxChunks {
		base, size := chunkRange(k)
		require.Equal(t, end, base)
		require.Equal(t, k, chunkAt(base))
		require.Equal(t, k, chunkAt(base+size-1))
		end = base + size
	}
}

func TestBlockWornOut(t *testing.T) {
	t.Parallel()
	b := newTestBlock(t, newTestMemory(1<<12))
	assert.False(t, b.worn())
	b.w[blockHead].Store(maxSeq - 2)
	assert.True(t, b.worn(), "no other event gets its memory")
	seq, _, err := b.begin(slotDone)
	require.NoError(t, err)
	assert.EqualValues(t, maxSeq-1, seq)
	assert.Equal(t, slotDone, statusOf(b, seq))
	_, _, err = b.begin(slotDone)
	assert.ErrorIs(t, err, ErrIPCBusy)
	assert.ErrorContains(t, err, "make a new event")
}

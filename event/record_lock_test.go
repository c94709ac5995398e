package event

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

func unlock(l *recordLock, r record) {
	l.publish(r)
	l.wake()
}

func unlook(l *recordLock) {
	l.unlook()
	l.wake()
}

func TestRecordLockKeepsTheRecord(t *testing.T) {
	t.Parallel()
	var l recordLock
	assert.True(t, l.load().unrecorded())
	r, ok := l.lock()
	assert.True(t, ok)
	assert.True(t, r.unrecorded())
	assert.True(t, l.load().unrecorded(), "a lock is not seen by those who read")
	assert.False(t, l.settled(r), "but that the record may change is")
	_, ok = l.tryLook()
	assert.False(t, ok)
	next := newRecord(7, inGraph)
	unlock(&l, next)
	assert.True(t, l.settled(next))
	assert.Equal(t, next, l.load())
	assert.EqualValues(t, 7, l.load().generation())
	assert.Equal(t, inGraph, l.load().kind())
	r, ok = l.look()
	assert.True(t, ok)
	assert.True(t, l.settled(r), "who looks replaces nothing")
	_, ok = l.tryLook()
	assert.False(t, ok)
	unlook(&l)
	assert.Equal(t, next, l.load())
}

// Close does not wait for the holder of the lock; goroutines that wait for the lock wake up.
func TestRecordLockCloses(t *testing.T) {
	t.Parallel()
	var l recordLock
	_, _ = l.lock()
	refused := make(chan bool)
	for range 4 {
		go func() { _, ok := l.lock(); refused <- !ok }()
	}
	assert.True(t, l.close())
	assert.False(t, l.close())
	for range 4 {
		assert.True(t, <-refused)
	}
	unlock(&l, newRecord(3, plain))
	got, closed := l.read()
	assert.EqualValues(t, 3, got.generation(), "the record under way is published")
	assert.True(t, closed)
	_, ok := l.lock()
	assert.False(t, ok)
	_, ok = l.tryLook()
	assert.False(t, ok)
}

// Every holder adds one to a counter that only the lock protects, and to the generation.
func TestRecordLockExcludes(t *testing.T) {
	t.Parallel()
	const goroutines, rounds = 16, 2000
	var l recordLock
	counter := 0
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range rounds {
				r, _ := l.lock()
				counter++
				unlock(&l, newRecord(r.generation()+1, plain))
				_, _ = l.look()
				counter++
				unlook(&l)
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 2*goroutines*rounds, counter)
	assert.EqualValues(t, goroutines*rounds, l.load().generation())
}

// All waiters wake up, although only one unlock sees that there are any.
func TestRecordLockWakesEverybody(t *testing.T) {
	t.Parallel()
	for range 200 {
		var l recordLock
		r, _ := l.lock()
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { r, _ := l.lock(); unlock(&l, r) })
		}
		unlock(&l, r)
		wg.Wait()
	}
}

// Who sets a mark while the lock is held and who unlocks: at least one sees the other.
func TestRecordLockMarks(t *testing.T) {
	t.Parallel()
	rounds := uint64(400_000)
	if testing.Short() {
		rounds = 20_000
	}
	var l recordLock
	var start, end struct { // so that the two only meet at the lock
		round atomic.Uint64
		_     [120]byte
	}
	var sawReleased atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := uint64(1); i <= rounds; i++ {
			spinUntil(func() bool { return start.round.Load() >= i })
			for spin := i / 64 % 64; spin > 0; spin-- {
				_ = end.round.Load()
			}
			l.marks.Or(markLeft)
			sawReleased.Store(!l.taken())
			end.round.Store(i)
		}
	})
	for i := uint64(1); i <= rounds; i++ {
		l.marks.Store(0)
		l.word.Store(uint64(newRecord(i, plain)) | lockHeld)
		start.round.Store(i)
		for spin := i % 64; spin > 0; spin-- { // so that they meet at different moments
			_ = end.round.Load()
		}
		l.publish(newRecord(i, inGraph))
		sawMark := l.has(markLeft)
		spinUntil(func() bool { return end.round.Load() == i })
		if !sawMark && !sawReleased.Load() {
			assert.Fail(t, "neither saw the other", "in round %d", i)
			break
		}
	}
	start.round.Store(rounds)
	wg.Wait()
}

// spinUntil waits, on its processor if that does not take long.
func spinUntil(is func() bool) {
	for n := 0; !is(); n++ {
		if n > 1000 {
			runtime.Gosched()
		}
	}
}

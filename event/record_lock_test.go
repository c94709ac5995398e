package event

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

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
	l.unlock(next)
	assert.True(t, l.settled(next))
	assert.Equal(t, next, l.load())
	assert.EqualValues(t, 7, l.load().generation())
	assert.Equal(t, inGraph, l.load().kind())
	r, ok = l.look()
	assert.True(t, ok)
	assert.True(t, l.settled(r), "who looks replaces nothing")
	_, ok = l.tryLook()
	assert.False(t, ok)
	l.unlock(l.load())
	assert.Equal(t, next, l.load())
}

// Close does not wait for the holder of the lock; goroutines that wait for the lock don't get it.
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
	assert.False(t, l.free())
	l.unlock(newRecord(3, plain))
	for range 4 {
		assert.True(t, <-refused)
	}
	assert.True(t, l.free())
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
				l.unlock(newRecord(r.generation()+1, plain))
				_, _ = l.look()
				counter++
				l.unlock(l.load())
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 2*goroutines*rounds, counter)
	assert.EqualValues(t, goroutines*rounds, l.load().generation())
}

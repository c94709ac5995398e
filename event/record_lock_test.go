package event

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRecordLockKeepsTheRecord(t *testing.T) {
	t.Parallel()
	var l recordLock
	assert.True(t, l.Load().unrecorded())
	r := l.lock()
	assert.True(t, r.unrecorded())
	assert.True(t, l.Load().unrecorded(), "a lock is not seen by those who read")
	next := newRecord(7, inGraph)
	l.unlock(next)
	assert.Equal(t, next, l.Load())
	assert.EqualValues(t, 7, l.Load().generation())
	assert.Equal(t, inGraph, l.Load().kind())
	l.unlock(l.lock())
	assert.Equal(t, next, l.Load())
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
				r := l.lock()
				counter++
				l.unlock(newRecord(r.generation()+1, plain))
			}
		})
	}
	wg.Wait()
	assert.Equal(t, goroutines*rounds, counter)
	assert.EqualValues(t, goroutines*rounds, l.Load().generation())
}

// All who wait are woken, though only one unlock is told that somebody does.
func TestRecordLockWakesEverybody(t *testing.T) {
	t.Parallel()
	for range 200 {
		var l recordLock
		r := l.lock()
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { l.unlock(l.lock()) })
		}
		l.unlock(r)
		wg.Wait()
	}
}

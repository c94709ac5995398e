package poll

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// returns wants f to return.
func returns(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	receive(t, "the end of "+what, done)
}

func TestNapEndsByItself(t *testing.T) {
	t.Parallel()
	n := newNap()
	for _, d := range []time.Duration{-1, 0, 1, us, 50 * us, 2 * ms} {
		returns(t, d.String(), func() { n.sleep(d) })
	}
	began := time.Now()
	for time.Since(began) < 20*time.Millisecond { // single ones may end early
		n.sleep(20 * time.Millisecond)
	}
}

func TestNapIsCutShort(t *testing.T) {
	t.Parallel()
	n := newNap()
	n.rouse()
	n.rouse()
	returns(t, "a nap after it was roused", func() { n.sleep(time.Hour) })
	returns(t, "a nap that is roused", func() {
		slept := make(chan struct{})
		go func() { defer close(slept); n.sleep(time.Hour) }()
		for !isClosed(slept) { // before it, or during it
			n.rouse()
		}
	})
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// No rouse is lost, however it falls: each is followed by the end of a nap.
func TestNoRouseIsLost(t *testing.T) {
	t.Parallel()
	const rounds = 2000
	n := newNap()
	var turn sync.Mutex
	told, heard := 0, 0
	returns(t, "all naps", func() {
		var all sync.WaitGroup
		all.Go(func() {
			for done := false; !done; {
				turn.Lock()
				heard, done = told, told == rounds
				turn.Unlock()
				if !done {
					n.sleep(time.Hour)
				}
			}
		})
		for range rounds {
			turn.Lock()
			told++
			turn.Unlock()
			n.rouse()
		}
		all.Wait()
	})
	assert.Equal(t, rounds, heard)
}

// An added item is queried at once, even if the thread naps.
func TestAddRousesTheNap(t *testing.T) {
	t.Parallel()
	p := New(unprepared)
	assert.True(t, p.nap.enter(), "as the runner does")
	it := newTask("lane", 1, 1)
	it.finish(nil)
	p.Add(&it.Item)
	receive(t, "the end", it.ended)
	returns(t, "the nap", func() { p.nap.sleep(time.Hour) })
	idle(t, p)
}

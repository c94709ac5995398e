package poll

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// computed is how many steps of a computation are made in d.
func computed(d time.Duration) (steps int) {
	x := uint64(1)
	for began := time.Now(); time.Since(began) < d; steps++ {
		for range 1000 {
			x = x*6364136223846793005 + 1
		}
	}
	runtime.KeepAlive(x)
	return steps
}

// A thread that naps must not keep the only processor from goroutines that compute.
func TestNapsLeaveTheOnlyProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	p := New(unprepared)
	best := 0.0
	for range 5 { // other processes may disturb some of them
		alone := computed(50 * time.Millisecond)
		it := newTask("lane", 1, 1)
		p.Add(&it.Item)
		beside := computed(50 * time.Millisecond)
		assert.True(t, p.Remove(&it.Item))
		best = max(best, float64(beside)/float64(alone))
	}
	t.Logf("beside a poller that waits a computation makes %.0f %% of its steps", 100*best)
	assert.Greater(t, best, 0.6)
	idle(t, p)
}

package poll

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// share is what part of the time n rounds take that begin as soon as they may, after a pause.
func share(n int, pause time.Duration, takes func(round int) time.Duration) float64 {
	var r respite
	now, worked := time.Second, time.Duration(0)
	for i := range n {
		now = max(now+pause, r.over())
		r.worked(now, now+takes(i))
		now += takes(i)
		worked += takes(i)
	}
	return float64(worked) / float64(now-time.Second)
}

func TestRoundsTakeATenth(t *testing.T) {
	t.Parallel()
	for name, takes := range map[string]func(int) time.Duration{
		"slow":            func(int) time.Duration { return 2 * ms },
		"rather slow":     func(int) time.Duration { return 50 * us },
		"slow, now, then": func(i int) time.Duration { return pick(2*us, 5*ms, i%10 == 0) },
	} {
		assert.Less(t, share(10_000, closePause, takes), 0.101, name)
	}
}

func TestOneLongRoundNeedsNoRest(t *testing.T) {
	t.Parallel()
	var r respite
	r.worked(time.Second, time.Second+100*us)
	assert.Less(t, r.over(), time.Second+100*us)
	r.worked(time.Second+200*us, time.Second+300*us)
	assert.Greater(t, r.over(), time.Second+300*us, "the second in a row")
	r.waive()
	assert.Less(t, r.over(), time.Second)
	r.worked(time.Second, time.Second+10*ms)
	assert.Equal(t, time.Second+10*ms+rest*10*ms-tolerance, r.over())
	r.waive()
	r.worked(time.Second, 3*time.Second) // the system had other things to do
	assert.Equal(t, 3*time.Second+longestRest-tolerance, r.over())
}

package poll

import (
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Short pauses don't need a turn each, since it costs more than a query.
func TestTurnsOfOtherGoroutines(t *testing.T) {
	for procs, most := range map[int]time.Duration{1: courtesy, 2: longCourtesy} {
		t.Run(strconv.Itoa(procs)+" processors", func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			var o turns
			o.taken(time.Second)
			assert.False(t, o.beforePause(2*time.Second), "nothing was done since the last one")
			for now := time.Second; now < time.Second+most; now += shortPause {
				o.worked(false)
				assert.False(t, o.beforePause(now))
				o.paused(now + shortPause)
				assert.False(t, o.betweenRounds(now+shortPause+spin-1))
			}
			assert.True(t, o.beforePause(time.Second+most))
			o.taken(2 * time.Second)
			o.worked(true)
			o.worked(false)
			assert.True(t, o.beforePause(2*time.Second), "others wait for what has ended")
			assert.False(t, o.betweenRounds(2*time.Second+spin-1))
			assert.True(t, o.betweenRounds(2*time.Second+spin), "there are no pauses")
		})
	}
}

package clock

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestDrifting(t *testing.T) {
	t.Parallel()
	for _, drift := range []float64{-400e-6, 0, 50e-6} {
		c := NewDrifting(time.Hour, drift)
		assert.Equal(t, time.Hour, c.At(c.origin))
		gained := time.Duration(drift * 1e9)
		assert.Equal(t, time.Hour+time.Second+gained, c.At(c.origin.Add(time.Second)), "%v", drift)
		before := c.At(time.Now())
		now := c.Now()
		assert.GreaterOrEqual(t, now, before)
		assert.LessOrEqual(t, now, c.At(time.Now()))
		rang := make(chan time.Duration)
		c.AfterFunc(time.Millisecond, func() { rang <- c.Now() })
		assert.GreaterOrEqual(t, <-rang, now+time.Millisecond)
	}
}

package clock

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestManual(t *testing.T) {
	t.Parallel()
	c := NewManual()
	var log []string
	say := func(s string) func() { return func() { log = append(log, s+" "+c.Now().String()) } }
	c.AfterFunc(30, say("c"))
	c.AfterFunc(10, func() {
		say("a")()
		c.AfterFunc(5, say("from a"))
		c.AfterFunc(0, say("at once"))
	})
	stop := c.AfterFunc(20, say("stopped"))
	c.AfterFunc(30, say("d"))
	c.AfterFunc(-1, say("now"))
	next, ok := c.Next()
	assert.True(t, ok)
	assert.Zero(t, next)
	assert.True(t, stop())
	assert.False(t, stop())
	c.Advance(29)
	assert.Equal(t, []string{"now 0s", "a 10ns", "at once 10ns", "from a 15ns"}, log)
	c.Advance(-5)
	require.Equal(t, time.Duration(29), c.Now())
	next, _ = c.Next()
	assert.EqualValues(t, 1, next)
	c.Advance(1)
	assert.Equal(t, []string{"c 30ns", "d 30ns"}, log[4:])
	_, ok = c.Next()
	assert.False(t, ok)
}

package host

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestRealClock(t *testing.T) {
	t.Parallel()
	c := NewRealClock()
	a := c.Now()
	fired := make(chan struct{})
	c.AfterFunc(time.Millisecond, func() { close(fired) })
	<-fired
	assert.GreaterOrEqual(t, c.Now()-a, time.Millisecond)
	assert.True(t, c.AfterFunc(time.Hour, func() { t.Error("stopped") })())
}

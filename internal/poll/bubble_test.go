package poll

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestBubble(t *testing.T) {
	t.Parallel()
	p := New(func() {})
	assert.False(t, InBubble())
	synctest.Test(t, func(t *testing.T) {
		assert.True(t, InBubble())
		time.Sleep(100 * 365 * 24 * time.Hour)
		assert.True(t, InBubble())
		assert.Panics(t, func() { p.Add(new(Item)) })
	})
	assert.False(t, p.Busy())
}

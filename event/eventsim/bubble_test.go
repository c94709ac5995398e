package eventsim_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

// In a bubble a wait for a device would never end, and the bubble neither. So machines can't be
// made there, and waits panic, both at once and with the reason. What does not wait works.
func TestBubble(t *testing.T) {
	t.Parallel()
	m := eventsim.New(t, eventsim.Config{})
	s := stream(t, m.Device(0))
	g := m.Gate(s)
	e := recorded(t, s)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Hour) // of the bubble's time
		_, err := eventsim.Open(eventsim.Config{})
		assert.ErrorContains(t, err, "inside a testing/synctest bubble")

		done, err := e.IsDone()
		require.NoError(t, err)
		assert.False(t, done)
		for name, wait := range map[string]func(){
			"Wait":    func() { _ = e.Wait(t.Context()) },
			"Done":    func() { e.Done() },
			"WaitAll": func() { _ = event.WaitAll(t.Context(), e) },
		} {
			why := panicOf(wait)
			assert.Contains(t, why, "inside a testing/synctest bubble", name)
			assert.Contains(t, why, "Machine.Advance", name)
		}
		g.Open()
		assert.True(t, get(e.IsDone()))
		assert.NoError(t, e.Wait(t.Context()), "it is known to be done")
	})
	assert.NoError(t, e.Wait(t.Context()))
}

// panicOf returns what f panics with; "" if it does not, or not with a text.
func panicOf(f func()) (why string) {
	defer func() { why, _ = recover().(string) }()
	f()
	return ""
}

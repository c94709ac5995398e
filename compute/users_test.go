package compute

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/door"
)

// A stream that is closed during a launch stays a user until the launch has been enqueued: what
// orders an object's end behind the stream's work must not come before it.
func TestStreamInUseIsNotPruned(t *testing.T) {
	t.Parallel()
	d, err := event.Open("host")
	require.NoError(t, err)
	streams := make([]*event.Stream, 3)
	for i := range streams {
		streams[i], err = d.NewStream()
		require.NoError(t, err)
		defer streams[i].Close()
	}
	var u users
	closed := streams[0]
	_, ok := door.Use(closed) // as a launch does
	require.True(t, ok)
	u.note(closed)
	require.NoError(t, closed.Close())
	u.note(streams[1])
	first := (*u.all.Load())[0]
	require.Same(t, closed, first.stream, "the launch may come yet")
	assert.NotNil(t, first.shadow)

	door.Release(closed)
	u.note(streams[2])
	for _, o := range *u.all.Load() {
		assert.NotSame(t, closed, o.stream)
	}
	all, _ := u.end()
	for _, o := range all {
		o.drop()
	}
}

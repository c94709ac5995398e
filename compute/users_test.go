package compute

import (
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
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
	ok := streamOf(closed).Retain() // as a launch does
	require.True(t, ok)
	u.note(closed)
	require.NoError(t, closed.Close())
	u.note(streams[1])
	first := (*u.all.Load())[0]
	require.Same(t, streamOf(closed), first.key, "the launch may come yet")
	assert.NotNil(t, first.stream)

	streamOf(closed).Release()
	u.note(streams[2])
	for _, o := range *u.all.Load() {
		assert.False(t, o.key == streamOf(closed))
	}
	for _, o := range u.take() {
		o.drop()
	}
}

// An object does not keep streams that were dropped without Close: they end when the garbage
// collector finds them, and the next new stream takes their place.
func TestDroppedStreamsAreNotKept(t *testing.T) {
	t.Parallel()
	d, err := event.Open("host")
	require.NoError(t, err)
	var u users
	for range 200 {
		s, err := d.NewStream()
		require.NoError(t, err)
		u.note(s)
	}
	most := func() int {
		runtime.GC()
		s, err := d.NewStream()
		require.NoError(t, err)
		u.note(s)
		require.NoError(t, s.Close())
		return len(*u.all.Load())
	}
	assert.Eventually(t, func() bool { return most() < 10 }, 10*time.Second, time.Millisecond)
	for _, o := range u.take() {
		o.drop()
	}
}

// BenchmarkNote notes a launch on the newest of many streams that use a module.
func BenchmarkNote(b *testing.B) {
	d, err := event.Open("host")
	require.NoError(b, err)
	for _, n := range []int{1, 100, 5000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			var u users
			streams := make([]*event.Stream, n)
			for i := range streams {
				streams[i], err = d.NewStream()
				require.NoError(b, err)
				u.note(streams[i])
			}
			for b.Loop() {
				u.note(streams[n-1])
			}
			for _, o := range u.take() {
				o.drop()
			}
			for _, s := range streams {
				require.NoError(b, s.Close())
			}
		})
	}
}

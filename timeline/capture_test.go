package timeline

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
)

// TestCapturedHostStream captures a stream of the host: spans in the capture are left out with an
// error, and the graph works.
func TestCapturedHostStream(t *testing.T) {
	t.Parallel()
	tl := open(t, Options{})
	s := stream(t, hostDevice(t))
	var errs []error
	tl.OnFinish(func(it Item) { errs = append(errs, it.Err) })
	runs := 0
	before := tl.Begin(s, "begun before it")
	g, err := compute.Capture(s, func() error {
		in := tl.Begin(s, "in it")
		err := s.HostFunc(func() error { runs++; return nil })
		assert.NoError(t, in.End())
		return err
	})
	require.NoError(t, err)
	require.NoError(t, before.End(), "which spans the capture")
	require.NoError(t, g.Launch(s))
	require.NoError(t, s.Sync())
	shot := flushed(t, tl)
	assert.Equal(t, 1, runs)
	assert.Len(t, shot.Items, 1)
	assert.EqualValues(t, 1, shot.Stats.Captured)
	require.Len(t, errs, 2)
	assert.ErrorIs(t, errs[0], event.ErrCaptured)
	assert.NoError(t, errs[1])
	require.NoError(t, g.Close())
}

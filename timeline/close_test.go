package timeline

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCloseWithoutItsSpans(t *testing.T) {
	t.Parallel()
	tl, err := New(Options{})
	require.NoError(t, err)
	s := stream(t, hostDevice(t))
	require.NoError(t, tl.Begin(s, "done").End())
	flushed(t, tl)
	gate := make(chan struct{})
	require.NoError(t, s.HostFunc(func() error { <-gate; return nil }))
	require.NoError(t, tl.Begin(s, "stuck").End())
	open := tl.Begin(s, "open")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	assert.ErrorIs(t, tl.Flush(ctx), context.Canceled)
	assert.ErrorIs(t, tl.Close(ctx), context.Canceled)
	assert.NoError(t, tl.Close(ctx), "again")
	close(gate)
	assert.Error(t, open.End())
	assert.ErrorIs(t, tl.Begin(s, "late").End(), ErrClosed)
	assert.NoError(t, tl.Flush(context.Background()))
	assert.EqualValues(t, 1, tl.Stats().Abandoned)
	assert.Len(t, tl.Snapshot().Items, 1)
}

func TestCloseAtOnce(t *testing.T) {
	t.Parallel()
	for range 20 {
		tl, err := New(Options{})
		require.NoError(t, err)
		s := stream(t, hostDevice(t))
		require.NoError(t, tl.Begin(s, "x").End())
		require.NoError(t, tl.Close(context.Background()))
		assert.Len(t, tl.Snapshot().Items, 1)
	}
}

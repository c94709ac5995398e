package event

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSmoke(t *testing.T) {
	d, err := Open("host")
	require.NoError(t, err)
	s, err := d.NewStream()
	require.NoError(t, err)
	a, err := s.RecordNew(WithTiming())
	require.NoError(t, err)
	gate := make(chan struct{})
	require.NoError(t, s.HostFunc(func() error { <-gate; return nil }))
	b, err := s.RecordNew(WithTiming())
	require.NoError(t, err)
	require.Equal(t, Done, a.State())
	require.Equal(t, Pending, b.State())
	_, err = b.Sub(a)
	require.ErrorIs(t, err, ErrNotReady)
	t.Log(err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	err = b.Wait(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	t.Log(err)
	done := b.Done()
	close(gate)
	<-done
	dt, err := b.Sub(a)
	require.NoError(t, err)
	t.Log(dt, a, b, s, d)
	require.NoError(t, a.Close())
	require.NoError(t, b.Close())
	require.NoError(t, s.Close())
	_, err = a.IsDone()
	require.ErrorIs(t, err, ErrClosed)
	t.Log(err)
}

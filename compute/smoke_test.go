package compute_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
)

func saxpyGo(b *compute.Block, n int32, a float32, x, y []float32) {
	for i := range b.Threads(int(n)) {
		y[i] += a * x[i]
	}
}

func TestSmoke(t *testing.T) {
	d, err := event.Open("host")
	require.NoError(t, err)
	s, err := d.NewStream()
	require.NoError(t, err)
	m, err := compute.Compile(context.Background(), d, compute.Source{
		Host: map[string]compute.HostKernel{"saxpy": saxpyGo}})
	require.NoError(t, err)
	k, err := m.Kernel("saxpy")
	require.NoError(t, err)
	const n = 1000
	x, err := compute.Alloc[float32](s, n)
	require.NoError(t, err)
	y, err := compute.Alloc[float32](s, n)
	require.NoError(t, err)
	require.NoError(t, x.Fill(s, 2))
	require.NoError(t, y.Fill(s, 1))
	require.NoError(t, k.Launch(s, compute.Linear(n, 256), int32(n), float32(3), x, y))
	out := make([]float32, n)
	require.NoError(t, y.CopyTo(s, out))
	for _, v := range out {
		require.Equal(t, float32(7), v)
	}
	assert.ErrorIs(t, k.Launch(s, compute.Linear(n, 256), int64(n), float32(3), x, y), compute.ErrArgument)
	assert.ErrorIs(t, k.Launch(s, compute.Linear(n, 256), int32(n), float32(3), x), compute.ErrArgument)
	require.NoError(t, x.Close())
	require.NoError(t, y.Close())
	require.NoError(t, m.Close())
	require.NoError(t, s.Close())
	u, err := compute.UsageOf(d)
	require.NoError(t, err)
	assert.Zero(t, u.Buffers)
	assert.Zero(t, u.Bytes)
}

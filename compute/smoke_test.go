package compute_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
)

func saxpyGo(b *compute.Block, n int32, a float32, x, y []float32) {
	for i := range b.Threads(int(n)) {
		y[i] += a * x[i]
	}
}

func TestSmoke(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		k := r.kernel("saxpy", saxpyGo)
		x, y := buffer(r, make([]float32, 1000)...), buffer(r, make([]float32, 1000)...)
		require.NoError(t, x.Fill(r.stream, 2))
		require.NoError(t, y.Fill(r.stream, 1))
		c := compute.Linear(1000, 256)
		require.NoError(t, k.Launch(r.stream, c, int32(1000), float32(3), x, y))
		for _, v := range read(r, y) {
			require.Equal(t, float32(7), v)
		}
		assert.ErrorIs(t, k.Launch(r.stream, c, int64(1000), float32(3), x, y), compute.ErrArgument)
		assert.ErrorIs(t, k.Launch(r.stream, c, int32(1000), float32(3), x), compute.ErrArgument)
	})
}

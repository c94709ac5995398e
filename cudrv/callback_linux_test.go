package cudrv_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/callback"
)

// A thread's stack has to hold 1000 calls inside each other: elsewhere it is small.
func TestTooManyCallbacksWithoutUserData(t *testing.T) {
	occupancy(t)
	var deeper cudrv.OccupancyB2DSize
	depth, refused := 0, error(nil)
	deeper = func(int32) uintptr {
		depth++
		if _, _, err := cudrv.OccupancyMaxPotentialBlockSize(1, deeper, 0, 0); err != nil {
			refused = err
		}
		return 0
	}
	_, _, err := cudrv.OccupancyMaxPotentialBlockSize(1, deeper, 0, 0)
	require.NoError(t, err)
	assert.Equal(t, callback.MaxSlots, depth)
	assert.ErrorIs(t, refused, cudrv.ErrTooManyCallbacks)
	assert.ErrorContains(t, refused,
		"cuOccupancyMaxPotentialBlockSize: blockSizeToDynamicSMemSize: too many callbacks")
}

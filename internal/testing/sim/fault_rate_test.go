package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

func TestFaultRate(t *testing.T) {
	run := func(rate float64, seed int64, except ...string) (failed []int, faults int) {
		m, _ := cudaMachine(t, Options{}, newestCUDA)
		e := cudaEvent(t, 0)
		m.FaultRate(rate, 719, seed, except...)
		for i := range 10_000 {
			if err := cudrv.EventQuery(e); err != nil {
				require.ErrorIs(t, err, cudrv.ErrLaunchFailed)
				failed = append(failed, i)
			}
		}
		m.FaultRate(0, 0, 0)
		assert.NoError(t, cudrv.EventQuery(e))
		return failed, m.FaultCount()
	}
	first, n := run(0.01, 1)
	assert.Equal(t, len(first), n)
	assert.InDelta(t, 100, n, 40)
	again, _ := run(0.01, 1)
	assert.Equal(t, first, again, "the same for the same seed")
	other, _ := run(0.01, 2)
	assert.NotEqual(t, first, other)
	none, n := run(0.5, 1, "cuEventQuery")
	assert.Empty(t, none)
	assert.Zero(t, n)
	all, _ := run(1, 1)
	assert.Len(t, all, 10_000)
}

func TestFaultRateOfBothAPIs(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	defer m.InstallHIP("7.2")()
	e, kept, h := cudaEvent(t, 0), cudaEvent(t, 0), hipEvent(t, 0)
	m.FaultRate(1, 719, 1)
	assert.ErrorIs(t, hip.EventQuery(h), hip.ErrLaunchFailure)
	assert.ErrorIs(t, cudrv.EventDestroy(e), cudrv.ErrLaunchFailed)
	m.FaultRate(1, 201, 1)
	assert.ErrorIs(t, cudrv.EventDestroy(kept), cudrv.ErrInvalidContext)
	name, err := hip.GetErrorName(hip.ErrNotReady)
	assert.NoError(t, err)
	assert.Equal(t, "hipErrorNotReady", name, "texts can't fail")
	assert.Equal(t, 3, m.FaultCount())
	assert.Equal(t, 1, m.CUDALive().Events,
		"an error of earlier work does not keep the object alive, a refusal does")
	assert.Panics(t, func() { m.FaultRate(1, 1, 1, "cuNoSuchThing") })
}

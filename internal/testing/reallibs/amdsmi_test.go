package reallibs_test

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/amdsmi"
)

func init() { inside["amdsmi"] = testAMDSMI }

// testAMDSMI makes the calls that need no device. The library of 24.5.2 has other layouts than the
// Go types, and does not even tell its version before it is initialized.
func testAMDSMI(t *testing.T) {
	version := os.Getenv(release)
	old := version == "24.5.2"
	require.NoError(t, amdsmi.Load())
	chosen(t, version, amdsmi.Path())

	t.Run("version", func(t *testing.T) {
		v, err := amdsmi.GetLibVersion()
		if old {
			require.ErrorIs(t, err, amdsmi.ErrLayout)
			return
		}
		require.NoError(t, err)
		assert.Equal(t, []uint32{27, 1, 0}, []uint32{v.Major, v.Minor, v.Release})
		assert.NotNil(t, v.Build)
	})
	t.Run("before Init", func(t *testing.T) {
		var n uint32
		assert.ErrorIs(t, amdsmi.GetSocketHandles(&n, nil), amdsmi.ErrNotInit)
		assert.NoError(t, amdsmi.ShutDown())
	})
	t.Run("without a driver", func(t *testing.T) {
		err := amdsmi.Init(amdsmi.InitAmdGpus)
		if err == nil {
			assert.NoError(t, amdsmi.ShutDown())
			t.Skip("there is an AMD GPU")
		}
		assert.ErrorIs(t, err, amdsmi.ErrDriverNotLoaded)
	})
	t.Run("no processors", func(t *testing.T) {
		require.NoError(t, amdsmi.Init(0))
		defer func() { assert.NoError(t, amdsmi.ShutDown()) }()
		n := uint32(7)
		require.NoError(t, amdsmi.GetSocketHandles(&n, nil))
		assert.Zero(t, n)
		var place amdsmi.Bdf // a struct by value
		place.SetBusNumber(3)
		handle, err := amdsmi.GetProcessorHandleFromBdf(place)
		assert.ErrorIs(t, err, amdsmi.ErrApiFailed)
		assert.Zero(t, handle)
		layoutsOfAMDSMI(t, old)
	})
	t.Run("texts", func(t *testing.T) {
		text, err := amdsmi.StatusCodeToString(amdsmi.ErrUnknownError)
		require.NoError(t, err)
		assert.Contains(t, text, "STATUS_UNKNOWN_ERROR")
		text, err = amdsmi.StatusCodeToString(99)
		assert.ErrorIs(t, err, amdsmi.ErrUnknownError)
		assert.NotEmpty(t, text, "a text comes with the error")
		text, err = amdsmi.GetEsmiErrMsg(0)
		require.NoError(t, err)
		assert.Equal(t, "Success", text)
	})
}

// layoutsOfAMDSMI checks which functions are refused: of 24.5.2 those that take what is laid out or
// numbered otherwise, before they are called; of 27.1 none.
func layoutsOfAMDSMI(t *testing.T, old bool) {
	_, err := amdsmi.GetGpuMetricsInfo(0)
	if !old {
		assert.ErrorIs(t, err, amdsmi.ErrInval, "C was called")
		_, err = amdsmi.GetGpuAsicInfo(0)
		assert.ErrorIs(t, err, amdsmi.ErrInval, "C was called")
		_, err = amdsmi.GetLinkMetrics(0)
		assert.ErrorIs(t, err, amdsmi.ErrInval, "C was called")
		return
	}
	var refused *amdsmi.LayoutError
	require.True(t, errors.As(err, &refused), "%v", err)
	assert.Equal(t, "amdsmi_gpu_metrics_t", refused.Struct)
	assert.Equal(t, "27", refused.From)
	assert.ErrorIs(t, amdsmi.SetGpuComputePartition(0, amdsmi.ComputePartitionCpx), amdsmi.ErrLayout,
		"the number means another mode")
	_, err = amdsmi.GetGpuId(0)
	assert.ErrorIs(t, err, amdsmi.ErrInval, "numbers only: C was called")
}

package reallibs_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/nccl"
	"github.com/gpuevent/gpuevent/rccl"
)

func init() { inside["nccl"], inside["rccl"] = testNCCL, testRCCL }

// testNCCL asks what can be asked without a GPU.
func testNCCL(t *testing.T) {
	require.NoError(t, nccl.Available())
	v, err := nccl.LibraryVersion()
	require.NoError(t, err)
	assert.Equal(t, os.Getenv(release), v.String())
	twin, err := nccl.PGetVersion()
	require.NoError(t, err)
	assert.EqualValues(t, v, twin)
	chosen(t, v.String(), nccl.Path())

	first, err := nccl.GetUniqueId()
	require.NoError(t, err, "it needs a network interface")
	second, err := nccl.GetUniqueId()
	require.NoError(t, err)
	assert.NotEqual(t, first, second)

	assert.NoError(t, nccl.GroupStart())
	assert.NoError(t, nccl.GroupEnd())
	assert.NoError(t, nccl.CommDestroy(0))
	var comms [2]nccl.Comm
	assert.ErrorIs(t, nccl.CommInitAll(&comms[0], 2, nil), nccl.ErrUnhandledCudaError)
	config := nccl.NewConfig()
	_, err = nccl.CommInitRankConfig(1, first, 0, &config)
	assert.ErrorIs(t, err, nccl.ErrUnhandledCudaError, "there is no GPU, and the config is right")
	text, err := nccl.GetLastError(0)
	require.NoError(t, err)
	assert.NotEmpty(t, text)
	_, err = nccl.CommCount(0)
	assert.ErrorIs(t, err, nccl.ErrInvalidArgument)
	for code, want := range map[nccl.Result]string{nccl.Success: "no error",
		nccl.ErrInvalidArgument: "invalid argument", 77: "unknown result code"} {
		text, err := nccl.GetErrorString(code)
		require.NoError(t, err)
		assert.Contains(t, text, want)
	}
}

// testRCCL asks what can be asked without a GPU, with NCCL, which has the same symbols, in the same
// process.
func testRCCL(t *testing.T) {
	both := os.Getenv("GPUEVENT_NCCL_LIBRARY") != ""
	if both {
		require.NoError(t, nccl.Available())
	}
	require.NoError(t, rccl.Available())
	v, err := rccl.LibraryVersion()
	require.NoError(t, err)
	chosen(t, v.String(), rccl.Path())

	_, err = rccl.GetUniqueId()
	assert.ErrorIs(t, err, rccl.ErrUnhandledCudaError, "unlike NCCL, it needs a GPU for that")
	var comms [2]rccl.Comm
	assert.ErrorIs(t, rccl.CommInitAll(&comms[0], 2, nil), rccl.ErrUnhandledCudaError)
	assert.NoError(t, rccl.GroupStart())
	assert.NoError(t, rccl.GroupEnd())
	_, err = rccl.CommCount(0)
	assert.ErrorIs(t, err, rccl.ErrInvalidArgument)
	text, err := rccl.GetErrorString(rccl.ErrUnhandledCudaError)
	require.NoError(t, err)
	assert.NotEmpty(t, text)
	_, err = rccl.PGetVersion()
	assert.ErrorIs(t, err, rccl.ErrSymbolNotFound)
	if !both {
		return
	}
	other, err := nccl.LibraryVersion()
	require.NoError(t, err)
	assert.NotEqual(t, v.String(), other.String())
	_, err = nccl.GetUniqueId()
	assert.NoError(t, err, "NCCL answers, although RCCL was loaded after it")
}

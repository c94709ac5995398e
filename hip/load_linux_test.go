package hip_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// The C library stands in for a vendor's: a file that can be opened, and has none of the functions.
func TestVariableOpensALibrary(t *testing.T) {
	fake.Absent(t, &dl.HIP, nowhere(t, "candidate")...)
	t.Setenv(variable, nowhere(t, "first")[0]+":libc.so.6:"+nowhere(t, "third")[0])
	err := hip.Init(0)
	require.ErrorIs(t, err, hip.ErrSymbolNotFound)
	assert.ErrorContains(t, err, "libc.so.6 (of unknown version)")
	assert.Equal(t, "libc.so.6", hip.Path())
	assert.False(t, hip.Has("hipInit"))
	assert.True(t, hip.Has("getpid"))
	assert.NoError(t, hip.Load())
	assert.ErrorIs(t, hip.Load("libm.so.6"), hip.ErrAlreadyLoaded)
}

// A program may choose another library after its first choice failed.
func TestLoadAfterAFailure(t *testing.T) {
	fake.Absent(t, &dl.HIP, nowhere(t, "candidate")...)
	require.ErrorIs(t, hip.Init(0), hip.ErrLibraryNotFound)
	require.NoError(t, hip.Load(nowhere(t, "first")[0], "libc.so.6"))
	assert.Equal(t, "libc.so.6", hip.Path())
	assert.ErrorIs(t, hip.Init(0), hip.ErrSymbolNotFound)
}

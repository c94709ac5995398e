package hip_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/clib"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// bare builds a library that returns its version and does nothing else.
func bare(t *testing.T) (path string) {
	return clib.Library(t, t.TempDir(), "libbare.so",
		"int hipRuntimeGetVersion(int *v) { *v = 60443484; return 0; }")
}

func TestVariableOpensALibrary(t *testing.T) {
	path := bare(t)
	fake.Absent(t, &libs.HIP, nowhere(t, "candidate")...)
	t.Setenv(variable, nowhere(t, "first")[0]+":"+path+":"+nowhere(t, "third")[0])
	err := hip.Init(0)
	require.ErrorIs(t, err, hip.ErrSymbolNotFound)
	assert.ErrorContains(t, err, path+" (HIP 6.4.43484)")
	assert.Equal(t, path, hip.Path())
	assert.False(t, hip.Has("hipInit"))
	assert.True(t, hip.Has("hipRuntimeGetVersion"))
	assert.NoError(t, hip.Load())
	assert.ErrorIs(t, hip.Load("libm.so.6"), hip.ErrAlreadyLoaded)
}

// A program may choose another library after its first choice failed. The C library is there, but
// nobody's choice.
func TestLoadAfterAFailure(t *testing.T) {
	path := bare(t)
	fake.Absent(t, &libs.HIP, nowhere(t, "candidate")...)
	require.ErrorIs(t, hip.Init(0), hip.ErrLibraryNotFound)
	assert.ErrorContains(t, hip.Load("libc.so.6"),
		"libc.so.6: it lacks hipRuntimeGetVersion, so it is no ")
	require.NoError(t, hip.Load(nowhere(t, "first")[0], "libc.so.6", path))
	assert.Equal(t, path, hip.Path())
	assert.ErrorIs(t, hip.Init(0), hip.ErrSymbolNotFound)
}

package cudrv_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// The C library stands in for a vendor's: a file that can be opened, and has none of the functions.
func TestVariableOpensALibrary(t *testing.T) {
	fake.Absent(t, &dl.CUDA, nowhere(t, "candidate")...)
	t.Setenv(variable, nowhere(t, "first")[0]+":libc.so.6:"+nowhere(t, "third")[0])
	err := cudrv.Init(0)
	require.ErrorIs(t, err, cudrv.ErrSymbolNotFound)
	assert.ErrorContains(t, err, "libc.so.6 (of unknown version)")
	assert.Equal(t, "libc.so.6", cudrv.Path())
	assert.False(t, cudrv.Has("cuInit"))
	assert.True(t, cudrv.Has("getpid"))
	assert.NoError(t, cudrv.Load())
	assert.ErrorIs(t, cudrv.Load("libm.so.6"), cudrv.ErrAlreadyLoaded)
}

// A program may choose another library after its first choice failed.
func TestLoadAfterAFailure(t *testing.T) {
	fake.Absent(t, &dl.CUDA, nowhere(t, "candidate")...)
	require.ErrorIs(t, cudrv.Init(0), cudrv.ErrLibraryNotFound)
	require.NoError(t, cudrv.Load(nowhere(t, "first")[0], "libc.so.6"))
	assert.Equal(t, "libc.so.6", cudrv.Path())
	assert.ErrorIs(t, cudrv.Init(0), cudrv.ErrSymbolNotFound)
}

package cudrv_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/clib"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// bare builds a library that returns its version and does nothing else.
func bare(t *testing.T) (path string) {
	return clib.Library(t, t.TempDir(), "libbare.so",
		"int cuDriverGetVersion(int *v) { *v = 12040; return 0; }")
}

func TestVariableOpensALibrary(t *testing.T) {
	path := bare(t)
	fake.Absent(t, &libs.CUDA, nowhere(t, "candidate")...)
	t.Setenv(variable, nowhere(t, "first")[0]+":"+path+":"+nowhere(t, "third")[0])
	err := cudrv.Init(0)
	require.ErrorIs(t, err, cudrv.ErrSymbolNotFound)
	assert.ErrorContains(t, err, path+" (CUDA 12.4)")
	assert.Equal(t, path, cudrv.Path())
	assert.False(t, cudrv.Has("cuInit"))
	assert.True(t, cudrv.Has("cuDriverGetVersion"))
	assert.NoError(t, cudrv.Load())
	assert.ErrorIs(t, cudrv.Load("libm.so.6"), cudrv.ErrAlreadyLoaded)
}

// A program may choose another library after its first choice failed. The C library is there, but
// nobody's choice.
func TestLoadAfterAFailure(t *testing.T) {
	path := bare(t)
	fake.Absent(t, &libs.CUDA, nowhere(t, "candidate")...)
	require.ErrorIs(t, cudrv.Init(0), cudrv.ErrLibraryNotFound)
	assert.ErrorContains(t, cudrv.Load("libc.so.6"),
		"libc.so.6: it lacks cuDriverGetVersion, so it is no ")
	require.NoError(t, cudrv.Load(nowhere(t, "first")[0], "libc.so.6", path))
	assert.Equal(t, path, cudrv.Path())
	assert.ErrorIs(t, cudrv.Init(0), cudrv.ErrSymbolNotFound)
}

package cudrv_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
	"github.com/gpuevent/gpuevent/internal/testing/proof"
)

const variable = "GPUEVENT_CUDA_LIBRARY"

// nowhere are paths at which there is no library.
func nowhere(t *testing.T, names ...string) []string {
	var paths []string
	for _, n := range names {
		p, err := filepath.Abs(filepath.Join("testdata", "nowhere", n))
		require.NoError(t, err)
		paths = append(paths, p)
	}
	return paths
}

func TestWithoutALibraryEveryFunctionSaysWhatWasTried(t *testing.T) {
	paths := nowhere(t, "libcuda.so.1", "wsl/libcuda.so.1", "compat/libcuda.so.1")
	fake.Absent(t, &libs.CUDA, paths...)
	for _, f := range proof.CUDA.Functions {
		nonzero, err := fake.Split(fake.Zero(f.Go))
		require.ErrorIs(t, err, cudrv.ErrLibraryNotFound, f.C)
		assert.Empty(t, nonzero, f.C)
		var e *cudrv.LibraryError
		require.ErrorAs(t, err, &e, f.C)
		require.Len(t, e.Attempts, len(paths), f.C)
		for i, a := range e.Attempts {
			assert.Equal(t, paths[i], a.Path)
			assert.NotEmpty(t, a.Reason)
		}
		assert.Equal(t, "CUDA driver library not found: install the NVIDIA driver, or set "+variable+
			" to the library's path (3 paths tried, see LibraryError.Attempts)", err.Error())
		assert.True(t, cudrv.IsNoDevice(err))
		assert.False(t, cudrv.Has(f.C))
	}
	assert.ErrorIs(t, cudrv.Available(), cudrv.ErrLibraryNotFound)
	_, err := cudrv.DriverVersion()
	assert.ErrorIs(t, err, cudrv.ErrLibraryNotFound)
	assert.ErrorContains(t, err, "query the version of the CUDA driver")
	assert.Empty(t, cudrv.Path())
	assert.Equal(t, "2.0", cudrv.Since("cuEventCreate"), "no library is needed")

	entered := false
	err = cudrv.Context(1).Do(func() error { entered = true; return nil })
	assert.ErrorIs(t, err, cudrv.ErrLibraryNotFound)
	assert.False(t, entered)
}

func TestEnvironmentChoosesTheLibrary(t *testing.T) {
	candidates, chosen := nowhere(t, "candidate"), nowhere(t, "a", "b")
	fake.Absent(t, &libs.CUDA, candidates...)
	t.Setenv(variable, chosen[0]+string(filepath.ListSeparator)+chosen[1])
	err := cudrv.Init(0)
	var e *cudrv.LibraryError
	require.ErrorAs(t, err, &e)
	require.Len(t, e.Attempts, 2)
	assert.Equal(t, chosen, []string{e.Attempts[0].Path, e.Attempts[1].Path})
	assert.Equal(t, variable, e.Source)
	assert.ErrorContains(t, err,
		"(only "+variable+" searched; 2 paths tried, see LibraryError.Attempts)")

	given := nowhere(t, "given")
	require.ErrorAs(t, cudrv.Load(given...), &e)
	require.Len(t, e.Attempts, 1)
	assert.Equal(t, given[0], e.Attempts[0].Path, "a path from the program comes before the variable")

	t.Setenv(variable, "")
	require.ErrorAs(t, cudrv.Init(0), &e)
	assert.Equal(t, given[0], e.Attempts[0].Path, "a call does not search again")
	require.ErrorAs(t, cudrv.Load(), &e)
	assert.Equal(t, candidates[0], e.Attempts[0].Path, "Load does")
}

func TestLoadKeepsWhatServes(t *testing.T) {
	t.Parallel()
	fake.CUDA(t, "12.4").Install(t, &libs.CUDA)
	assert.Equal(t, "fake cuda 12.4", cudrv.Path())
	assert.NoError(t, cudrv.Load())
	assert.NoError(t, cudrv.Load("fake cuda 12.4"))
	err := cudrv.Load("/another/libcuda.so.1")
	assert.ErrorIs(t, err, cudrv.ErrAlreadyLoaded)
	assert.ErrorContains(t, err, "fake cuda 12.4")
	assert.ErrorContains(t, err, "/another/libcuda.so.1")
}

func TestAvailable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		init, count int32
		devices     int32
		want        error
		noDevice    bool
	}{
		"two devices":         {0, 0, 2, nil, false},
		"none, Init says so":  {100, 3, 0, cudrv.ErrNoDevice, true},
		"none, count says so": {0, 100, 0, cudrv.ErrNoDevice, true},
		"none, count is 0":    {0, 0, 0, cudrv.ErrNoDevice, true},
		"broken driver":       {803, 3, 0, cudrv.ErrSystemDriverMismatch, false},
		"wrong number":        {0, 101, 0, cudrv.ErrInvalidDevice, false},
		"not initialized":     {3, 3, 0, cudrv.ErrNotInitialized, false},
	} {
		t.Run(name, func(t *testing.T) {
			lib := fake.CUDA(t, "12.4").Install(t, &libs.CUDA)
			lib.Handle("cuInit", func(fake.Args) int32 { return c.init })
			lib.Handle("cuDeviceGetCount", func(a fake.Args) int32 { a.Put32(0, c.devices); return c.count })
			err := cudrv.Available()
			if c.want == nil {
				assert.NoError(t, err)
			} else {
				assert.ErrorIs(t, err, c.want)
			}
			assert.Equal(t, c.noDevice, cudrv.IsNoDevice(err))
			assert.Equal(t, c.noDevice, cudrv.IsNoDevice(fmt.Errorf("wrapped: %w", err)))
		})
	}
	assert.False(t, cudrv.IsNoDevice(nil))
}

func TestDriverVersion(t *testing.T) {
	t.Parallel()
	lib := fake.CUDA(t, "12.4").Install(t, &libs.CUDA)
	v, err := cudrv.DriverVersion()
	require.NoError(t, err)
	assert.Equal(t, cudrv.Version(12040), v)
	lib.Handle("cuDriverGetVersion", func(fake.Args) int32 { return 1 })
	restore := libs.CUDA.Install("again", lib.Table())
	defer restore()
	_, err = cudrv.DriverVersion()
	assert.ErrorIs(t, err, cudrv.ErrInvalidValue)
}

func TestVersion(t *testing.T) {
	t.Parallel()
	for v, want := range map[cudrv.Version]struct {
		text         string
		major, minor int
	}{11080: {"11.8", 11, 8}, 12040: {"12.4", 12, 4}, 13000: {"13.0", 13, 0}, 13120: {"13.12", 13, 12},
		0: {"0.0", 0, 0}} {
		assert.Equal(t, want.text, v.String())
		assert.Equal(t, want.major, v.Major())
		assert.Equal(t, want.minor, v.Minor())
		assert.True(t, v.AtLeast(want.major, want.minor))
		assert.False(t, v.AtLeast(want.major, want.minor+1))
		assert.False(t, v.AtLeast(want.major+1, 0))
	}
	assert.True(t, cudrv.Version(13000).AtLeast(12, 8))
}

// The search of this very machine: it finds a library in one of the places, or says of each why
// not.
func TestSearchOfThisMachine(t *testing.T) {
	candidates := libs.CUDA.Candidates()
	fake.Absent(t, &libs.CUDA, candidates...)
	err := cudrv.Load()
	if err == nil {
		assert.Contains(t, candidates, cudrv.Path())
		return
	}
	require.ErrorIs(t, err, cudrv.ErrLibraryNotFound)
	var e *cudrv.LibraryError
	require.ErrorAs(t, err, &e)
	for i, c := range candidates {
		assert.Equal(t, c, e.Attempts[i].Path)
		assert.NotEmpty(t, e.Attempts[i].Reason)
	}
	assert.Less(t, len(err.Error()), 200, "one short sentence: %v", err)
}

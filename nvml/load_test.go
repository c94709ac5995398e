package nvml_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
	"github.com/gpuevent/gpuevent/internal/testing/proof"
	"github.com/gpuevent/gpuevent/nvml"
)

const variable = "GPUEVENT_NVML_LIBRARY"

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
	paths := nowhere(t, "libnvidia-ml.so.1", "nvidia/libnvidia-ml.so.1")
	fake.Absent(t, &libs.NVML, paths...)
	for _, f := range proof.NVML.Functions {
		nonzero, err := fake.Split(fake.Zero(f.Go))
		require.ErrorIs(t, err, nvml.ErrLibraryNotFound, f.C)
		assert.Empty(t, nonzero, f.C)
		var e *nvml.LibraryError
		require.ErrorAs(t, err, &e, f.C)
		require.Len(t, e.Attempts, len(paths), f.C)
		for i, a := range e.Attempts {
			assert.Equal(t, paths[i], a.Path)
			assert.NotEmpty(t, a.Reason)
		}
		assert.True(t, nvml.IsNoDevice(err))
		assert.False(t, nvml.Has(f.C))
	}
	assert.EqualError(t, nvml.Init(), "NVIDIA Management Library not found: install the NVIDIA "+
		"driver, which brings it, or set "+variable+" to the library's path (2 paths tried, see "+
		"LibraryError.Attempts)")
	assert.ErrorIs(t, nvml.Available(), nvml.ErrLibraryNotFound)
	assert.Empty(t, nvml.Path())
	assert.Equal(t, "11.7 or earlier", nvml.Since("nvmlInit_v2"), "no library is needed")
	assert.Equal(t, "13.5", nvml.Since("nvmlDeviceGetGpuUptime_v1"))
	assert.Empty(t, nvml.Since("nvmlNoSuchFunction"))
}

func TestEnvironmentChoosesTheLibrary(t *testing.T) {
	candidates, chosen := nowhere(t, "candidate"), nowhere(t, "a", "b")
	fake.Absent(t, &libs.NVML, candidates...)
	t.Setenv(variable, chosen[0]+string(filepath.ListSeparator)+chosen[1])
	var e *nvml.LibraryError
	require.ErrorAs(t, nvml.Init(), &e)
	require.Len(t, e.Attempts, 2)
	assert.Equal(t, chosen, []string{e.Attempts[0].Path, e.Attempts[1].Path})
	assert.Equal(t, variable, e.Source)

	given := nowhere(t, "given")
	require.ErrorAs(t, nvml.Load(given...), &e)
	require.Len(t, e.Attempts, 1)
	assert.Equal(t, given[0], e.Attempts[0].Path, "a path from the program comes before the variable")

	t.Setenv(variable, "")
	require.ErrorAs(t, nvml.Load(), &e)
	assert.Equal(t, candidates[0], e.Attempts[0].Path)
}

func TestLoadKeepsWhatServes(t *testing.T) {
	t.Parallel()
	install(t, "12.4")
	assert.Equal(t, "fake nvml 12.4", nvml.Path())
	assert.NoError(t, nvml.Load())
	err := nvml.Load("/another/libnvidia-ml.so.1")
	assert.ErrorIs(t, err, nvml.ErrAlreadyLoaded)
	assert.ErrorContains(t, err, "fake nvml 12.4")
}

func TestAvailable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		init, count int32 // results
		devices     int32
		shutdown    int32
		want        error
		noDevice    bool
	}{
		"two devices":            {0, 0, 2, 0, nil, false},
		"none":                   {0, 0, 0, 0, nvml.ErrGpuNotFound, true},
		"no driver":              {9, 0, 0, 0, nvml.ErrDriverNotLoaded, true},
		"no GPU, newer drivers":  {28, 0, 0, 0, nvml.ErrGpuNotFound, true},
		"driver was updated":     {18, 0, 0, 0, nvml.ErrLibRmVersionMismatch, false},
		"no count":               {0, 999, 0, 1, nvml.ErrUnknown, false},
		"it can't be shut down":  {0, 0, 1, 999, nvml.ErrUnknown, false},
		"a code of tomorrow":     {4321, 0, 0, 0, nvml.Result(4321), false},
		"blocked in a container": {17, 0, 0, 0, nvml.ErrOperatingSystem, false},
	} {
		t.Run(name, func(t *testing.T) {
			lib := install(t, "12.4")
			opened := 0
			lib.Handle("nvmlInit_v2", func(fake.Args) int32 {
				if c.init == 0 {
					opened++
				}
				return c.init
			})
			lib.Handle("nvmlShutdown", func(fake.Args) int32 { opened--; return c.shutdown })
			lib.Handle("nvmlDeviceGetCount_v2", func(a fake.Args) int32 {
				a.Put32(0, c.devices)
				return c.count
			})
			err := nvml.Available()
			if c.want == nil {
				assert.NoError(t, err)
			} else {
				assert.ErrorIs(t, err, c.want)
			}
			assert.Equal(t, c.noDevice, nvml.IsNoDevice(err))
			assert.Zero(t, opened, "each Init has its Shutdown")
		})
	}
}

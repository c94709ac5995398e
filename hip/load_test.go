package hip_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
	"github.com/gpuevent/gpuevent/internal/testing/proof"
)

const variable = "GPUEVENT_HIP_LIBRARY"

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
	paths := nowhere(t, "libamdhip64.so.7", "rocm/libamdhip64.so.7", "core/libamdhip64.so.7")
	fake.Absent(t, &libs.HIP, paths...)
	for _, f := range proof.HIP.Functions {
		nonzero, err := fake.Split(fake.Zero(f.Go))
		require.ErrorIs(t, err, hip.ErrLibraryNotFound, f.C)
		assert.Empty(t, nonzero, f.C)
		var e *hip.LibraryError
		require.ErrorAs(t, err, &e, f.C)
		require.Len(t, e.Attempts, len(paths), f.C)
		for i, a := range e.Attempts {
			assert.Equal(t, paths[i], a.Path)
			assert.NotEmpty(t, a.Reason)
		}
		assert.Equal(
			t,
			"HIP runtime library not found: install the ROCm runtime (amdhip64), or set "+variable+
				" to the library's path (3 paths tried, see LibraryError.Attempts)",
			err.Error(),
		)
		assert.True(t, hip.IsNoDevice(err))
		assert.False(t, hip.Has(f.C))
	}
	assert.ErrorIs(t, hip.Available(), hip.ErrLibraryNotFound)
	_, err := hip.DriverVersion()
	assert.ErrorIs(t, err, hip.ErrLibraryNotFound)
	assert.ErrorContains(t, err, "query the driver version of the HIP library")
	assert.Empty(t, hip.Path())
	assert.Equal(t, "5.2.3 or earlier", hip.Since("hipEventCreate"), "no library is needed")

	entered := false
	_, err = hip.RuntimeVersion()
	assert.ErrorIs(t, err, hip.ErrLibraryNotFound)
	err = hip.Device(1).Do(func() error { entered = true; return nil })
	assert.ErrorIs(t, err, hip.ErrLibraryNotFound)
	assert.False(t, entered)
}

func TestEnvironmentChoosesTheLibrary(t *testing.T) {
	candidates, chosen := nowhere(t, "candidate"), nowhere(t, "a", "b")
	fake.Absent(t, &libs.HIP, candidates...)
	t.Setenv(variable, chosen[0]+string(filepath.ListSeparator)+chosen[1])
	err := hip.Init(0)
	var e *hip.LibraryError
	require.ErrorAs(t, err, &e)
	require.Len(t, e.Attempts, 2)
	assert.Equal(t, chosen, []string{e.Attempts[0].Path, e.Attempts[1].Path})
	assert.Equal(t, variable, e.Source)
	assert.ErrorContains(t, err,
		"(only "+variable+" searched; 2 paths tried, see LibraryError.Attempts)")

	given := nowhere(t, "given")
	require.ErrorAs(t, hip.Load(given...), &e)
	require.Len(t, e.Attempts, 1)
	assert.Equal(t, given[0], e.Attempts[0].Path, "a path from the program comes before the variable")

	t.Setenv(variable, "")
	require.ErrorAs(t, hip.Init(0), &e)
	assert.Equal(t, given[0], e.Attempts[0].Path, "a call does not search again")
	require.ErrorAs(t, hip.Load(), &e)
	assert.Equal(t, candidates[0], e.Attempts[0].Path, "Load does")
}

func TestLoadKeepsWhatServes(t *testing.T) {
	t.Parallel()
	install(t, "6.4")
	assert.Equal(t, "fake hip 6.4", hip.Path())
	assert.NoError(t, hip.Load())
	assert.NoError(t, hip.Load("fake hip 6.4"))
	err := hip.Load("/another/libamdhip64.so.7")
	assert.ErrorIs(t, err, hip.ErrAlreadyLoaded)
	assert.ErrorContains(t, err, "fake hip 6.4")
	assert.ErrorContains(t, err, "/another/libamdhip64.so.7")
}

// Runtimes disagree on the code for a machine without a GPU.
func TestAvailable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code     int32
		devices  int32
		want     error
		noDevice bool
	}{
		"two devices":        {0, 2, nil, false},
		"none":               {100, 0, hip.ErrNoDevice, true},
		"none, ROCm 5":       {101, 0, hip.ErrInvalidDevice, true},
		"none, chipStar":     {3, 0, hip.ErrNotInitialized, true},
		"none, count is 0":   {0, 0, hip.ErrNoDevice, true},
		"out of memory":      {2, 0, hip.ErrOutOfMemory, false},
		"a code of tomorrow": {4321, 0, hip.Result(4321), false},
	} {
		t.Run(name, func(t *testing.T) {
			lib := install(t, "6.4")
			lib.Handle("hipGetDeviceCount", func(a fake.Args) int32 { a.Put32(0, c.devices); return c.code })
			err := hip.Available()
			if c.want == nil {
				assert.NoError(t, err)
			} else {
				assert.ErrorIs(t, err, c.want)
			}
			assert.Equal(t, c.noDevice, hip.IsNoDevice(err))
			assert.Equal(t, c.noDevice, hip.IsNoDevice(fmt.Errorf("wrapped: %w", err)))
		})
	}
	assert.False(t, hip.IsNoDevice(nil))
}

func TestVersionOfTheLibrary(t *testing.T) {
	t.Parallel()
	lib := install(t, "6.4")
	v, err := hip.DriverVersion()
	require.NoError(t, err)
	assert.Equal(t, hip.Version(60443484), v)
	v, err = hip.RuntimeVersion()
	require.NoError(t, err)
	assert.Equal(t, hip.Version(60443484), v)

	failing := func(fake.Args) int32 { return 1 }
	lib.Handle("hipDriverGetVersion", failing)
	lib.Handle("hipRuntimeGetVersion", failing)
	restore := libs.HIP.Install("again", lib.Table())
	defer restore()
	_, err = hip.DriverVersion()
	assert.ErrorIs(t, err, hip.ErrInvalidValue)
	assert.ErrorContains(t, err, "driver version")
	_, err = hip.RuntimeVersion()
	assert.ErrorIs(t, err, hip.ErrInvalidValue)
	assert.ErrorContains(t, err, "runtime version")
}

func TestVersion(t *testing.T) {
	t.Parallel()
	for v, want := range map[hip.Version]struct {
		text         string
		major, minor int
	}{50221153: {"5.2.21153", 5, 2}, 60443484: {"6.4.43484", 6, 4}, 70253211: {"7.2.53211", 7, 2},
		100200001: {"10.2.1", 10, 2}} {
		assert.Equal(t, want.text, v.String())
		assert.Equal(t, want.major, v.Major())
		assert.Equal(t, want.minor, v.Minor())
		assert.True(t, v.AtLeast(want.major, want.minor))
		assert.False(t, v.AtLeast(want.major, want.minor+1))
		assert.False(t, v.AtLeast(want.major+1, 0))
	}
	assert.True(t, hip.Version(100200001).AtLeast(7, 14))
}

// The search of this very machine: it finds a library in one of the places, or says of each why
// not.
func TestSearchOfThisMachine(t *testing.T) {
	candidates := libs.HIP.Candidates()
	fake.Absent(t, &libs.HIP, candidates...)
	err := hip.Load()
	if err == nil {
		assert.Contains(t, candidates, hip.Path())
		return
	}
	require.ErrorIs(t, err, hip.ErrLibraryNotFound)
	var e *hip.LibraryError
	require.ErrorAs(t, err, &e)
	for i, c := range candidates {
		assert.Equal(t, c, e.Attempts[i].Path)
		assert.NotEmpty(t, e.Attempts[i].Reason)
	}
	assert.Less(t, len(err.Error()), 200, "one short sentence: %v", err)
}

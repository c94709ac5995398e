package amdsmi_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/amdsmi"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
	"github.com/gpuevent/gpuevent/internal/testing/proof"
)

const variable = "GPUEVENT_AMDSMI_LIBRARY"

// nowhere is a path at which there is no library.
func nowhere(t *testing.T, name string) string {
	path, err := filepath.Abs(filepath.Join("testdata", "nowhere", name))
	require.NoError(t, err)
	return path
}

func TestWithoutALibraryEveryFunctionSaysWhatWasTried(t *testing.T) {
	paths := []string{nowhere(t, "libamd_smi.so.27"), nowhere(t, "rocm/libamd_smi.so.27")}
	fake.Absent(t, &libs.AMDSMI, paths...)
	for _, f := range proof.AMDSMI.Functions {
		nonzero, err := fake.Split(fake.Zero(f.Go))
		require.ErrorIs(t, err, amdsmi.ErrLibraryNotFound, f.C)
		assert.Empty(t, nonzero, f.C)
		var e *amdsmi.LibraryError
		require.ErrorAs(t, err, &e, f.C)
		require.Len(t, e.Attempts, 2, f.C)
		assert.Equal(t, paths, []string{e.Attempts[0].Path, e.Attempts[1].Path}, f.C)
		assert.Equal(t, "AMD SMI library not found: install amd-smi-lib of ROCm, or set "+variable+
			" to the library's path (2 paths tried, see LibraryError.Attempts)", err.Error())
		assert.False(t, amdsmi.Has(f.C))
	}
	assert.Empty(t, amdsmi.Path())
	assert.Equal(t, "24.5.2 or earlier", amdsmi.Since("amdsmi_init"), "no library is needed")
	assert.Equal(t, "after 24.5.2, by 27.1 (ROCm 10.1)", amdsmi.Since("amdsmi_get_tray_info"))
}

// The newest library comes first, and the toolkit that the user names before those of the system.
func TestOrderOfTheSearch(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is a library for Linux only")
	}
	t.Setenv("ROCM_PATH", "/srv/rocm")
	var names []string
	for _, c := range libs.AMDSMI.Candidates() {
		if filepath.Dir(c) == "/srv/rocm/lib" {
			names = append(names, filepath.Base(c))
		}
	}
	assert.Equal(t, []string{"libamd_smi.so.27", "libamd_smi.so.26", "libamd_smi.so.25",
		"libamd_smi.so.24", "libamd_smi.so.0", "libamd_smi.so"}, names)
	assert.Equal(t, "/srv/rocm/lib/libamd_smi.so.27", libs.AMDSMI.Candidates()[0])
}

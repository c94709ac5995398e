package libs_test

import (
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/libs"
)

func TestLibrariesSearchSomewhere(t *testing.T) {
	t.Parallel()
	for _, l := range []*dl.Library{&libs.CUDA, &libs.HIP} {
		assert.NotContains(t, l.Search.Linux.Names, "libcuda.so", "the bare name can be the linker stub")
		for _, p := range []dl.Places{l.Search.Linux, l.Search.Windows} {
			assert.NotEmpty(t, p.Names, l.Name)
			assert.NotEmpty(t, p.Folders, l.Name)
		}
		assert.NotContains(t, l.Search.Windows.Folders, "",
			"Windows would open a DLL in the current folder")
	}
}

func TestVersionSpelling(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "12.4", libs.CUDA.Version.Text(12040))
	assert.Equal(t, "11.8", libs.CUDA.Version.Text(11080))
	assert.Equal(t, "13.0", libs.CUDA.Version.Text(13000))
	assert.Equal(t, "6.4.43484", libs.HIP.Version.Text(60443484))
	assert.Equal(t, "5.2.21153", libs.HIP.Version.Text(50221153))
}

// The toolkit that the user names comes before the virtual environment's, and that before those of
// the system, of which the newest comes first.
func TestOrderOfTheSearch(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the folders are those of Linux")
	}
	t.Setenv("ROCM_PATH", "/srv/rocm")
	t.Setenv("HIP_PATH", "")
	t.Setenv("VIRTUAL_ENV", "/srv/venv")
	c := libs.HIP.Candidates()
	var at []int
	for _, path := range []string{"/srv/rocm/lib/libamdhip64.so.8", "/srv/rocm/lib/libamdhip64.so.7",
		filepath.Join("/srv/venv/lib/python3*/site-packages/_rocm_sdk_core/lib/libamdhip64.so.8"),
		"libamdhip64.so.8", "/opt/rocm/lib/libamdhip64.so.8", "/opt/rocm/core/lib/libamdhip64.so.8",
		"/usr/lib64/libamdhip64.so"} {
		i := slices.Index(c, path)
		assert.GreaterOrEqual(t, i, 0, path)
		at = append(at, i)
	}
	assert.IsIncreasing(t, at)
}

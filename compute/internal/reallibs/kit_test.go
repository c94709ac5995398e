package reallibs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute/internal/compiler"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

func init() { tasks["kit"] = testKitKernels }

// kitKernels are sources that the GPU kit carries.
var kitKernels = []string{"tools/gpukit/bench/kernels.hip",
	"internal/testing/computesoak/kernels.hip"}

// TestKitKernels compiles them with each hipRTC: on a machine with a GPU nobody is there to mend
// them.
func TestKitKernels(t *testing.T) {
	for _, l := range compilers(t) {
		if l.API != "hiprtc" {
			continue
		}
		var targets []string
		require.NoError(t, run(t, l, program(t, l), "kit", t.TempDir(), &targets))
		assert.NotEmpty(t, targets)
	}
}

func testKitKernels(t *testing.T) {
	root, err := fake.Root()
	require.NoError(t, err)
	targets := []string{"gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100"}
	for _, file := range kitKernels {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		require.NoError(t, err)
		for _, target := range targets {
			r, err := compiler.HIP(t.Context(), compiler.Request{Text: string(text), Target: target})
			require.NoError(t, err, "%s for %s", file, target)
			assert.Empty(t, r.Log, "%s for %s", file, target)
		}
	}
	tell(t, targets)
}

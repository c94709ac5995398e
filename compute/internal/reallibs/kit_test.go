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

// TestKitKernels compiles the kernels of the GPU kit's measurements, tools/gpukit/peers, with each
// hipRTC: on a machine with a GPU nobody is there to mend them.
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
	text, err := os.ReadFile(filepath.Join(root, "tools", "gpukit", "peers", "files", "kernels.hip"))
	require.NoError(t, err)
	targets := []string{"gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100"}
	for _, target := range targets {
		r, err := compiler.HIP(t.Context(), compiler.Request{Text: string(text), Target: target})
		require.NoError(t, err, target)
		assert.Empty(t, r.Log, target)
	}
	tell(t, targets)
}

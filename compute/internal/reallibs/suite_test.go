package reallibs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event/eventtest"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

func init() { tasks["suite"] = testSuiteKernels }

// TestSuiteKernels wants the PTX that the conformance suite uses where NVRTC is not installed to be
// what NVRTC 11.8 makes of its kernels. Later drivers take it too.
func TestSuiteKernels(t *testing.T) {
	for _, l := range compilers(t) {
		if l.API != "nvrtc" || l.Version != "11.8" {
			continue
		}
		var made string
		require.NoError(t, run(t, l, program(t, l), "suite", t.TempDir(), &made))
		root, err := fake.Root()
		require.NoError(t, err)
		text, err := os.ReadFile(filepath.Join(root, "event", "eventtest", "testdata", "kernels.ptx"))
		require.NoError(t, err)
		assert.Equal(t, strings.ReplaceAll(string(text), "\r\n", "\n"), strings.TrimRight(made, "\x00"))
	}
}

func testSuiteKernels(t *testing.T) {
	made, err := compute.CompileFor(t.Context(), "compute_52", eventtest.KernelSource,
		compute.WithoutCache())
	require.NoError(t, err)
	tell(t, string(made.Code))
}

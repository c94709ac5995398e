package peers_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/tools/gpukit/peers"
)

// simulator builds the simulator as a vendor's library, and returns the folder that it is in.
func simulator(t *testing.T, profile string) string {
	if testing.Short() {
		t.Skip("builds the simulator as a library")
	}
	tool(t, "cc")
	root := filepath.Join("..", "..", "..")
	dir := t.TempDir()
	cmd := exec.Command("go", "run", "./tools/simlib", "-o", dir, "-only", profile)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return filepath.Join(dir, profile)
}

// TestTwinOnSimulator runs the C program with the simulator as its driver.
func TestTwinOnSimulator(t *testing.T) {
	dir := kit(t)
	twin := filepath.Join(dir, "twin")
	build(t, "-O2", "-o", twin, filepath.Join(dir, peers.Twin), "-ldl")
	for _, c := range []struct {
		profile, device, kernels string
		leftOut                  []string
	}{
		{"cuda-13.5", "cuda:1", peers.KernelsPTX, nil},
		{"hip-7.2", "hip:0", peers.KernelsHIP, needKernels}, // there is no simulated hipRTC
	} {
		t.Run(c.profile, func(t *testing.T) {
			r := start(t, dir, []string{"LD_LIBRARY_PATH=" + simulator(t, c.profile),
				"GPUEVENT_HIPRTC_LIBRARY=/none"}, twin, "-device", c.device,
				"-kernels", filepath.Join(dir, c.kernels), "-runs", "3", "-time", "1m")
			assert.Equal(t, 0, r.code, r.stderr)
			r.check(t, c.device, "C", 3, c.leftOut...)
		})
	}
}

// TestScriptOnSimulator runs cuda.core, where it is installed, with the simulator as its driver.
func TestScriptOnSimulator(t *testing.T) {
	python := tool(t, "python3")
	if out, err := exec.Command(python, "-c", "import cuda.core").CombinedOutput(); err != nil {
		t.Skipf("python3 has no cuda.core: %s", out)
	}
	dir := kit(t)
	r := start(t, dir, []string{"LD_LIBRARY_PATH=" + simulator(t, "cuda-13.5")}, python,
		filepath.Join(dir, peers.Script), "-device", "cuda:0",
		"-kernels", filepath.Join(dir, peers.KernelsPTX), "-runs", "3", "-time", "1m")
	assert.Equal(t, 0, r.code, r.stderr)
	r.check(t, "cuda:0", "cuda-core", 3, coreLacks...)
}

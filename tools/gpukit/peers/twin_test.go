package peers_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/tools/gpukit/peers"
)

// needKernels are the operations that launch.
var needKernels = []string{"query pending", "stream wait", "launch 0 arguments",
	"launch 4 arguments", "launch 8 arguments", "graph launch 10 nodes", "wake-up after 0.05 ms",
	"wake-up after 0.5 ms", "wake-up after 5 ms"}

// TestTwin compiles the C program and runs it with a driver whose work is time.
func TestTwin(t *testing.T) {
	dir := kit(t)
	twin, driver := filepath.Join(dir, "twin"), filepath.Join(dir, "driver.so")
	build(t, "-std=c99", "-Wall", "-Wextra", "-O2", "-o", twin, filepath.Join(dir, peers.Twin),
		"-ldl")
	build(t, "-Wall", "-Wextra", "-O2", "-shared", "-fPIC", "-o", driver,
		filepath.Join("testdata", "driver.c"))
	libraries := []string{"GPUEVENT_CUDA_LIBRARY=" + driver, "GPUEVENT_HIP_LIBRARY=" + driver,
		"GPUEVENT_HIPRTC_LIBRARY=" + driver}
	run := func(t *testing.T, device string, env []string, more ...string) result {
		kernels := peers.KernelsPTX
		if strings.HasPrefix(device, "hip") {
			kernels = peers.KernelsHIP
		}
		return start(t, dir, append(libraries, env...), twin, append([]string{"-device", device,
			"-kernels", filepath.Join(dir, kernels), "-runs", "3", "-time", "1m"}, more...)...)
	}
	for _, c := range []struct {
		name, device string
		env, args    []string
		leftOut      []string
	}{
		{name: "NVIDIA", device: "cuda:0"},
		{name: "AMD", device: "hip:1"},
		{name: "no pools", device: "cuda:0", env: []string{"FAKE_LACKS=cuMemAllocAsync"},
			leftOut: []string{"alloc+free in stream order"}},
		{name: "no compiler", device: "hip:0", env: []string{"GPUEVENT_HIPRTC_LIBRARY=/none"},
			leftOut: needKernels},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := run(t, c.device, c.env, c.args...)
			assert.Equal(t, 0, r.code, r.stderr)
			r.check(t, c.device, "C", 3, c.leftOut...)
		})
	}
	for _, c := range []struct {
		name, device string
		env, args    []string
		code         int
		says         string
	}{
		{name: "no device", device: "cuda:0", env: []string{"FAKE_NONE=1"}, code: 3,
			says: "finds no device"},
		{name: "no such device", device: "cuda:7", code: 3, says: "cuda:7 is not available"},
		{name: "no such AMD device", device: "hip:7", code: 3, says: "hip:7 is not available"},
		{name: "no library", device: "cuda:0", env: []string{"GPUEVENT_CUDA_LIBRARY=/none"},
			code: 3, says: "/none"},
		{name: "the host", device: "host", code: 3, says: "no device of a C driver"},
		{name: "a failing call", device: "cuda:0", env: []string{"FAKE_FAIL=cuEventQuery"}, code: 1,
			says: "returned 999"},
		{name: "a failing call of AMD's", device: "hip:0", env: []string{"FAKE_FAIL=cuLaunchKernel"},
			code: 1, says: "hip:0"},
		{name: "a wrong copy", device: "cuda:0", env: []string{"FAKE_SPOILS=1"}, code: 1,
			says: "copy 4 KiB pinned: what was copied there and back is not the same"},
		{name: "a bad time", device: "cuda:0", args: []string{"-time", "soon"}, code: 1,
			says: "-time"},
		{name: "an unknown flag", device: "cuda:0", args: []string{"-fast", "1"}, code: 1,
			says: "-fast"},
		{name: "no kernels", device: "cuda:0", args: []string{"-kernels", "/none"}, code: 1,
			says: "/none can't be opened"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, t.TempDir(), append(libraries, c.env...), twin,
				append([]string{"-device", c.device, "-kernels", filepath.Join(dir, peers.KernelsPTX),
					"-runs", "3"}, c.args...)...)
			assert.Equal(t, c.code, r.code, r.stderr)
			assert.Contains(t, r.last(), c.says)
		})
	}
	t.Run("a call that hangs", func(t *testing.T) {
		if testing.Short() {
			t.Skip("takes the seconds that the program waits")
		}
		r := run(t, "cuda:0", []string{"FAKE_HANGS=1"}, "-time", "100ms")
		assert.Equal(t, 1, r.code)
		assert.Contains(t, r.last(), "did not end in time")
	})
}

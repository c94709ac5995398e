package peers_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/tools/gpukit/peers"
)

// What each package has no means for.
var (
	coreLacks = []string{"alloc+free", "copy 4 KiB pageable", "copy 1 MiB pageable",
		"copy 64 MiB pageable"}
	torchLacks = []string{"launch 0 arguments", "launch 4 arguments", "launch 8 arguments",
		"alloc+free"}
)

// TestScript runs the Python script with stubs of the packages, whose GPU's work is time.
func TestScript(t *testing.T) {
	python := tool(t, "python3")
	dir := kit(t)
	stubs, err := filepath.Abs(filepath.Join("testdata", "stubs"))
	require.NoError(t, err)
	// run has the named packages on the path, and no others.
	run := func(t *testing.T, device string, packages, env []string, more ...string) result {
		path := []string{filepath.Join(stubs, "common")}
		for _, p := range packages {
			path = append(path, filepath.Join(stubs, p))
		}
		kernels := peers.KernelsPTX
		if strings.HasPrefix(device, "hip") {
			kernels = peers.KernelsHIP
		}
		env = append(env, "PYTHONPATH="+strings.Join(path, string(os.PathListSeparator)),
			"PYTHONDONTWRITEBYTECODE=1")
		return start(t, t.TempDir(), env, python, append([]string{"-S", filepath.Join(dir, peers.Script),
			"-device", device, "-kernels", filepath.Join(dir, kernels), "-runs", "3", "-time", "1m"},
			more...)...)
	}
	all := []string{"cuda-core", "torch", "cupy"}
	const some = "^record$|elapsed|launch|4 KiB|0.5 ms"

	t.Run("all", func(t *testing.T) {
		t.Parallel()
		only := ""
		if testing.Short() {
			only = "^[^6]*$" // not the copies of 64 MiB
		}
		r := run(t, "cuda:1", all, nil, "-only", only)
		assert.Equal(t, 0, r.code, r.stderr)
		r.checkOnly(t, only, "cuda:1", "cuda-core", 3, coreLacks...)
		r.checkOnly(t, only, "cuda:1", "torch", 3, torchLacks...)
		r.checkOnly(t, only, "cuda:1", "cupy", 3)
	})
	t.Run("AMD", func(t *testing.T) {
		t.Parallel()
		r := run(t, "hip:0", all, []string{"STUB_HIP=1"}, "-only", some)
		assert.Equal(t, 0, r.code, r.stderr)
		r.checkOnly(t, some, "hip:0", "torch", 3, torchLacks...)
		r.checkOnly(t, some, "hip:0", "cupy", 3)
		assert.Contains(t, r.stdout, "left out on hip:0: cuda-core: it has NVIDIA's devices only")
	})
	t.Run("one of them", func(t *testing.T) {
		t.Parallel()
		r := run(t, "cuda:0", []string{"torch"}, nil, "-only", some)
		assert.Equal(t, 0, r.code, r.stderr)
		r.checkOnly(t, some, "cuda:0", "torch", 3, torchLacks...)
		assert.Contains(t, r.stdout, "left out on cuda:0: cupy: No module named 'cupy'")
	})
	for _, c := range []struct {
		name, device string
		packages     []string
		env, args    []string
		code         int
		says         string
	}{
		{name: "none", device: "cuda:0", code: 3, says: "torch: No module named 'torch'"},
		{name: "none with a device", device: "cuda:0", packages: []string{"torch"},
			env: []string{"STUB_NONE=1"}, code: 3, says: "torch: it finds no device"},
		{name: "none of the vendor", device: "hip:0", packages: all, code: 3,
			says: "torch: it is built for the other vendor"},
		{name: "no such device", device: "cuda:5", packages: all, code: 3,
			says: "torch: it finds 2 devices"},
		{name: "the host", device: "host", packages: all, code: 3, says: "host is no device"},
		{name: "a wrong copy", device: "cuda:0", packages: []string{"torch"},
			env: []string{"STUB_SPOILS=1"}, args: []string{"-only", "^record$|4 KiB"}, code: 1,
			says: "copy 4 KiB pinned, torch: Wrong: what was copied there and back"},
		{name: "a failing call", device: "cuda:0", packages: all, env: []string{"STUB_FAIL=wait"},
			args: []string{"-only", "^record$|stream wait"}, code: 1,
			says: "stream wait, cupy: RuntimeError: wait failed"},
		{name: "not supported", device: "cuda:0", packages: all, env: []string{"STUB_LACKS=wait"},
			args: []string{"-only", "^record$|stream wait"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, c.device, c.packages, c.env, c.args...)
			assert.Equal(t, c.code, r.code, r.stderr)
			assert.Contains(t, r.last(), c.says)
			if c.code == 3 {
				assert.Empty(t, r.figures)
				return
			}
			assert.NotEmpty(t, r.figures, "what succeeds is kept")
		})
	}
}

// TestScriptRefuses wants flags that make no sense to be refused.
func TestScriptRefuses(t *testing.T) {
	t.Parallel()
	python := tool(t, "python3")
	dir := kit(t)
	for _, args := range [][]string{
		{"-kernels", "x", "-time", "soon"},
		{"-kernels", "x", "-fast"},
		{"-device", "cuda:0"},
	} {
		r := start(t, dir, nil, python, append([]string{"-S", filepath.Join(dir, peers.Script)},
			args...)...)
		assert.Equal(t, 2, r.code, "%v: %s", args, r.stderr)
	}
}

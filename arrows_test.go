package gpuevent_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// layers are the packages of the module from top to bottom. A package imports packages of lower
// layers only. "..." stands for everything below a folder that no other entry names.
var layers = [][]string{
	{"examples/..."},
	{"examples/internal/..."},
	{"event/eventtest", "event/eventsim"},
	{"internal/testing/soak", "internal/testing/computesoak", "internal/testing/simrtc",
		"internal/testing/reallibs", "internal/testing/loading", "internal/testing/battery"},
	{"internal/testing/natives", "internal/testing/sim", "internal/testing/bindings"},
	{"internal/testing/fake", "internal/testing/images", "internal/testing/proof",
		"internal/testing/..."},
	{"compute/internal/hostkernels"},
	{"compute", "timeline", "event/eventbench", "event/eventexpvar"},
	{"compute/internal/cache"},
	{"compute/internal/compiler", "compute/internal/..."},
	{"event"},
	{"internal/hooks", "internal/native"},
	{"compute/internal/backend"},
	{"internal/kernel"},
	{"internal/image"},
	{"internal/driver"},
	{"internal/host", "internal/poll"},
	{"cudrv", "hip", "nvrtc", "hiprtc", "nvml", "amdsmi", "nccl", "rccl"},
	{"internal/batch", "internal/rtc"},
	{"internal/params", "internal/libs", "internal/callback"},
	{"internal/dl"},
	{"liberr"},
	{"internal/ccall", "internal/versions"},
}

// simulators are the public packages that may import internal/testing.
var simulators = []string{"event/eventsim", "event/eventtest"}

// layerOf returns the number of a package's layer, from 1 at the top; 0 if no entry names it.
func layerOf(pkg string) (n int) {
	longest := 0
	for i, layer := range layers {
		for _, entry := range layer {
			below, rest := strings.CutSuffix(entry, "/...")
			if entry == pkg || rest && strings.HasPrefix(pkg, below+"/") && len(entry) > longest {
				if entry == pkg {
					return i + 1
				}
				n, longest = i+1, len(entry)
			}
		}
	}
	return n
}

// TestArrows finds imports that run up, imports between packages of a layer (so bindings do not
// know each other), and a simulator in the packages of users' programs. Imports of tests are free.
func TestArrows(t *testing.T) {
	t.Parallel()
	gotool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command on PATH to list imports with")
	}
	const form = `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`
	out, err := exec.CommandContext(t.Context(), gotool, "list", "-f", form, "./...").Output()
	require.NoError(t, err)
	const module = "github.com/gpuevent/gpuevent/"
	for line := range strings.Lines(string(out)) {
		paths := strings.Fields(line)
		pkg, inside := strings.CutPrefix(paths[0], module)
		if !inside { // the root package
			assert.Len(t, paths, 1, "the root package imports nothing")
			continue
		}
		from := layerOf(pkg)
		if !assert.NotZero(t, from, "%s: give it a layer", pkg) {
			continue
		}
		for _, path := range paths[1:] {
			imported, inside := strings.CutPrefix(path, module)
			if !inside {
				continue
			}
			assert.Less(t, from, layerOf(imported), "%s imports %s, which is not below it", pkg, imported)
			if strings.HasPrefix(imported, "internal/testing/") &&
				!strings.HasPrefix(pkg, "internal/testing/") {
				assert.Contains(t, simulators, pkg, "%s imports %s", pkg, imported)
			}
		}
	}
}

func TestLayerOf(t *testing.T) {
	t.Parallel()
	assert.Zero(t, layerOf("nowhere"))
	assert.Equal(t, 1, layerOf("examples/graph"))
	assert.Equal(t, 2, layerOf("examples/internal/anywhere"))
	assert.Less(t, layerOf("compute"), layerOf("event"))
	assert.Equal(t, layerOf("cudrv"), layerOf("hip"))
}

// What an error means is known to internal/driver alone. These files know the vendors' types for
// handles and addresses that users pass or get.
func TestOnlyHandlesNeedTheVendorsPackages(t *testing.T) {
	t.Parallel()
	var users []string
	for _, pkg := range []string{"event", "compute", "timeline"} {
		files, err := filepath.Glob(pkg + "/*.go")
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			if !strings.HasSuffix(file, "_test.go") &&
				(strings.Contains(string(text), `"github.com/gpuevent/gpuevent/cudrv"`) ||
					strings.Contains(string(text), `"github.com/gpuevent/gpuevent/hip"`)) {
				users = append(users, filepath.ToSlash(file))
			}
		}
	}
	assert.ElementsMatch(t, []string{"event/native.go", "compute/args.go"}, users)
}

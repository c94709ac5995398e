package gpuevent_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Who imports any of these packages, the conformance suite too, gets the standard library, purego
// and this module with it. testify is for our own tests.
func TestDependencies(t *testing.T) {
	t.Parallel()
	gotool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command on PATH to list dependencies with")
	}
	const notStandard = "{{if not .Standard}}{{.ImportPath}}{{end}}"
	list := exec.CommandContext(t.Context(), gotool, "list", "-deps", "-f", notStandard, "./...")
	out, err := list.Output()
	require.NoError(t, err)
	packages := strings.Fields(string(out))
	require.Contains(t, packages, "github.com/gpuevent/gpuevent/event/eventtest")
	for _, p := range packages {
		own := strings.HasPrefix(p+"/", "github.com/gpuevent/gpuevent/")
		purego := strings.HasPrefix(p+"/", "github.com/ebitengine/purego/")
		assert.True(t, own || purego, "%s is a dependency of the packages that programs import", p)
	}
}

// The first `make test` of a newcomer downloads the modules that its packages need. A plotting
// library or a linter is not among them.
func TestDownloads(t *testing.T) {
	t.Parallel()
	gotool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command on PATH to list dependencies with")
	}
	makefile, err := os.ReadFile("Makefile")
	require.NoError(t, err)
	tested := regexp.MustCompile(`(?m)^ALL\s*:= (.*)$`).FindSubmatch(makefile)
	require.NotNil(t, tested, "the packages of make test")
	const name = "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}"
	args := []string{"list", "-deps", "-test", "-f", name}
	args = append(args, strings.Fields(string(tested[1]))...)
	out, err := exec.CommandContext(t.Context(), gotool, args...).Output()
	require.NoError(t, err)
	modules := strings.Fields(string(out))
	slices.Sort(modules)
	modules = slices.Compact(modules)
	assert.Contains(t, modules, "modernc.org/cc/v4")
	assert.LessOrEqual(t, len(modules), 13, "make test downloads %v", modules)
}

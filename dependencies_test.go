package gpuevent_test

import (
	"os/exec"
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

package eventsim_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// A user's module, which sees exported names only, tests its scheduler with a simulated machine.
func TestModuleOfAUser(t *testing.T) {
	t.Parallel()
	gotool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command on PATH to test another module with")
	}
	cmd := exec.CommandContext(t.Context(), gotool, "test", "-count=1", "./...")
	cmd.Dir = "testdata/scheduler"
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOPROXY=off", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

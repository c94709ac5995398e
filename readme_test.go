package gpuevent_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)^```")

// programs are the README's Go blocks.
func programs(t *testing.T) (all []string) {
	page, err := os.ReadFile("README.md")
	require.NoError(t, err)
	text := strings.ReplaceAll(string(page), "\r\n", "\n")
	for _, m := range goBlock.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	require.NotEmpty(t, all)
	return all
}

// TestREADME builds the README's programs, and runs the first, which needs no GPU.
func TestREADME(t *testing.T) {
	t.Parallel()
	gotool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command on PATH to build the README's programs with")
	}
	dir, err := os.MkdirTemp(".", ".build-readme-") // in the module, so that imports need no network
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	args := []string{"build", "-o", t.TempDir() + string(filepath.Separator)}
	out := args[2]
	for i, program := range programs(t) {
		sub := filepath.Join(dir, "readme"+strconv.Itoa(i))
		require.NoError(t, os.Mkdir(sub, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(sub, "main.go"), []byte(program), 0o600))
		args = append(args, "./"+filepath.ToSlash(sub))
	}
	build := exec.CommandContext(t.Context(), gotool, args...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	said, err := build.CombinedOutput()
	require.NoError(t, err, "%s", said)

	binaries, err := filepath.Glob(filepath.Join(out, "readme0*"))
	require.NoError(t, err)
	require.Len(t, binaries, 1)
	said, err = exec.CommandContext(t.Context(), binaries[0]).CombinedOutput()
	require.NoError(t, err, "%s", said)
	took, found := strings.CutPrefix(strings.TrimSpace(string(said)), "the work took ")
	require.True(t, found, "%s", said)
	d, err := time.ParseDuration(took)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, d, 9*time.Millisecond, "the work sleeps for 10 ms")
}

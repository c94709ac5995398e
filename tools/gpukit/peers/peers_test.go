package peers_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/tools/gpukit/peers"
	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// TestPlan wants C and Python to make the operations of the plan, as often and in its order.
func TestPlan(t *testing.T) {
	t.Parallel()
	for file, row := range map[string]string{
		peers.Twin:   `(?m)^\t\{"([^"]+)", (\d+), (\d+), \d+, `,
		peers.Script: `(?m)^    \("([^"]+)", (\d+), (\d+)\),$`,
	} {
		var plan []peers.Operation
		for _, m := range regexp.MustCompile(row).FindAllStringSubmatch(peers.Text(file), -1) {
			perRun, err := strconv.Atoi(m[2])
			require.NoError(t, err)
			runs, err := strconv.Atoi(m[3])
			require.NoError(t, err)
			plan = append(plan, peers.Operation{Name: m[1], PerRun: perRun, Runs: runs})
		}
		assert.Equal(t, peers.Plan, plan, file)
		assert.Contains(t, peers.Text(file), "ALLOC_BYTES = 1 << 20")
	}
	names := map[string]bool{}
	for _, p := range peers.Plan {
		assert.False(t, names[p.Name], "%s is there twice", p.Name)
		names[p.Name] = true
		assert.LessOrEqual(t, p.PerRun, 1000)
	}
	assert.Equal(t, 1<<20, peers.AllocBytes)
	assert.Contains(t, peers.Text(peers.Twin), "shortestHold = "+strconv.Itoa(peers.PendingMS)+"e6")
	assert.Contains(t, peers.Text(peers.Script), "HOLDS = ("+strconv.Itoa(peers.PendingMS)+"e6")
	_, ok := peers.Of("record")
	assert.True(t, ok)
	_, ok = peers.Of("no such operation")
	assert.False(t, ok)
	assert.Panics(t, func() { peers.Text("no such file") })
}

// kit writes the files of the kit to a folder.
func kit(t *testing.T) string {
	dir := t.TempDir()
	for _, name := range []string{peers.Twin, peers.Script, peers.KernelsPTX, peers.KernelsHIP} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(peers.Text(name)), 0o600))
	}
	return dir
}

// tool finds a program, or skips the test.
func tool(t *testing.T, name string) string {
	if runtime.GOOS != "linux" {
		t.Skip("the kit is for Linux")
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("this machine has no %s", name)
	}
	return path
}

// build compiles C.
func build(t *testing.T, args ...string) {
	out, err := exec.Command(tool(t, "cc"), args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Empty(t, string(out), "a warning")
}

// result is what a program did.
type result struct {
	code           int
	stdout, stderr string
	figures        []report.Figure
}

// start runs a program of the kit, which writes to a file.
func start(t *testing.T, dir string, env []string, program string, args ...string) (r result) {
	out := filepath.Join(dir, "out.json")
	if err := os.Remove(out); err != nil {
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
	cmd := exec.Command(program, append(args, "-out", out)...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "GPUEVENT_")
	}), env...)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil {
		require.True(t, errors.As(err, &exit), "%v", err)
	}
	r = result{code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String()}
	data, err := os.ReadFile(out)
	if errors.Is(err, fs.ErrNotExist) {
		return r
	}
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &r.figures), "%s", data)
	return r
}

// last is the last line of stderr, which has the reason.
func (r result) last() string {
	lines := strings.Split(strings.TrimSpace(r.stderr), "\n")
	return lines[len(lines)-1]
}

// check wants the figures of a way to be those of the plan, but for operations that are left out.
func (r result) check(t *testing.T, device, way string, runs int, leftOut ...string) {
	t.Helper()
	r.checkOnly(t, "", device, way, runs, leftOut...)
}

// checkOnly is check for operations that match a pattern.
func (r result) checkOnly(t *testing.T, only, device, way string, runs int, leftOut ...string) {
	t.Helper()
	var got, want []string
	for _, f := range r.figures {
		if f.Way != way {
			continue
		}
		got = append(got, f.Operation)
		p, ok := peers.Of(f.Operation)
		require.True(t, ok, f.Operation)
		assert.Equal(t, device, f.Device)
		assert.Equal(t, p.PerRun, f.PerRun, f.Operation)
		assert.Equal(t, min(runs, p.Runs), f.Runs, f.Operation)
		assert.LessOrEqual(t, f.Best, f.Median, f.Operation)
		assert.Positive(t, f.Median, f.Operation)
		assert.Equal(t, strings.HasPrefix(f.Operation, "copy"),
			strings.HasSuffix(f.Note, "GB/s, both directions"), f.Operation)
	}
	for _, p := range peers.Plan {
		switch {
		case !regexp.MustCompile(only).MatchString(p.Name):
		case slices.Contains(leftOut, p.Name):
			assert.Contains(t, r.stdout, "left out on "+device+": "+p.Name)
		default:
			want = append(want, p.Name)
		}
	}
	assert.Equal(t, want, got, way)
}

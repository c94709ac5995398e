package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
	"github.com/gpuevent/gpuevent/tools/gpukit/peers"
)

// TestRun runs the program on the host, and with flags that it refuses.
func TestRun(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.json")
	for _, c := range []struct {
		name  string
		args  []string
		code  int
		says  string // on stderr
		wrote int    // figures
	}{
		{"some operations", []string{"-only", "^record$|launch 0", "-runs", "3", "-out", out},
			exitFine, "", 2},
		{"nothing matches", []string{"-only", "no such", "-out", out}, exitFine, "", 0},
		{"no such device", []string{"-device", "cuda:71"}, exitNotPossible, "cuda:71", -1},
		{"no device", []string{"-device", "gpu"}, exitNotPossible, "gpu", -1},
		{"an unknown flag", []string{"-rounds", "3"}, exitFailed, "rounds", -1},
		{"an argument", []string{"host"}, exitFailed, `"host" is no flag`, -1},
		{"no time", []string{"-time", "0s"}, exitFailed, "-time", -1},
		{"a bad pattern", []string{"-only", "("}, exitFailed, "parsing", -1},
		{"no folder", []string{"-only", "^record$", "-out", filepath.Join(out, "x")},
			exitFailed, "out.json", -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stderr bytes.Buffer
			assert.Equal(t, c.code, run(c.args, io.Discard, &stderr))
			assert.Contains(t, stderr.String(), c.says)
			if c.wrote >= 0 {
				assert.Len(t, read(t, out), c.wrote)
			}
		})
	}
}

// TestEachOperationOfThePlan wants the table of operations to be the plan.
func TestEachOperationOfThePlan(t *testing.T) {
	t.Parallel()
	for _, p := range peers.Plan {
		assert.Contains(t, operations, p.Name)
	}
	assert.Len(t, operations, len(peers.Plan))
}

// TestWithoutKernels leaves out what launches and measures the rest.
func TestWithoutKernels(t *testing.T) {
	d, err := event.Open("host")
	require.NoError(t, err)
	r, err := newRig(d)
	require.NoError(t, err)
	defer func() { assert.NoError(t, r.close()) }()
	r.without = errors.New("no compiler")
	k := r.kernels
	r.kernels = nil
	defer func() { r.kernels = k }()
	b := quick(t)
	for _, p := range peers.Plan {
		if testing.Short() && strings.HasPrefix(p.Name, "copy 64 MiB") {
			continue
		}
		p.Runs = fewest
		_, err := b.operation(r, p, time.Hour)
		switch p.Name {
		case "query pending", "stream wait", "launch 0 arguments", "launch 4 arguments",
			"launch 8 arguments", "graph launch 10 nodes", "wake-up after 0.05 ms",
			"wake-up after 0.5 ms", "wake-up after 5 ms":
			assert.ErrorIs(t, err, errLeftOut, p.Name)
			assert.ErrorIs(t, err, r.without, p.Name)
		default:
			assert.NoError(t, err, p.Name)
		}
	}
}

// TestFailures wants a failing driver, and a wrong answer, to end the program.
func TestFailures(t *testing.T) {
	for _, c := range []struct{ call, only string }{
		{"cuEventRecord", "^record$"},
		{"cuEventQuery", "^query done$"},
		{"cuLaunchKernel", "^launch 4"},
		{"cuMemcpyDtoHAsync_v2", "^copy 4 KiB pinned$"},
		{"cuMemFree_v2", "^alloc.free$"},
		{"cuGraphLaunch", "^graph"},
	} {
		t.Run(c.only, func(t *testing.T) {
			m := machine(t, event.CUDA, "13.5")
			b := quick(t)
			b.plan = nil
			for _, p := range peers.Plan {
				if regexp.MustCompile(c.only).MatchString(p.Name) {
					b.plan = append(b.plan, p)
				}
			}
			require.Len(t, b.plan, 1)
			r, err := newRig(m.Device(0))
			require.NoError(t, err)
			m.Fail(eventsim.Fault{Call: c.call, At: 5, Err: cudrv.ErrUnknown})
			_, err = b.operation(r, b.plan[0], time.Hour)
			assert.ErrorIs(t, err, cudrv.ErrUnknown)
			m.Heal()
			require.NoError(t, r.close())
		})
	}
}

// TestOutlasted measures again behind longer work what took longer than the work before it.
func TestOutlasted(t *testing.T) {
	m := machine(t, event.CUDA, "13.5")
	r, err := newRig(m.Device(0))
	require.NoError(t, err)
	defer func() { require.NoError(t, r.close()) }()
	runs := 0
	w := way{do: func() error { return nil }, after: func(int) error {
		if runs++; r.hold < 4*shortestHold {
			return errOutlasted
		}
		return nil
	}}
	var s series
	require.NoError(t, s.run(r, &w, 1, 0))
	assert.Equal(t, 3, runs)
	assert.Len(t, s.wall, 1, "runs that were outlasted do not count")
	w.after = func(int) error { return errOutlasted }
	assert.ErrorIs(t, s.run(r, &w, 1, 0), errOutlasted)
}

// TestNoTime leaves an operation out rather than report a figure of a run or two.
func TestNoTime(t *testing.T) {
	d, err := event.Open("host")
	require.NoError(t, err)
	r, err := newRig(d)
	require.NoError(t, err)
	defer func() { require.NoError(t, r.close()) }()
	b := quick(t)
	_, err = b.operation(r, peers.Plan[0], -time.Second)
	assert.ErrorIs(t, err, errLeftOut)
	for _, f := range b.figures {
		assert.GreaterOrEqual(t, f.Runs, fewest)
	}
}

// TestCheckOfCopies sees a copy that went wrong.
func TestCheckOfCopies(t *testing.T) {
	t.Parallel()
	b := make([]byte, 4096)
	fill(b, 3)
	assert.NoError(t, check(b, 3))
	assert.ErrorIs(t, check(b, 4), errWrong)
	b[4000]++
	assert.ErrorIs(t, check(b, 3), errWrong)
}

// TestPartsAreRemoved wants nothing beside the file with the figures.
func TestPartsAreRemoved(t *testing.T) {
	b := quick(t)
	require.NoError(t, b.write())
	files, err := os.ReadDir(filepath.Dir(b.out))
	require.NoError(t, err)
	assert.Len(t, files, 1)
}

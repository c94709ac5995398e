package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// driverEnv names the simulated driver that a part's process has in the place of the machine's.
const driverEnv = "GPUEVENT_GPUKIT_SOAK_DRIVER"

// brokenEnv makes it fail a function's calls from some on.
const brokenEnv = "GPUEVENT_GPUKIT_SOAK_BROKEN"

func TestMain(m *testing.M) {
	text := os.Getenv(partEnv)
	if text == "" {
		os.Exit(m.Run())
	}
	machine := sim.NewMachine(sim.Options{ReuseHandles: true})
	machine.Kernel("add", func(b *compute.Block, n, v int32, x []int32) {
		for i := range b.Threads(int(n)) {
			x[i] += v
		}
	})
	machine.Kernel("axpy", func(b *compute.Block, n, a int32, x, y []int32) {
		for i := range b.Threads(int(n)) {
			y[i] += a * x[i]
		}
	})
	if version := os.Getenv(driverEnv); version != "" {
		machine.InstallCUDA(version)
	}
	if call := os.Getenv(brokenEnv); call != "" {
		machine.Fault(sim.Fault{Call: call, At: 30, Times: 1, Code: 999})
	}
	os.Exit(child(text, os.Stdout, os.Stderr))
}

// tally runs the program and reads what it wrote.
func tally(t *testing.T, args ...string) (code int, all []report.Tally, stderr string) {
	out := filepath.Join(t.TempDir(), "out.json")
	var text bytes.Buffer
	code = run(append(args, "-out", out, "-seed", "7"), io.Discard, &text)
	data, err := os.ReadFile(out)
	if err == nil {
		require.NoError(t, json.Unmarshal(data, &all))
	}
	return code, all, text.String()
}

// TestSoaks soaks both packages on the host, and on a simulated driver in the place of the
// machine's.
func TestSoaks(t *testing.T) {
	counts := map[string][]string{
		"event":   {"operations", "records", "waits", "gates", "captures"},
		"compute": {"operations", "launches", "copies", "captures", "graph launches"},
	}
	for _, device := range []string{"host", "cuda:1"} {
		t.Run(device, func(t *testing.T) {
			if device != "host" {
				t.Setenv(driverEnv, "13.5")
			}
			code, all, stderr := tally(t, "-device", device, "-time", "1200ms")
			require.Equal(t, exitFine, code, "%s %v", stderr, all)
			require.Len(t, all, 2)
			for i, r := range all {
				assert.Equal(t, []string{"event", "compute"}[i], r.Name)
				assert.Equal(t, device, r.Device)
				assert.EqualValues(t, 7, r.Seed)
				assert.GreaterOrEqual(t, r.Seconds, 0.4)
				assert.NotEmpty(t, r.LeftOut)
				assert.Empty(t, r.Failures)
				assert.Len(t, r.Counts, len(counts[r.Name]))
				for _, what := range counts[r.Name] {
					assert.Positive(t, r.Counts[what], "%s: %s", r.Name, what)
				}
			}
		})
	}
}

// TestFindings wants a driver that fails to be a finding, and the other parts to run.
func TestFindings(t *testing.T) {
	t.Setenv(driverEnv, "13.5")
	for of, call := range map[string]string{"event": "cuEventRecord", "compute": "cuLaunchKernel"} {
		t.Run(of, func(t *testing.T) {
			t.Setenv(brokenEnv, call)
			code, all, stderr := tally(t, "-of", of, "-device", "cuda:0", "-time", "2s")
			require.Equal(t, exitFailed, code)
			require.Len(t, all, 1)
			assert.Contains(t, stderr, "findings, the first of")
			names := map[string]bool{}
			var text strings.Builder
			for _, f := range all[0].Failures {
				names[f.Name] = true
				text.WriteString(f.Text)
			}
			assert.Contains(t, text.String(), "999")
			assert.Contains(t, text.String(), "repeat with -")
			if of == "event" {
				assert.Len(t, names, 3, "parts")
			}
		})
	}
}

// TestNotPossible wants a missing device to be no finding.
func TestNotPossible(t *testing.T) {
	for _, of := range []string{"event", "compute", "event,compute"} {
		code, _, stderr := tally(t, "-of", of, "-device", "cuda:77", "-time", "1s")
		assert.Equal(t, exitNotPossible, code, of)
		lines := strings.Split(strings.TrimSpace(stderr), "\n")
		assert.Contains(t, lines[len(lines)-1], "cuda:77", of)
	}
}

// TestWithoutResult wants a process that ends in another way to be a finding.
func TestWithoutResult(t *testing.T) {
	t.Setenv(driverEnv, "no such driver") // for which it panics
	code, all, _ := tally(t, "-of", "compute", "-device", "cuda:0", "-time", "1s")
	require.Equal(t, exitFailed, code)
	require.Len(t, all, 1)
	require.Len(t, all[0].Failures, 1)
	assert.Contains(t, all[0].Failures[0].Text, "ended without a result")
	assert.Contains(t, all[0].Failures[0].Text, "no such driver")
}

func TestFlags(t *testing.T) {
	for name, args := range map[string][]string{
		"package": {"-of", "nvml"}, "package twice": {"-of", "event,event"},
		"device": {"-device", "cuda:0,cuda:1"}, "time": {"-time", "0s"},
		"argument": {"host"}, "unknown": {"-fast"}, "bad time": {"-time", "soon"},
		"folder": {"-time", "1ms", "-of", "compute", "-out", filepath.Join(t.TempDir(), "no", "x")},
	} {
		assert.Equal(t, exitFailed, run(args, io.Discard, io.Discard), name)
	}
	o, err := parse(nil, io.Discard)
	require.NoError(t, err)
	var sum time.Duration
	for _, of := range o.of {
		for _, p := range o.parts(of) {
			sum += p.Time
		}
	}
	assert.Equal(t, 2*time.Minute, sum)
	assert.NotZero(t, o.seed)
}

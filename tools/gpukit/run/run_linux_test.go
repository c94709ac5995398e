package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// fakes are the kit's programs as shell scripts, of a machine with a GPU.
var fakes = map[string]string{
	"bin/gpuinfo": `echo "library /opt/vendor/lib/libcuda.so.1 of $USER in $HOME/lib"`,
	"bin/conformance": `echo "=== RUN   TestDevice/a
--- PASS: TestDevice/a (0.00s)
=== RUN   TestDevice/b
    kit.go:1: not in $PWD
--- SKIP: TestDevice/b (0.00s)
PASS"`,
	"gpu-kit": arguments + partOf("devices", devicesAnswer) +
		partOf("facts", `[{"device": "cuda:0", "id": "cuda-it-is", "answer": "confirmed"}]`) +
		partOf("bench", figureAnswer) + partOf("soak*", tallyAnswer),
}

// arguments reads those of a part, which answers with a list.
const arguments = `while [ $# -gt 0 ]; do case $1 in -do) what=$2;; -out) out=$2;; -device) d=$2;;
esac; shift; done
`

func answering(what, do string) string {
	return "case $what in " + what + ") " + do + "\n;; esac\n"
}

func partOf(what, answer string) string {
	return answering(what, `sed "s/DEVICE/$d/; s/PART/$what/" >"$out" <<X
`+answer+"\nX")
}

const (
	devicesAnswer = `[{"name": "cuda:0", "backend": "cuda", "model": "NVIDIA Sample 100"},
 {"name": "host", "backend": "host", "model": "2 CPUs"}]`
	figureAnswer = `[{"device": "DEVICE", "operation": "record", "way": "event", "median_ns": 200,
  "best_ns": 190, "runs": 3, "per_run": 10}]`
	tallyAnswer = `[{"device": "DEVICE", "name": "PART", "seconds": 1, "counts": {"records": 5}}]`
)

// newKit makes a kit whose programs are the fakes, but for those that are given.
func newKit(t *testing.T, o options, others map[string]string) *kit {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "bin"), 0o755))
	for name, text := range fakes {
		if other, ok := others[name]; ok {
			text = other
		}
		script(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	if o.limit == 0 {
		o.limit = time.Minute
	}
	if o.length == 0 {
		o.length = time.Second
	}
	o.folder = t.TempDir()
	k, err := openAt(dir, o, io.Discard)
	require.NoError(t, err)
	k.grace = 50 * time.Millisecond // the fakes that hang do so for good
	return k
}

func script(t *testing.T, file, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"+text+"\n"), 0o755))
}

// finish writes the report and reads it back, and wants nothing to be left.
func finish(t *testing.T, k *kit) (*report.Report, string) {
	t.Helper()
	require.NoError(t, k.write())
	k.close()
	assert.NoDirExists(t, k.temp)
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	assert.Empty(t, left, "nothing is left in the folder for temporary files")
	data, err := os.ReadFile(filepath.Join(k.folder, "gpu-kit.json"))
	require.NoError(t, err)
	r := new(report.Report)
	require.NoError(t, json.Unmarshal(data, r))
	page, err := os.ReadFile(filepath.Join(k.folder, "gpu-kit.md"))
	require.NoError(t, err)
	return r, string(page)
}

// outcomesOf are the steps with their devices.
func outcomesOf(r *report.Report) map[string]report.Outcome {
	all := map[string]report.Outcome{}
	for _, s := range r.Steps {
		all[strings.TrimSpace(s.Name+" "+s.Device)] = s.Outcome
	}
	return all
}

func TestRun(t *testing.T) {
	t.Setenv("USER", "ada-lovelace")
	t.Setenv("HOME", "/srv/people of it/ada")
	k := newKit(t, options{}, nil)
	k.run(t.Context())
	r, page := finish(t, k)
	assert.Equal(t, map[string]report.Outcome{"gpuinfo": report.Passed, "devices": report.Passed,
		"conformance cuda:0": report.Passed, "conformance host": report.Passed,
		"facts cuda:0": report.Passed, "bench cuda:0": report.Passed, "bench host": report.Passed,
		"soak event without captures cuda:0":     report.Passed,
		"soak event with captures cuda:0":        report.Passed,
		"soak event with global captures cuda:0": report.Passed, "soak compute cuda:0": report.Passed,
	}, outcomesOf(r))
	assert.False(t, k.failed())
	assert.Len(t, r.Facts, 1)
	assert.Len(t, r.Figures, 2)
	assert.Len(t, r.Tallies, len(soakParts))
	assert.Contains(t, page, "# GPU kit: NVIDIA Sample 100")
	assert.Contains(t, page, "library …/libcuda.so.1 of … in …/lib")
	for _, private := range []string{"/opt", "lovelace", "people of it", k.temp, k.dir} {
		assert.NotContains(t, page, private)
	}
}

func TestChosenStepsAndDevices(t *testing.T) {
	k := newKit(t, options{steps: []string{"conformance"}, devices: []string{"host"}}, nil)
	k.run(t.Context())
	r, _ := finish(t, k)
	assert.Equal(t, map[string]report.Outcome{"devices": report.Passed,
		"conformance host": report.Passed}, outcomesOf(r))
	assert.NotEmpty(t, r.Reduced)

	k = newKit(t, options{devices: []string{"hip:3"}, steps: []string{"conformance"}}, nil)
	k.run(t.Context())
	assert.True(t, k.failed())
	assert.Contains(t, k.report.Steps[1].Reason, "hip:3")
	k.close()
}

func TestFailures(t *testing.T) {
	const soakName = "soak compute cuda:0"
	without := func(part, do string) string {
		return arguments + partOf("devices", devicesAnswer) + answering(part, do) +
			partOf("bench", figureAnswer) + partOf("soak*", tallyAnswer)
	}
	for name, x := range map[string]struct {
		program, text string
		step          string
		outcome       report.Outcome
		reason, page  string
	}{
		"a test fails": {"bin/conformance", `echo "=== RUN   TestDevice/a
    kit.go:1: wrong, wrong
--- FAIL: TestDevice/a (0.00s)
FAIL"; exit 1`, "conformance cuda:0", report.Failed, "1 tests failed", "wrong, wrong"},
		"a crash": {"bin/conformance", `echo "=== RUN   TestDevice/a"
echo "panic: dead
goroutine 1 [running]:" >&2; exit 2`, "conformance cuda:0", report.Failed, "1 tests failed",
			"goroutine 1 [running]"},
		"a signal": {"bin/conformance", `kill -SEGV $$`, "conformance cuda:0", report.Failed,
			"segmentation fault", ""},
		"no test": {"bin/conformance", "echo PASS", "conformance cuda:0", report.Failed, "no test", ""},
		"no words": {"gpu-kit", without("bench", "exit 1"), "bench cuda:0", report.Failed,
			"exit status 1: without a word", ""},
		"no figures": {"gpu-kit", without("bench", "exit 0"), "bench cuda:0", report.Failed,
			"can't be read", ""},
		"figures before a failure": {"gpu-kit", arguments + partOf("devices", devicesAnswer) +
			partOf("bench", figureAnswer) + answering("bench", "echo lost >&2; exit 1"),
			"bench cuda:0", report.Failed, "lost", "200 / 190"},
		"not possible": {"gpu-kit", without("bench", `echo "one
not possible here: no clock" >&2; exit 3`), "bench cuda:0", report.NotPossible, "no clock", ""},
		"no devices": {"gpu-kit", "exit 1", "devices", report.Failed, "exit status 1", "| host |"},
		"findings": {"gpu-kit", arguments + partOf("devices", devicesAnswer) + partOf("soak*",
			strings.ReplaceAll(tallyAnswer, `}}]`,
				`}, "failures": [{"name": "late", "text": "too late"}]}]`)), soakName, report.Failed,
			"the soak has findings", "too late"},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKit(t, options{steps: []string{"conformance", "bench", "soak"}},
				map[string]string{x.program: x.text})
			k.run(t.Context())
			r, page := finish(t, k)
			assert.Equal(t, x.outcome, outcomesOf(r)[x.step])
			for _, s := range r.Steps {
				if strings.TrimSpace(s.Name+" "+s.Device) == x.step {
					assert.Contains(t, s.Reason, x.reason)
				}
			}
			assert.Contains(t, page, x.page)
		})
	}
}

func TestMissingProgram(t *testing.T) {
	k := newKit(t, options{steps: []string{"gpuinfo"}}, nil)
	require.NoError(t, os.Remove(k.program("bin/gpuinfo")))
	k.run(t.Context())
	assert.Contains(t, k.report.Steps[0].Reason, "the kit is incomplete")
	k.close()
	require.NoError(t, os.Remove(k.program("bin/conformance")))
	_, err := openAt(k.dir, k.options, io.Discard)
	assert.ErrorIs(t, err, errIncomplete)
}

// hanging is a script that starts another process, notes both, and ends only by force.
const hanging = `trap '' TERM
sleep 1000 &
echo $$ $! >%s
while :; do wait; done`

// gone waits until processes are no more, or are dead and not yet waited for by the system.
func gone(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	pids := strings.Fields(string(text))
	require.Len(t, pids, 2)
	for _, pid := range pids {
		assert.Eventually(t, func() bool {
			stat, err := os.ReadFile("/proc/" + pid + "/stat")
			_, state, _ := strings.Cut(string(stat), ") ")
			return err != nil || strings.HasPrefix(state, "Z")
		}, 10*time.Second, time.Millisecond, "process %s is still there", pid)
	}
}

func TestTimeLimit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pids")
	k := newKit(t, options{}, map[string]string{"bin/gpuinfo": fmt.Sprintf(hanging, file)})
	defer k.close()
	s := report.Step{Limit: 1}
	r := k.start(t.Context(), time.Second, k.program("bin/gpuinfo"))
	assert.True(t, r.timedOut)
	assert.False(t, k.judge(&s, r))
	assert.Equal(t, report.TimedOut, s.Outcome)
	assert.Contains(t, s.Reason, "did not end within 1 s")
	gone(t, file)
}

// TestNothingRunsOn wants a process that a program leaves behind to be ended with it.
func TestNothingRunsOn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pids")
	k := newKit(t, options{}, map[string]string{
		"bin/gpuinfo": "sleep 1000 >/dev/null 2>&1 &\necho $$ $! >" + file + "; touch \"$TMPDIR/left\""})
	defer k.close()
	r := k.start(t.Context(), time.Minute, k.program("bin/gpuinfo"))
	assert.NoError(t, r.err)
	assert.Zero(t, r.status)
	gone(t, file)
	left, err := os.ReadDir(k.temp)
	require.NoError(t, err)
	assert.Empty(t, left, "the step's folder is removed")
}

func TestInterrupt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pids")
	k := newKit(t, options{steps: []string{"conformance", "soak"}, devices: []string{"host"}},
		map[string]string{"bin/conformance": fmt.Sprintf(hanging, file)})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if text, _ := os.ReadFile(file); strings.Contains(string(text), "\n") {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	k.run(ctx)
	gone(t, file)
	r, page := finish(t, k)
	outcomes := outcomesOf(r)
	assert.Equal(t, report.NotRun, outcomes["conformance host"])
	assert.Equal(t, report.NotRun, outcomes["soak compute host"])
	assert.Equal(t, "it was interrupted", r.Stopped)
	assert.Contains(t, page, "**It did not finish: it was interrupted.**")
}

func TestUsedUpTime(t *testing.T) {
	k := newKit(t, options{}, nil)
	k.end = time.Now()
	k.run(t.Context())
	r, _ := finish(t, k)
	for _, s := range r.Steps {
		assert.Equal(t, report.NotRun, s.Outcome, s.Name)
		assert.Equal(t, errUsedUp.Error(), s.Reason)
	}
	assert.False(t, k.failed())
}

// TestCachesAreInside wants every variable of a cache to name a folder that is removed.
func TestCachesAreInside(t *testing.T) {
	k := newKit(t, options{}, map[string]string{"bin/gpuinfo": "env; pwd"})
	defer k.close()
	r := k.start(t.Context(), time.Minute, k.program("bin/gpuinfo"))
	for _, name := range []string{"TMPDIR", "CUDA_CACHE_PATH", "GPUEVENT_KERNEL_CACHE"} {
		assert.Contains(t, r.stdout, "\n"+name+"="+k.temp, name)
	}
}

func TestNamesOfTheMachine(t *testing.T) {
	t.Setenv("USER", "ada")
	k := newKit(t, options{}, nil)
	defer k.close()
	names := k.names()
	host, err := os.Hostname()
	require.NoError(t, err)
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	for _, name := range []string{"ada", host, home, k.temp, k.dir} {
		assert.Contains(t, names, name)
	}
}

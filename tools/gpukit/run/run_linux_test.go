package main

import (
	"context"
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
	"gpuinfo": `echo "library /opt/vendor/lib/libcuda.so.1 of $USER in $HOME/lib"`,
	"ask": `while [ $# -gt 0 ]; do case $1 in -what) what=$2;; -out) out=$2;; -api) api=$2;; esac
shift; done
case "$what $api" in
"devices ") cat >"$out" <<X
[{"name": "cuda:0", "backend": "cuda", "model": "NVIDIA Sample 100", "bus": "0000:3B:00.0",
  "driver": {"api": "CUDA 12.8"}},
 {"name": "host", "backend": "host", "model": "2 CPUs", "driver": {}}]
X
;;
"others ") echo '[{"device": "0000:3b:00.0", "processes": 3}, {"device": "0000:99:00.0"}]' >"$out";;
"facts ") echo '[{"device": "cuda:0", "id": "cuda-it-is", "answer": "confirmed"}]' >"$out";;
"library cuda") cat >"$out" <<X
{"library": {"api": "cuda", "file": "libcuda.so.1", "version": "12.8"}, "tests": {"passed": 2}}
X
;;
"library nvrtc") cat >"$out" <<X
{"library": {"api": "nvrtc"}, "tests": {"failed": 1, "failures": [{"name": "compile", "text": "no"}]}}
X
;;
*) echo "no library" >&2; exit 3;;
esac`,
	"conformance": `echo "=== RUN   TestDevice/a
--- PASS: TestDevice/a (0.00s)
=== RUN   TestDevice/b
    kit.go:1: not in $PWD
--- SKIP: TestDevice/b (0.00s)
PASS"`,
	"bench": `while [ $# -gt 0 ]; do case $1 in -out) out=$2;; -device) d=$2;; esac; shift; done
echo '[{"device": "'$d'", "operation": "record", "way": "event", "median_ns": 200, "best_ns": 190,
  "runs": 3, "per_run": 10}]' >"$out"`,
	"soak": `while [ $# -gt 0 ]; do case $1 in -out) out=$2;; -device) d=$2;; esac; shift; done
echo '[{"device": "'$d'", "name": "event", "seconds": 1, "counts": {"records": 5}}]' >"$out"`,
}

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
		script(t, filepath.Join(dir, "bin", name), text)
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
	r, err := report.ReadFile(filepath.Join(k.folder, "gpu-kit.json"))
	require.NoError(t, err)
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
	// neither a C compiler nor Python, so that the test is the same everywhere
	tools := t.TempDir()
	for _, name := range []string{"cat", "sh"} {
		require.NoError(t, os.Symlink("/bin/"+name, filepath.Join(tools, name)))
	}
	t.Setenv("PATH", tools)
	t.Setenv("CC", "")
	t.Setenv("USER", "ada-lovelace")
	t.Setenv("HOME", "/srv/people of it/ada")
	k := newKit(t, options{}, nil)
	k.run(t.Context())
	r, page := finish(t, k)
	assert.Equal(t, map[string]report.Outcome{
		"gpuinfo": report.Passed, "devices": report.Passed, "others": report.Passed,
		"libraries cuda": report.Passed, "libraries nvrtc": report.Failed,
		"libraries nvml": report.NotPossible, "libraries nccl": report.NotPossible,
		"libraries hip": report.NotPossible, "libraries hiprtc": report.NotPossible,
		"libraries amdsmi": report.NotPossible, "libraries rccl": report.NotPossible,
		"conformance cuda:0": report.Passed, "conformance host": report.Passed,
		"facts cuda:0": report.Passed, "bench cuda:0": report.Passed, "bench host": report.Passed,
		"peers C cuda:0": report.NotPossible, "peers Python cuda:0": report.NotPossible,
		"soak cuda:0": report.Passed,
	}, outcomesOf(r))
	assert.True(t, k.failed(), "a library did")
	assert.Len(t, r.Libraries, len(libraries))
	assert.Equal(t, []report.Other{{Device: "cuda:0", Processes: 3}}, r.Others)
	assert.Len(t, r.Facts, 1)
	assert.Len(t, r.Figures, 2)
	assert.Len(t, r.Tallies, 1)
	assert.Contains(t, page, "# GPU kit: NVIDIA Sample 100")
	assert.Contains(t, page, "library …/libcuda.so.1 of … in …/lib")
	assert.Contains(t, page, "3 other processes")
	for _, private := range []string{"/opt", "lovelace", "people of it", k.temp, filepath.Dir(k.bin)} {
		assert.NotContains(t, page, private)
	}
}

func TestChosenStepsAndDevices(t *testing.T) {
	k := newKit(t, options{steps: list{"conformance"}, devices: list{"host"}}, nil)
	k.run(t.Context())
	r, _ := finish(t, k)
	assert.Equal(t, map[string]report.Outcome{"devices": report.Passed,
		"conformance host": report.Passed}, outcomesOf(r))
	assert.NotEmpty(t, r.Reduced)

	k = newKit(t, options{devices: list{"hip:3"}, steps: list{"conformance"}}, nil)
	k.run(t.Context())
	assert.True(t, k.failed())
	assert.Contains(t, k.report.Steps[1].Reason, "hip:3")
	k.close()
}

func TestFailures(t *testing.T) {
	for name, x := range map[string]struct {
		program, text string
		step          string
		outcome       report.Outcome
		reason, page  string
	}{
		"a test fails": {"conformance", `echo "=== RUN   TestDevice/a
    kit.go:1: wrong, wrong
--- FAIL: TestDevice/a (0.00s)
FAIL"; exit 1`, "conformance cuda:0", report.Failed, "1 test failed", "wrong, wrong"},
		"a crash": {"conformance", `echo "=== RUN   TestDevice/a"
echo "panic: dead
goroutine 1 [running]:" >&2; exit 2`, "conformance cuda:0", report.Failed, "1 test failed",
			"goroutine 1 [running]"},
		"a signal": {"conformance", `kill -SEGV $$`, "conformance cuda:0", report.Failed,
			"segmentation fault", ""},
		"no test": {"conformance", "echo PASS", "conformance cuda:0", report.Failed, "no test", ""},
		"no words": {"bench", "exit 1", "bench cuda:0", report.Failed,
			"exit status 1: without a word", ""},
		"no figures": {"bench", "exit 0", "bench cuda:0", report.Failed, "can't be read", ""},
		"absurd figures": {"bench", strings.ReplaceAll(fakes["bench"], "200", "-7"), "bench cuda:0",
			report.Failed, "-7 ns", ""},
		"figures before a failure": {"bench", fakes["bench"] + "\necho lost >&2; exit 1",
			"bench cuda:0", report.Failed, "lost", "200 / 190"},
		"not possible": {"bench", `echo "one
not possible here: no clock" >&2; exit 3`, "bench cuda:0", report.NotPossible, "no clock", ""},
		"no devices": {"ask", "exit 1", "devices", report.Failed, "exit status 1", "| host |"},
		"another device": {"soak", "d=hip:9\n" + strings.ReplaceAll(fakes["soak"], "d=$2", ":"),
			"soak cuda:0", report.Failed, `it answered about "hip:9"`, ""},
		"findings": {"soak", strings.ReplaceAll(fakes["soak"], `}}]`,
			`}, "failures": [{"name": "late", "text": "too late"}]}]`), "soak cuda:0", report.Failed,
			"1 finding", "too late"},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKit(t, options{steps: list{"conformance", "bench", "soak"}},
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
	k := newKit(t, options{steps: list{"bench"}, devices: list{"host"}}, nil)
	require.NoError(t, os.Remove(k.program("bench")))
	k.run(t.Context())
	assert.Contains(t, k.report.Steps[1].Reason, "the kit is incomplete")
	k.close()
	require.NoError(t, os.Remove(k.program("ask")))
	_, err := openAt(filepath.Dir(k.bin), k.options, io.Discard)
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
	k := newKit(t, options{}, map[string]string{"soak": fmt.Sprintf(hanging, file)})
	defer k.close()
	s := report.Step{Limit: 1}
	r := k.start(t.Context(), time.Second, k.program("soak"))
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
		"soak": "sleep 1000 >/dev/null 2>&1 &\necho $$ $! >" + file + "; touch \"$TMPDIR/left\""})
	defer k.close()
	r := k.start(t.Context(), time.Minute, k.program("soak"))
	assert.NoError(t, r.err)
	assert.Zero(t, r.status)
	gone(t, file)
	left, err := os.ReadDir(k.temp)
	require.NoError(t, err)
	assert.Empty(t, left, "the step's folder is removed")
}

func TestInterrupt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pids")
	k := newKit(t, options{steps: list{"conformance", "soak", "bench"}, devices: list{"host"}},
		map[string]string{"bench": fmt.Sprintf(hanging, file)})
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
	assert.Equal(t, map[string]report.Outcome{"devices": report.Passed,
		"conformance host": report.Passed, "bench host": report.NotRun, "soak host": report.NotRun},
		outcomesOf(r))
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
	k := newKit(t, options{}, map[string]string{"soak": "env; pwd"})
	defer k.close()
	r := k.start(t.Context(), time.Minute, k.program("soak"))
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
	for _, name := range []string{"ada", host, home, k.temp, filepath.Dir(k.bin)} {
		assert.Contains(t, names, name)
	}
}

//go:build linux && !android && (amd64 || arm64)

package ccall_test

import (
	"errors"
	"os"
	"os/exec"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/ccall"
)

// crashing says in a child's environment that it is to crash.
const crashing = "GPUEVENT_CCALL_CRASH"

func libc(t *testing.T, name string) uintptr {
	t.Helper()
	addr, err := purego.Dlsym(purego.RTLD_DEFAULT, name)
	require.NoError(t, err)
	return addr
}

// A crash in the middle of a list is reported as one in C, with the goroutine that made the call.
func TestCrashInsideAList(t *testing.T) {
	if os.Getenv(crashing) != "" {
		steps := make([]ccall.Step, 2)
		steps[0].Set(libc(t, "abs"), 0)
		steps[1].Set(libc(t, "strlen"), 1) // no pointer
		ccall.Run(steps)
		t.Fatal("it did not crash")
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCrashInsideAList$")
	child.Env = append(os.Environ(), crashing+"=1")
	out, err := child.CombinedOutput()
	if exit := new(exec.ExitError); !errors.As(err, &exit) {
		t.Skip("an emulated program can't start another one here:", err)
	}
	text := string(out)
	for _, want := range []string{"SIGSEGV", "signal arrived during cgo execution",
		"ccall.Run(", "TestCrashInsideAList"} {
		assert.True(t, strings.Contains(text, want), "%q in:\n%s", want, text)
	}
}

// The profiler interrupts lists at any instruction and unwinds to their caller.
func TestProfileOfLists(t *testing.T) {
	var profile strings.Builder
	if err := pprof.StartCPUProfile(&profile); err != nil {
		t.Skip("somebody else profiles:", err)
	}
	steps := make([]ccall.Step, 40)
	for i := range steps {
		steps[i].Set(libc(t, "abs"), 0)
	}
	for began := time.Now(); time.Since(began) < 200*time.Millisecond; {
		if !ccall.Run(steps) {
			t.Error("a step failed")
			break
		}
	}
	pprof.StopCPUProfile()
	assert.NotZero(t, profile.Len())
}

package gpuevent_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// threeCalls is a program that imports both packages and uses three functions.
const threeCalls = `package main

import (
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

func main() {
	println(cudrv.Init(0) != nil)
	_, err := cudrv.EventCreate(cudrv.EventDisableTiming)
	println(err != nil)
	_, err = hip.GetDeviceCount()
	println(err != nil)
}
`

// A program pays for the functions that it uses: the linker drops the others, for nothing refers to
// them, no init function and no table.
func TestUnusedFunctionsAreNotLinked(t *testing.T) {
	t.Parallel()
	linked := build(t, threeCalls)
	for _, name := range []string{"cudrv.EventCreate", "cudrv.Init", "hip.GetDeviceCount"} {
		assert.True(t, bytes.Contains(linked, []byte("gpuevent/"+name)), "%s is used", name)
	}
	for _, name := range []string{"cudrv.EventRecord", "cudrv.LaunchKernel", "cudrv.GraphAddNode",
		"hip.LaunchKernel", "hip.GetDeviceProperties"} {
		assert.False(t, bytes.Contains(linked, []byte("gpuevent/"+name)), "%s is not used", name)
	}
}

// eventProgram is a program that waits for an event; with a simulated machine where %s opens one.
const eventProgram = `package main

import (
	"context"

	"github.com/gpuevent/gpuevent/event"
	%s
)

func main() {
	%s
	s, err := event.Default().NewStream()
	if err != nil {
		panic(err)
	}
	e, err := s.RecordNew()
	if err != nil {
		panic(err)
	}
	println(e.Wait(context.Background()) == nil)
}
`

// Programs link the simulator only if they import it.
func TestSimulatorIsNotLinked(t *testing.T) {
	t.Parallel()
	const eventsim = `"github.com/gpuevent/gpuevent/event/eventsim"`
	for _, simulated := range []bool{false, true} {
		program := fmt.Sprintf(eventProgram, "", "")
		if simulated {
			open := "eventsim.Open(eventsim.Config{ProcessWide: true})"
			program = fmt.Sprintf(eventProgram, eventsim, open)
		}
		linked := build(t, program)
		assert.True(t, bytes.Contains(linked, []byte("gpuevent/event.(*Event).Wait")))
		for _, name := range []string{"event/eventsim", "internal/testing/sim"} {
			assert.Equal(t, simulated, bytes.Contains(linked, []byte("gpuevent/"+name+".")), name)
		}
		for _, name := range []string{"testing.(*T).Run", "testify", "expvar.Publish", "net/http."} {
			assert.False(t, bytes.Contains(linked, []byte(name)), name)
		}
	}
}

// build returns the binary of a program, built with more arguments and variables if there are any.
func build(t *testing.T, program string, with ...string) []byte {
	t.Helper()
	args := []string{"build"}
	env := append(os.Environ(), "CGO_ENABLED=0") // whatever $CC compiles for
	for _, w := range with {
		if strings.HasPrefix(w, "-") {
			args = append(args, w)
		} else {
			env = append(env, w)
		}
	}
	gotool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command on PATH to build a program with")
	}
	// inside the module, so that the imports resolve without network
	dir, err := os.MkdirTemp(".", ".build-link-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600))
	binary := filepath.Join(t.TempDir(), "program")
	cmd := exec.CommandContext(t.Context(), gotool, append(args, "-o", binary, "./"+dir)...)
	cmd.Env = env
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	linked, err := os.ReadFile(binary)
	require.NoError(t, err)
	return linked
}

package gpuevent_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
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
	gotool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command on PATH to build a program with")
	}
	// inside the module, so that the imports resolve without network
	dir, err := os.MkdirTemp(".", ".build-link-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(threeCalls), 0o600))
	binary := filepath.Join(t.TempDir(), "three")
	build := exec.CommandContext(t.Context(), gotool, "build", "-o", binary, "./"+dir)
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // whatever $CC compiles for
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	linked, err := os.ReadFile(binary)
	require.NoError(t, err)
	for _, name := range []string{"cudrv.EventCreate", "cudrv.Init", "hip.GetDeviceCount"} {
		assert.True(t, bytes.Contains(linked, []byte("gpuevent/"+name)), "%s is used", name)
	}
	for _, name := range []string{"cudrv.EventRecord", "cudrv.LaunchKernel", "cudrv.GraphAddNode",
		"hip.LaunchKernel", "hip.GetDeviceProperties"} {
		assert.False(t, bytes.Contains(linked, []byte("gpuevent/"+name)), "%s is not used", name)
	}
}

package gpuevent_test

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
)

// maxGrowth is how many bytes a program may grow by that uses one function of one package.
const maxGrowth = 250_000

// printing is a program that imports a package and prints what a call returns.
const printing = `package main

import (
	"fmt"

	%q
)

func main() { fmt.Println(%s) }
`

// A program that uses one function of one package is little larger than one that opens a library
// with purego. The figures of `go test -v` are those of docs/results/size.md.
func TestOneFunctionIsSmall(t *testing.T) {
	t.Parallel()
	if testing.Short() && runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		t.Skip("long: the standard library would have to be built for linux/amd64")
	}
	of := func(path, call string) []byte {
		return build(t, fmt.Sprintf(printing, path, call), "-trimpath", "-ldflags=-s -w",
			"GOOS=linux", "GOARCH=amd64", "GOFLAGS=")
	}
	bare := len(of("github.com/ebitengine/purego",
		`purego.Dlopen("libcuda.so.1", purego.RTLD_NOW)`))
	t.Logf("opens a library with purego: %d bytes", bare)
	for _, call := range []struct{ pkg, function, args string }{
		{"cudrv", "Init", "0"},
		{"cudrv", "LaunchHostFunc", "0, func() {}"},
		{"hip", "Init", "0"},
		{"hip", "LaunchHostFunc", "0, func() {}"},
		{"nvml", "Init", ""},
		{"nvrtc", "Version", ""},
		{"hiprtc", "Version", ""},
		{"amdsmi", "Init", "0"},
		{"nccl", "GetVersion", ""},
		{"rccl", "GetVersion", ""},
	} {
		t.Run(call.pkg+"."+call.function, func(t *testing.T) {
			t.Parallel()
			name := call.pkg + "." + call.function
			program := of("github.com/gpuevent/gpuevent/"+call.pkg, name+"("+call.args+")")
			assert.True(t, bytes.Contains(program, []byte("gpuevent/"+name)), "it is in the program")
			grows := len(program) - bare
			t.Logf("%s: %+d bytes", name, grows)
			assert.LessOrEqual(t, grows, maxGrowth)
			// These come with an os.FileInfo or a logger, and each would be the largest part.
			for _, large := range []string{"time.Time.appendFormat", "log/slog.", "encoding/json."} {
				assert.False(t, bytes.Contains(program, []byte(large)), "%s is not linked", large)
			}
		})
	}
}

//go:build !(((linux && !android) || (darwin && !ios) || windows) && (amd64 || arm64))

package dl

import (
	"fmt"
	"runtime"
)

// openFile returns an error: C is called only on the processors and systems of the vendors'
// libraries.
func openFile(string) (uintptr, error) {
	return 0, fmt.Errorf("libraries can't be called on %s/%s", runtime.GOOS, runtime.GOARCH)
}

// loadedNames is empty: a library that the process has loaded can't be called either.
func loadedNames([]string) []string { return nil }

// openLoaded finds nothing.
func openLoaded(string) uintptr { return 0 }

// lookup finds nothing: there are no handles.
func lookup(uintptr, string) uintptr { return 0 }

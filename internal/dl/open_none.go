//go:build !(((linux && !android) || (darwin && !ios) || windows) && (amd64 || arm64))

package dl

import (
	"fmt"
	"runtime"
)

// openFile refuses: C is called on no processor and no system but those of the vendors' libraries.
func openFile(string) (uintptr, error) {
	return 0, fmt.Errorf("libraries can't be called on %s/%s", runtime.GOOS, runtime.GOARCH)
}

// loadedNames is empty: what the process may have loaded can't be called either.
func loadedNames([]string) []string { return nil }

// openLoaded finds nothing.
func openLoaded(string) uintptr { return 0 }

// lookup finds nothing: there is no handle to look into.
func lookup(uintptr, string) uintptr { return 0 }

//go:build ((linux && !android) || (darwin && !ios)) && (amd64 || arm64)

package dl

import (
	"errors"
	"runtime"
	"strings"

	"github.com/ebitengine/purego"
)

// openFile opens a shared library by path or by soname.
func openFile(path string) (uintptr, error) { return dlopen(path, 0) }

// loadedNames are names by which the process may have loaded the library: the loader compares
// sonames, and paths by their files.
func loadedNames(candidates []string) []string { return candidates }

// openLoaded returns a library that the process has loaded already, by path or by soname, or 0.
func openLoaded(path string) uintptr {
	h, _ := dlopen(path, noLoad)
	return h
}

func dlopen(path string, flag int) (uintptr, error) {
	// The loader keeps the text of an error per thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	h, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL|flag)
	if err != nil {
		return 0, trim(path, err)
	}
	return h, nil
}

// trim drops the path that the loader repeats at the start of its message.
func trim(path string, err error) error {
	if rest, ok := strings.CutPrefix(err.Error(), path+": "); ok {
		return errors.New(rest)
	}
	return err
}

// lookup returns the address of a symbol, or 0.
func lookup(handle uintptr, symbol string) uintptr {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	a, err := purego.Dlsym(handle, symbol)
	if err != nil {
		return 0
	}
	return a
}

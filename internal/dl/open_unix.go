//go:build !windows

package dl

import (
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/ebitengine/purego"
)

var errStub = errors.New("this is the toolkit's linker stub, which has no driver behind it")

// openFile opens a shared library by path or by soname.
func openFile(path string) (uintptr, error) {
	if slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "stubs") {
		return 0, errStub
	}
	// The text of a failure is kept per thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	h, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
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

//go:build amd64 || arm64

package dl

import (
	"path/filepath"
	"slices"
	"syscall"
	"unsafe"
)

var getModuleHandleEx = syscall.NewLazyDLL("kernel32.dll").NewProc("GetModuleHandleExW")

// pin is GET_MODULE_HANDLE_EX_FLAG_PIN: the DLL stays.
const pin = 1

// openFile opens a DLL by path. The candidates are full paths, so that a DLL in the current
// directory is never opened.
func openFile(path string) (uintptr, error) {
	h, err := syscall.LoadLibrary(path)
	return uintptr(h), err
}

// loadedNames are names by which the process may have loaded the library: those of the candidates,
// in any folder.
func loadedNames(candidates []string) (names []string) {
	for _, p := range candidates {
		if base := filepath.Base(p); !slices.Contains(names, base) {
			names = append(names, base)
		}
	}
	return names
}

// openLoaded returns a DLL that the process has loaded already, by path or by name, or 0.
func openLoaded(path string) uintptr {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return 0
	}
	var h uintptr
	if ok, _, _ := getModuleHandleEx.Call(pin, uintptr(unsafe.Pointer(name)),
		uintptr(unsafe.Pointer(&h))); ok == 0 {
		return 0
	}
	return h
}

// lookup returns the address of a symbol, or 0.
func lookup(handle uintptr, symbol string) uintptr {
	a, err := syscall.GetProcAddress(syscall.Handle(handle), symbol)
	if err != nil {
		return 0
	}
	return a
}

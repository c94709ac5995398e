package dl

import "syscall"

// openFile opens a DLL by path. The candidates are full paths, so that no DLL of the current directory gets in the way.
func openFile(path string) (uintptr, error) {
	h, err := syscall.LoadLibrary(path)
	return uintptr(h), err
}

// lookup returns the address of a symbol, or 0.
func lookup(handle uintptr, symbol string) uintptr {
	a, err := syscall.GetProcAddress(syscall.Handle(handle), symbol)
	if err != nil {
		return 0
	}
	return a
}

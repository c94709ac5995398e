//go:build ((linux && !android) || (darwin && !ios)) && (amd64 || arm64)

package ccall

import "github.com/ebitengine/purego"

// LibC returns the address of a function of the C library, which every process has open; 0 if it
// lacks the function.
func LibC(symbol string) uintptr {
	addr, err := purego.Dlsym(purego.RTLD_DEFAULT, symbol)
	if err != nil {
		return 0
	}
	return addr
}

//go:build !android

package sim

const (
	frameRegs = 8
	entrySize = 8 // two instructions
)

// entryIndex makes what the assembly knows the entry's number.
func entryIndex(source uintptr) uintptr { return source }

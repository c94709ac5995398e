//go:build !android

package sim

const (
	frameRegs = 8
	entrySize = 8 // two instructions
)

// entryIndex returns the entry's number from what the assembly passes.
func entryIndex(source uintptr) uintptr { return source }

//go:build !android

package sim

const (
	frameRegs = 6
	entrySize = 5 // a CALL
)

// entryIndex makes what the assembly knows, the distance of the instruction behind the entry from
// the table, the entry's number.
func entryIndex(source uintptr) uintptr { return source/entrySize - 1 }

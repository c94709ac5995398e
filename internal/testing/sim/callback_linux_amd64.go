//go:build !android

package sim

const (
	frameRegs = 6
	entrySize = 5 // a CALL
)

// entryIndex returns the entry's number. The assembly passes the distance from the table to the
// instruction behind the entry.
func entryIndex(source uintptr) uintptr { return source/entrySize - 1 }

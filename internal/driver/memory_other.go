//go:build !linux && !windows

package driver

// hostMemory knows of no way to find out here.
func hostMemory() (total, free uint64, ok bool) { return 0, 0, false }

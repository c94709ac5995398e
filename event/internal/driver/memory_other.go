//go:build !linux && !windows

package driver

// hostMemory has no system to ask that is known here.
func hostMemory() (total, free uint64, ok bool) { return 0, 0, false }

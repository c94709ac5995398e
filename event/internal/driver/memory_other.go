//go:build !linux

package driver

// hostMemory returns the size of the machine's memory in bytes; 0 if the system does not tell.
func hostMemory() uint64 { return 0 }

package driver

import (
	"syscall"
	"unsafe"
)

// memoryStatus is MEMORYSTATUSEX.
type memoryStatus struct {
	size, load                      uint32
	physical, freePhysical          uint64
	pageFile, freePageFile          uint64
	virtual, freeVirtual, freeOther uint64
}

var globalMemoryStatusEx = syscall.NewLazyDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

// hostMemory returns the machine's total and free memory in bytes.
func hostMemory() (total, free uint64, ok bool) {
	var s memoryStatus
	s.size = uint32(unsafe.Sizeof(s))
	if globalMemoryStatusEx.Find() != nil {
		return 0, 0, false
	}
	done, _, _ := globalMemoryStatusEx.Call(uintptr(unsafe.Pointer(&s)))
	return s.physical, s.freePhysical, done != 0
}

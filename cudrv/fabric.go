package cudrv

import (
	"runtime"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/ccall"
)

// MemImportFabricHandle imports memory by a fabric handle. It calls [MemImportFromShareableHandle],
// which takes the handle as a uintptr, and keeps h alive meanwhile.
func MemImportFabricHandle(h *MemFabricHandle) (MemGenericAllocationHandle, error) {
	memory, err := MemImportFromShareableHandle(ccall.Ptr(unsafe.Pointer(h)), MemHandleTypeFabric)
	runtime.KeepAlive(h)
	return memory, err
}

// MemPoolImportFabricHandle imports a pool by a fabric handle. It calls
// [MemPoolImportFromShareableHandle], which takes the handle as a uintptr, and keeps h alive
// meanwhile. Flags must be 0.
func MemPoolImportFabricHandle(h *MemFabricHandle, flags uint64) (MemoryPool, error) {
	pool, err := MemPoolImportFromShareableHandle(ccall.Ptr(unsafe.Pointer(h)), MemHandleTypeFabric,
		flags)
	runtime.KeepAlive(h)
	return pool, err
}

package cudrv

import (
	"runtime"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/ccall"
)

// MemImportFabricHandle imports memory by a fabric handle: [MemImportFromShareableHandle], which
// takes the handle as a word that nothing keeps alive.
func MemImportFabricHandle(h *MemFabricHandle) (MemGenericAllocationHandle, error) {
	memory, err := MemImportFromShareableHandle(ccall.Ptr(unsafe.Pointer(h)), MemHandleTypeFabric)
	runtime.KeepAlive(h)
	return memory, err
}

// MemPoolImportFabricHandle imports a pool by a fabric handle: [MemPoolImportFromShareableHandle],
// which takes the handle as a word that nothing keeps alive. Flags must be 0.
func MemPoolImportFabricHandle(h *MemFabricHandle, flags uint64) (MemoryPool, error) {
	pool, err := MemPoolImportFromShareableHandle(
		ccall.Ptr(unsafe.Pointer(h)),
		MemHandleTypeFabric,
		flags,
	)
	runtime.KeepAlive(h)
	return pool, err
}

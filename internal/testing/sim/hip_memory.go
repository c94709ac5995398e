package sim

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/hip"
)

func defineHIPMemory(a *api) {
	def2(a, "hipMalloc", "5.2.3", 0, (*face).alloc)
	def1(a, "hipFree", "5.2.3", destroys, func(f *face, at uintptr) code {
		return f.free("hipFree", at, deviceBlock)
	})
	def3(a, "hipExtMallocWithFlags", "5.2.3", 0,
		func(f *face, out *uintptr, size uintptr, flags uint32) code {
			switch {
			case flags != uint32(hip.MallocSignalMemory):
				return f.allocDevice(out, size)
			case !f.plays(amdWaitValueMemory) || size != 8:
				return invalidValue
			}
			return f.allocHost(out, size, flags, signalBlock)
		})
	def2(a, "hipMemGetInfo", "5.2.3", 0, (*face).memoryInfo)
	def3(a, "hipMemGetAddressRange", "5.2.3", 0, (*face).memoryRange)
	def3(a, "hipHostMalloc", "5.2.3", 0, (*face).hostAlloc)
	def3(a, "hipHostAlloc", "5.2.3", 0, (*face).hostAlloc)
	for _, name := range []string{"hipHostFree", "hipFreeHost"} {
		def1(a, name, "5.2.3", destroys, func(f *face, at uintptr) code {
			return f.free(name, at, hostBlock)
		})
	}
	def3(a, "hipHostRegister", "5.2.3", 0, (*face).hostRegister)
	def1(a, "hipHostUnregister", "5.2.3", destroys, func(f *face, p unsafe.Pointer) code {
		return f.hostUnregister("hipHostUnregister", p)
	})
	def2(a, "hipHostGetFlags", "5.2.3", 0, (*face).hostFlags)
	def3(a, "hipHostGetDevicePointer", "5.2.3", 0,
		func(f *face, out *uintptr, address uintptr, _ uint32) code {
			return f.devicePointer(out, address)
		})
	def2(a, "hipDeviceEnablePeerAccess", "5.2.3", 0, (*face).deviceEnablePeer)
	def1(a, "hipDeviceDisablePeerAccess", "5.2.3", 0, func(f *face, peer int32) code {
		return f.setDevicePeer(peer, false)
	})
	def3(a, "hipPointerGetAttribute", "5.2.3", 0, (*face).pointerAttribute)
	def4(a, "hipDrvPointerGetAttributes", "5.2.3", 0, (*face).pointerAttributes)
	def2(a, "hipPointerGetAttributes", "5.2.3", 0, (*face).hipPointerAttributes)
	defineHIPFills(a)
}

func defineHIPFills(a *api) {
	for _, x := range []struct {
		name string
		size uintptr
	}{{"hipMemset", 1}, {"hipMemsetD8", 1}, {"hipMemsetD16", 2}, {"hipMemsetD32", 4}} {
		async := x.name + "Async"
		def4(a, async, "5.2.3", 0, func(f *face, at uintptr, value uint32, n, s uintptr) code {
			return f.fill(async, at, value, x.size, n, s, false)
		})
		def3(a, x.name, "5.2.3", 0, func(f *face, at uintptr, value uint32, n uintptr) code {
			return f.fill(x.name, at, value, x.size, n, streamNull, true)
		})
	}
}

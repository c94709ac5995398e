package sim

import "unsafe"

func defineCUDAMemory(a *api) {
	def2(a, "cuMemAlloc_v2", "3.2", 0, (*face).alloc)
	def1(a, "cuMemFree_v2", "3.2", wantsThread|destroys, func(f *face, at uintptr) code {
		return f.free("cuMemFree_v2", at, deviceBlock)
	})
	def2(a, "cuMemGetInfo_v2", "3.2", wantsThread, (*face).memoryInfo)
	def3(a, "cuMemGetAddressRange_v2", "3.2", wantsThread, (*face).memoryRange)
	def2(a, "cuMemAllocHost_v2", "3.2", 0, func(f *face, out *uintptr, size uintptr) code {
		return f.hostAlloc(out, size, 0)
	})
	def3(a, "cuMemHostAlloc", "2.2", 0, (*face).hostAlloc)
	def1(a, "cuMemFreeHost", "2.0", wantsThread|destroys, func(f *face, at uintptr) code {
		return f.free("cuMemFreeHost", at, hostBlock)
	})
	def3(a, "cuMemHostRegister_v2", "6.5", 0, (*face).hostRegister)
	def1(a, "cuMemHostUnregister", "4.0", wantsThread|destroys, func(f *face, p unsafe.Pointer) code {
		return f.hostUnregister("cuMemHostUnregister", p)
	})
	def2(a, "cuMemHostGetFlags", "2.3", wantsThread, (*face).hostFlags)
	def3(a, "cuMemHostGetDevicePointer_v2", "3.2", 0,
		func(f *face, out *uintptr, address uintptr, _ uint32) code {
			return f.devicePointer(out, address)
		})
	def2(a, "cuCtxEnablePeerAccess", "4.0", wantsThread, (*face).ctxEnablePeer)
	def1(a, "cuCtxDisablePeerAccess", "4.0", wantsThread, (*face).ctxDisablePeer)
	def3(a, "cuPointerGetAttribute", "4.0", wantsThread, (*face).pointerAttribute)
	def4(a, "cuPointerGetAttributes", "7.0", wantsThread, (*face).pointerAttributes)
	defineCUDAFills(a)
	defineCUDAManaged(a)
}

func defineCUDAFills(a *api) {
	for _, x := range []struct {
		bits string
		size uintptr
	}{{"8", 1}, {"16", 2}, {"32", 4}} {
		async, sync := "cuMemsetD"+x.bits+"Async", "cuMemsetD"+x.bits+"_v2"
		def4(a, async, "3.2", wantsThread, func(f *face, at uintptr, value uint32, n, s uintptr) code {
			return f.fill(async, at, value, x.size, n, s, false)
		})
		def3(a, sync, "3.2", wantsThread, func(f *face, at uintptr, value uint32, n uintptr) code {
			return f.fill(sync, at, value, x.size, n, streamNull, true)
		})
	}
}

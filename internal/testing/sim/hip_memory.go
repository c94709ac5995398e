package sim

import "github.com/gpuevent/gpuevent/hip"

func defineHIPMemory(a *api) {
	def2(a, "hipMalloc", "5.2.3", 0, (*face).alloc)
	def1(a, "hipFree", "5.2.3", destroys, (*face).free)
	def3(a, "hipExtMallocWithFlags", "5.2.3", 0,
		func(f *face, out *uintptr, size uintptr, flags uint32) code {
			switch {
			case flags != uint32(hip.MallocSignalMemory):
				return f.alloc(out, size)
			case !f.plays(amdWaitValueMemory) || size != 8:
				return invalidValue
			}
			return f.hostAlloc(out, size, flags)
		})
	def2(a, "hipMemGetInfo", "5.2.3", 0, (*face).memoryInfo)
	def3(a, "hipHostMalloc", "5.2.3", 0, func(f *face, out *uintptr, size uintptr, flags uint32) code {
		return f.hostAlloc(out, size, flags)
	})
	def1(a, "hipHostFree", "5.2.3", destroys, (*face).free)
	def3(a, "hipHostGetDevicePointer", "5.2.3", 0,
		func(f *face, out *uintptr, address uintptr, _ uint32) code {
			return f.devicePointer(out, address)
		})
	def4(a, "hipMemsetAsync", "5.2.3", 0, func(f *face, at uintptr, value int32, n, s uintptr) code {
		return f.fill("hipMemsetAsync", at, uint32(value), 1, n, s)
	})
	def5(a, "hipStreamWaitValue32", "5.2.3", 0,
		func(f *face, s, at uintptr, value, flags, mask uint32) code {
			return f.waitValue("hipStreamWaitValue32", s, at, 4, uint64(value), uint64(mask), flags)
		})
	def5(a, "hipStreamWaitValue64", "5.2.3", 0,
		func(f *face, s, at uintptr, value uint64, flags uint32, mask uint64) code {
			return f.waitValue("hipStreamWaitValue64", s, at, 8, value, mask, flags)
		})
	def4(a, "hipStreamWriteValue32", "5.2.3", 0, func(f *face, s, at uintptr, value, _ uint32) code {
		return f.writeValue("hipStreamWriteValue32", s, at, 4, uint64(value))
	})
	def4(a, "hipStreamWriteValue64", "5.2.3", 0,
		func(f *face, s, at uintptr, value uint64, _ uint32) code {
			return f.writeValue("hipStreamWriteValue64", s, at, 8, value)
		})
}

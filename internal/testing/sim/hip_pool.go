package sim

func defineHIPPools(a *api) {
	def3(a, "hipMallocAsync", "5.2.3", 0, func(f *face, out *uintptr, n, s uintptr) code {
		return f.allocAsync("hipMallocAsync", out, n, nil, s)
	})
	def4(a, "hipMallocFromPoolAsync", "5.2.3", 0,
		func(f *face, out *uintptr, n, pool, s uintptr) code {
			return f.allocFromPool("hipMallocFromPoolAsync", out, n, pool, s)
		})
	def2(a, "hipFreeAsync", "5.2.3", destroys, func(f *face, at, s uintptr) code {
		return f.freeAsync("hipFreeAsync", at, s)
	})
	def2(a, "hipDeviceGetDefaultMemPool", "5.2.3", 0, (*face).deviceGetPool)
	def2(a, "hipDeviceGetMemPool", "5.2.3", 0, (*face).deviceGetPool)
	def3(a, "hipMemPoolSetAttribute", "5.2.3", 0,
		func(f *face, pool uintptr, attribute int32, value *uint64) code {
			return f.poolSet("hipMemPoolSetAttribute", pool, attribute, value)
		})
	def3(a, "hipMemPoolGetAttribute", "5.2.3", 0,
		func(f *face, pool uintptr, attribute int32, value *uint64) code {
			return f.poolGet("hipMemPoolGetAttribute", pool, attribute, value)
		})
	def2(a, "hipMemPoolTrimTo", "5.2.3", 0, func(f *face, pool, keep uintptr) code {
		return f.poolTrim("hipMemPoolTrimTo", pool, keep)
	})
	def3(a, "hipMemPoolSetAccess", "5.2.3", 0,
		func(f *face, pool uintptr, list *accessDesc, n uintptr) code {
			return f.poolSetAccess("hipMemPoolSetAccess", pool, list, n)
		})
	def3(a, "hipMemPoolGetAccess", "5.2.3", 0,
		func(f *face, flags *int32, pool uintptr, location *[2]int32) code {
			return f.poolGetAccess("hipMemPoolGetAccess", flags, pool, location)
		})
}

package sim

func defineCUDAPools(a *api) {
	def3(a, "cuMemAllocAsync", "11.2", wantsThread, func(f *face, out *uintptr, n, s uintptr) code {
		return f.allocAsync("cuMemAllocAsync", out, n, nil, s)
	})
	def4(a, "cuMemAllocFromPoolAsync", "11.2", wantsThread,
		func(f *face, out *uintptr, n, pool, s uintptr) code {
			return f.allocFromPool("cuMemAllocFromPoolAsync", out, n, pool, s)
		})
	def2(a, "cuMemFreeAsync", "11.2", wantsThread|destroys, func(f *face, at, s uintptr) code {
		return f.freeAsync("cuMemFreeAsync", at, s)
	})
	def2(a, "cuMemPoolCreate", "11.2", 0, (*face).poolCreate)
	def1(a, "cuMemPoolDestroy", "11.2", destroys, func(f *face, pool uintptr) code {
		return f.poolDestroy("cuMemPoolDestroy", pool)
	})
	def2(a, "cuDeviceGetDefaultMemPool", "11.2", 0, (*face).deviceGetPool)
	def2(a, "cuDeviceGetMemPool", "11.2", 0, (*face).deviceGetPool)
	def3(a, "cuMemGetDefaultMemPool", "13.0", 0, (*face).poolAt)
	def3(a, "cuMemGetMemPool", "13.0", 0, (*face).poolAt)
	def3(a, "cuMemPoolSetAttribute", "11.2", 0,
		func(f *face, pool uintptr, attribute int32, value *uint64) code {
			return f.poolSet("cuMemPoolSetAttribute", pool, attribute, value)
		})
	def3(a, "cuMemPoolGetAttribute", "11.2", 0,
		func(f *face, pool uintptr, attribute int32, value *uint64) code {
			return f.poolGet("cuMemPoolGetAttribute", pool, attribute, value)
		})
	def2(a, "cuMemPoolTrimTo", "11.2", 0, func(f *face, pool, keep uintptr) code {
		return f.poolTrim("cuMemPoolTrimTo", pool, keep)
	})
	def3(a, "cuMemPoolSetAccess", "11.2", 0,
		func(f *face, pool uintptr, list *accessDesc, n uintptr) code {
			return f.poolSetAccess("cuMemPoolSetAccess", pool, list, n)
		})
	def3(a, "cuMemPoolGetAccess", "11.2", 0,
		func(f *face, flags *int32, pool uintptr, location *[2]int32) code {
			return f.poolGetAccess("cuMemPoolGetAccess", flags, pool, location)
		})
}

package sim

import "unsafe"

func defineCUDAManaged(a *api) {
	def3(a, "cuMemAllocManaged", "6.0", 0, (*face).allocManaged)
	def4(a, "cuMemPrefetchAsync", "8.0", wantsThread,
		func(f *face, at, size uintptr, device int32, s uintptr) code {
			return f.prefetch("cuMemPrefetchAsync", at, size, placeOf(device), s)
		})
	def5(a, "cuMemPrefetchAsync_v2", "12.2", wantsThread,
		func(f *face, at, size uintptr, to location, flags uint32, s uintptr) code {
			if flags != 0 {
				return invalidValue
			}
			return f.prefetch("cuMemPrefetchAsync_v2", at, size, to, s)
		})
	def4(a, "cuMemAdvise", "8.0", wantsThread,
		func(f *face, at, size uintptr, advice, device int32) code {
			return f.advise(at, size, advice, placeOf(device))
		})
	def4(a, "cuMemAdvise_v2", "12.2", wantsThread,
		func(f *face, at, size uintptr, advice int32, to location) code {
			return f.advise(at, size, advice, to)
		})
	def5(a, "cuMemRangeGetAttribute", "8.0", wantsThread,
		func(f *face, data *int32, bytes uintptr, attribute int32, at, size uintptr) code {
			return f.rangeAttribute(data, bytes, attribute, at, size)
		})
	def6(a, "cuMemRangeGetAttributes", "8.0", wantsThread,
		func(f *face, data **int32, bytes *uintptr, attributes *int32, n, at, size uintptr) code {
			if data == nil || bytes == nil || attributes == nil || n == 0 {
				return invalidValue
			}
			for i, attribute := range unsafe.Slice(attributes, n) {
				to, room := unsafe.Slice(data, n)[i], unsafe.Slice(bytes, n)[i]
				if fault := f.rangeAttribute(to, room, attribute, at, size); fault != success {
					return fault
				}
			}
			return success
		})
	defBatch(a, "cuMemPrefetchBatchAsync", (*face).prefetchBatch)
	defBatch(a, "cuMemDiscardAndPrefetchBatchAsync", (*face).prefetchBatch)
	def5(a, "cuMemDiscardBatchAsync", "13.0", wantsThread,
		func(f *face, addresses, sizes *uintptr, n uintptr, flags uint64, s uintptr) code {
			return f.discardBatch("cuMemDiscardBatchAsync",
				batch{addresses: addresses, sizes: sizes, n: n, flags: flags}, s)
		})
}

// batch is ranges of managed memory, and where they go to: each index is of the first range that
// goes to its location.
type batch struct {
	addresses, sizes *uintptr
	n                uintptr
	to               *location
	first            *uintptr
	locations        uintptr
	flags            uint64
}

func defBatch(a *api, name string, do func(*face, string, batch, uintptr) code) {
	fn := a.define(name, "13.0", 8, wantsThread)
	fn.impl = func(fr *frame) uintptr {
		e := fn.enter(fr)
		if e.run {
			e.result = do(e.face, name, batch{
				addresses: arg[*uintptr](fr, 0), sizes: arg[*uintptr](fr, 1), n: arg[uintptr](fr, 2),
				to: arg[*location](fr, 3), first: arg[*uintptr](fr, 4), locations: arg[uintptr](fr, 5),
				flags: arg[uint64](fr, 6)}, arg[uintptr](fr, 7))
		}
		return e.leave()
	}
}

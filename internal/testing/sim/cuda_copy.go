package sim

func defineCUDACopies(a *api) {
	for _, x := range []struct {
		name, async, sync, since string
		known                    copyRange
	}{
		{"cuMemcpyHtoD", "Async_v2", "_v2", "3.2", copyToGPU},
		{"cuMemcpyDtoH", "Async_v2", "_v2", "3.2", copyGPU},
		{"cuMemcpyDtoD", "Async_v2", "_v2", "3.2", copyWithin},
		{"cuMemcpy", "Async", "", "4.0", copyAny},
	} {
		async, sync := x.name+x.async, x.name+x.sync
		def4(a, async, x.since, wantsThread, func(f *face, to, from, n, s uintptr) code {
			return f.copyMemory(async, to, from, n, s, x.known, false)
		})
		def3(a, sync, x.since, wantsThread, func(f *face, to, from, n uintptr) code {
			return f.copyMemory(sync, to, from, n, streamNull, x.known, true)
		})
	}
	def6(a, "cuMemcpyPeerAsync", "4.0", wantsThread,
		func(f *face, to, toContext, from, fromContext, n, s uintptr) code {
			return f.copyPeer("cuMemcpyPeerAsync", to, toContext, from, fromContext, n, s, false)
		})
	def5(a, "cuMemcpyPeer", "4.0", wantsThread,
		func(f *face, to, toContext, from, fromContext, n uintptr) code {
			return f.copyPeer("cuMemcpyPeer", to, toContext, from, fromContext, n, streamNull, true)
		})
}

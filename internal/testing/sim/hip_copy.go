package sim

func defineHIPCopies(a *api) {
	for _, x := range []struct {
		name string
		kind uint32
	}{{"hipMemcpyHtoD", copyHostToDevice}, {"hipMemcpyDtoH", 2}, {"hipMemcpyDtoD", 3}} {
		async := x.name + "Async"
		def4(a, async, "5.2.3", 0, func(f *face, to, from, n, s uintptr) code {
			return f.copyKind(async, to, from, n, x.kind, s, false)
		})
		def3(a, x.name, "5.2.3", 0, func(f *face, to, from, n uintptr) code {
			return f.copyKind(x.name, to, from, n, x.kind, streamNull, true)
		})
	}
	def5(a, "hipMemcpyAsync", "5.2.3", 0,
		func(f *face, to, from, n uintptr, kind uint32, s uintptr) code {
			return f.copyKind("hipMemcpyAsync", to, from, n, kind, s, false)
		})
	def4(a, "hipMemcpy", "5.2.3", 0, func(f *face, to, from, n uintptr, kind uint32) code {
		return f.copyKind("hipMemcpy", to, from, n, kind, streamNull, true)
	})
	def6(a, "hipMemcpyPeerAsync", "5.2.3", 0,
		func(f *face, to uintptr, toDevice int32, from uintptr, fromDevice int32, n, s uintptr) code {
			return f.copyDevices("hipMemcpyPeerAsync", to, toDevice, from, fromDevice, n, s)
		})
	def5(a, "hipMemcpyPeer", "5.2.3", 0,
		func(f *face, to uintptr, toDevice int32, from uintptr, fromDevice int32, n uintptr) code {
			return f.copyDevices("hipMemcpyPeer", to, toDevice, from, fromDevice, n, streamNull)
		})
}

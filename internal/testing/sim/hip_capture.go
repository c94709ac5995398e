package sim

func defineHIPCaptures(a *api) {
	def2(a, "hipStreamBeginCapture", "5.2.3", 0, func(f *face, s uintptr, mode captureMode) code {
		return f.beginCapture("hipStreamBeginCapture", s, mode)
	})
	def2(a, "hipStreamEndCapture", "5.2.3", 0, func(f *face, s uintptr, out *uintptr) code {
		return f.endCapture("hipStreamEndCapture", s, out)
	})
	def2(a, "hipStreamIsCapturing", "5.2.3", 0, func(f *face, s uintptr, status *captureStatus) code {
		return f.captureInfo("hipStreamIsCapturing", s, status, nil)
	})
	def3(a, "hipStreamGetCaptureInfo", "5.2.3", 0,
		func(f *face, s uintptr, status *captureStatus, id *uint64) code {
			return f.captureInfo("hipStreamGetCaptureInfo", s, status, id)
		})
	def1(a, "hipThreadExchangeStreamCaptureMode", "5.2.3", 0, (*face).exchangeCaptureMode)
	def5(a, "hipGraphInstantiate", "5.2.3", 0, func(f *face, out *uintptr, g, _, _, _ uintptr) code {
		return f.graphInstantiate("hipGraphInstantiate", out, g, 0)
	})
	def3(a, "hipGraphInstantiateWithFlags", "5.2.3", 0,
		func(f *face, out *uintptr, g uintptr, flags uint64) code {
			return f.graphInstantiate("hipGraphInstantiateWithFlags", out, g, flags)
		})
	def2(a, "hipGraphLaunch", "5.2.3", 0, func(f *face, x, s uintptr) code {
		return f.graphLaunch("hipGraphLaunch", x, s)
	})
	def3(a, "hipGraphGetNodes", "5.2.3", 0, func(f *face, g uintptr, nodes, n *uintptr) code {
		return f.graphNodes("hipGraphGetNodes", g, nodes, n)
	})
	def1(a, "hipGraphDestroy", "5.2.3", destroys, func(f *face, g uintptr) code {
		return f.graphDestroy("hipGraphDestroy", g, graphKind)
	})
	def1(a, "hipGraphExecDestroy", "5.2.3", destroys, func(f *face, x uintptr) code {
		return f.graphDestroy("hipGraphExecDestroy", x, execKind)
	})
}

package sim

func defineCUDACaptures(a *api) {
	def2(a, "cuStreamBeginCapture_v2", "10.1", wantsThread,
		func(f *face, s uintptr, mode captureMode) code {
			return f.beginCapture("cuStreamBeginCapture_v2", s, mode)
		})
	def2(a, "cuStreamEndCapture", "10.0", wantsThread, func(f *face, s uintptr, out *uintptr) code {
		return f.endCapture("cuStreamEndCapture", s, out)
	})
	def2(a, "cuStreamIsCapturing", "10.0", wantsThread,
		func(f *face, s uintptr, status *captureStatus) code {
			return f.captureInfo("cuStreamIsCapturing", s, status, nil)
		})
	def3(a, "cuStreamGetCaptureInfo", "10.1", wantsThread,
		func(f *face, s uintptr, status *captureStatus, id *uint64) code {
			return f.captureInfo("cuStreamGetCaptureInfo", s, status, id)
		})
	def1(a, "cuThreadExchangeStreamCaptureMode", "10.1", 0, (*face).exchangeCaptureMode)
	def3(a, "cuGraphInstantiateWithFlags", "11.4", wantsThread,
		func(f *face, out *uintptr, g uintptr, flags uint64) code {
			return f.graphInstantiate("cuGraphInstantiateWithFlags", out, g, flags)
		})
	def2(a, "cuGraphLaunch", "10.0", wantsThread, func(f *face, x, s uintptr) code {
		return f.graphLaunch("cuGraphLaunch", x, s)
	})
	def3(a, "cuGraphGetNodes", "10.0", wantsThread, func(f *face, g uintptr, nodes, n *uintptr) code {
		return f.graphNodes("cuGraphGetNodes", g, nodes, n)
	})
	def1(a, "cuGraphDestroy", "10.0", wantsThread|destroys, func(f *face, g uintptr) code {
		return f.graphDestroy("cuGraphDestroy", g, graphKind)
	})
	def1(a, "cuGraphExecDestroy", "10.0", wantsThread|destroys, func(f *face, x uintptr) code {
		return f.graphDestroy("cuGraphExecDestroy", x, execKind)
	})
}

package sim

func defineCUDAEvents(a *api) {
	def2(a, "cuEventCreate", "2.0", 0, (*face).eventCreate)
	defEvent(a, "cuEventDestroy_v2", "4.0", wantsThread|destroys, (*face).eventDestroy)
	def2(a, "cuEventRecord", "2.0", wantsThread, func(f *face, e, s uintptr) code {
		return f.eventRecord("cuEventRecord", e, s, 0)
	})
	def3(a, "cuEventRecordWithFlags", "11.1", wantsThread,
		func(f *face, e, s uintptr, flags uint32) code {
			return f.eventRecord("cuEventRecordWithFlags", e, s, flags)
		})
	defEvent(a, "cuEventQuery", "2.0", wantsThread, (*face).eventQuery)
	defEvent(a, "cuEventSynchronize", "2.0", wantsThread, (*face).eventSynchronize)
	def3(a, "cuEventElapsedTime", "2.0", wantsThread,
		func(f *face, out *float32, start, end uintptr) code {
			return f.elapsed("cuEventElapsedTime", out, start, end, true)
		})
	def3(a, "cuEventElapsedTime_v2", "12.8", wantsThread,
		func(f *face, out *float32, start, end uintptr) code {
			return f.elapsed("cuEventElapsedTime_v2", out, start, end, false)
		})
	def2(a, "cuIpcGetEventHandle", "4.1", wantsThread,
		func(f *face, out *descriptor, e uintptr) code {
			return f.ipcGet("cuIpcGetEventHandle", out, e)
		})
	defIPCOpen(a, "cuIpcOpenEventHandle", "4.1")
}

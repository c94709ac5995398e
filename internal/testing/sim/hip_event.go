package sim

func defineHIPEvents(a *api) {
	def1(a, "hipEventCreate", "5.2.3", 0, func(f *face, out *uintptr) code {
		return f.eventCreate(out, 0)
	})
	def2(a, "hipEventCreateWithFlags", "5.2.3", 0, (*face).eventCreate)
	def1(a, "hipEventDestroy", "5.2.3", destroys, func(f *face, e uintptr) code {
		return f.eventDestroy("hipEventDestroy", e)
	})
	def2(a, "hipEventRecord", "5.2.3", 0, func(f *face, e, s uintptr) code {
		return f.eventRecord("hipEventRecord", e, s, 0)
	})
	def3(a, "hipEventRecordWithFlags", "6.4.3", 0, func(f *face, e, s uintptr, flags uint32) code {
		return f.eventRecord("hipEventRecordWithFlags", e, s, flags)
	})
	def1(a, "hipEventQuery", "5.2.3", 0, func(f *face, e uintptr) code {
		return f.eventQuery("hipEventQuery", e)
	})
	def1(a, "hipEventSynchronize", "5.2.3", 0, func(f *face, e uintptr) code {
		return f.eventSynchronize("hipEventSynchronize", e)
	})
	def3(a, "hipEventElapsedTime", "5.2.3", 0, func(f *face, out *float32, start, end uintptr) code {
		return f.elapsed("hipEventElapsedTime", out, start, end, true)
	})
	def2(a, "hipIpcGetEventHandle", "5.2.3", 0,
		func(f *face, out *descriptor, e uintptr) code {
			return f.ipcGet("hipIpcGetEventHandle", out, e)
		})
	defIPCOpen(a, "hipIpcOpenEventHandle", "5.2.3")
}

package sim

func defineHIPStreams(a *api) {
	def1(a, "hipStreamCreate", "5.2.3", 0, func(f *face, out *uintptr) code {
		return f.streamCreate(out, 0, 0)
	})
	def2(a, "hipStreamCreateWithFlags", "5.2.3", 0, func(f *face, out *uintptr, flags uint32) code {
		return f.streamCreate(out, flags, 0)
	})
	def3(a, "hipStreamCreateWithPriority", "5.2.3", 0, (*face).streamCreate)
	def1(a, "hipStreamDestroy", "5.2.3", destroys, func(f *face, s uintptr) code {
		return f.streamDestroy("hipStreamDestroy", s)
	})
	def1(a, "hipStreamQuery", "5.2.3", 0, func(f *face, s uintptr) code {
		return f.streamQuery("hipStreamQuery", s)
	})
	def1(a, "hipStreamSynchronize", "5.2.3", 0, func(f *face, s uintptr) code {
		return f.streamSynchronize("hipStreamSynchronize", s)
	})
	def3(a, "hipStreamWaitEvent", "5.2.3", 0, func(f *face, s, e uintptr, flags uint32) code {
		return f.streamWaitEvent("hipStreamWaitEvent", s, e, flags)
	})
	def2(a, "hipStreamGetFlags", "5.2.3", 0, func(f *face, h uintptr, out *uint32) code {
		if h == streamNull && f.plays(amdNullStreamFlags) || out == nil {
			return invalidValue
		}
		s, fault := f.stream("hipStreamGetFlags", h)
		if fault != success {
			return fault
		}
		*out = s.flags
		return success
	})
	def2(a, "hipStreamGetPriority", "5.2.3", 0, func(f *face, h uintptr, out *int32) code {
		return f.streamPriority("hipStreamGetPriority", h, out)
	})
	def2(a, "hipStreamGetDevice", "5.7.1", 0, func(f *face, h uintptr, out *int32) code {
		return f.streamDevice("hipStreamGetDevice", h, out)
	})
	def2(a, "hipStreamGetId", "7.1", 0, func(f *face, h uintptr, out *uint64) code {
		return f.streamID("hipStreamGetId", h, out)
	})
	def3(a, "hipLaunchHostFunc", "5.2.3", 0, func(f *face, s, fn, data uintptr) code {
		return f.launchHostFunc("hipLaunchHostFunc", s, fn, data)
	})
	def4(a, "hipStreamAddCallback", "5.2.3", 0, func(f *face, s, fn, data uintptr, flags uint32) code {
		return f.addCallback("hipStreamAddCallback", s, fn, data, flags)
	})
}

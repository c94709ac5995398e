package sim

func defineCUDAStreams(a *api) {
	def2(a, "cuStreamCreate", "2.0", 0, func(f *face, out *uintptr, flags uint32) code {
		return f.streamCreate(out, flags, 0)
	})
	def3(a, "cuStreamCreateWithPriority", "5.5", 0, (*face).streamCreate)
	def1(a, "cuStreamDestroy_v2", "4.0", wantsThread|destroys, func(f *face, s uintptr) code {
		return f.streamDestroy("cuStreamDestroy_v2", s)
	})
	def1(a, "cuStreamQuery", "2.0", wantsThread, func(f *face, s uintptr) code {
		return f.streamQuery("cuStreamQuery", s)
	})
	def1(a, "cuStreamSynchronize", "2.0", wantsThread, func(f *face, s uintptr) code {
		return f.streamSynchronize("cuStreamSynchronize", s)
	})
	def3(a, "cuStreamWaitEvent", "3.2", wantsThread, func(f *face, s, e uintptr, flags uint32) code {
		return f.streamWaitEvent("cuStreamWaitEvent", s, e, flags)
	})
	def2(a, "cuStreamGetFlags", "5.5", wantsThread, func(f *face, h uintptr, out *uint32) code {
		s, fault := f.stream("cuStreamGetFlags", h)
		switch {
		case fault != success:
			return fault
		case out == nil:
			return invalidValue
		}
		*out = s.flags
		return success
	})
	def2(a, "cuStreamGetPriority", "5.5", wantsThread, func(f *face, h uintptr, out *int32) code {
		return f.streamPriority("cuStreamGetPriority", h, out)
	})
	def2(a, "cuStreamGetCtx", "9.2", wantsThread, func(f *face, h uintptr, out *uintptr) code {
		s, fault := f.stream("cuStreamGetCtx", h)
		switch {
		case fault != success:
			return fault
		case out == nil:
			return invalidValue
		}
		*out = s.context.handle
		return success
	})
	def2(a, "cuStreamGetDevice", "12.8", wantsThread, func(f *face, h uintptr, out *int32) code {
		return f.streamDevice("cuStreamGetDevice", h, out)
	})
	def2(a, "cuStreamGetId", "12.0", wantsThread, func(f *face, h uintptr, out *uint64) code {
		return f.streamID("cuStreamGetId", h, out)
	})
	def3(a, "cuLaunchHostFunc", "10.0", wantsThread, func(f *face, s, fn, data uintptr) code {
		return f.launchHostFunc("cuLaunchHostFunc", s, fn, data)
	})
	def4(a, "cuStreamAddCallback", "5.0", wantsThread,
		func(f *face, s, fn, data uintptr, flags uint32) code {
			return f.addCallback("cuStreamAddCallback", s, fn, data, flags)
		})
}

func (f *face) streamPriority(call string, h uintptr, out *int32) code {
	s, fault := f.stream(call, h)
	switch {
	case fault != success:
		return fault
	case out == nil:
		return invalidValue
	}
	*out = int32(s.priority)
	return success
}

func (f *face) streamDevice(call string, h uintptr, out *int32) code {
	s, fault := f.stream(call, h)
	switch {
	case fault != success:
		return fault
	case out == nil:
		return invalidValue
	}
	*out = int32(s.context.device.ordinal)
	return success
}

func (f *face) streamID(call string, h uintptr, out *uint64) code {
	s, fault := f.stream(call, h)
	switch {
	case fault != success:
		return fault
	case out == nil:
		return invalidValue
	}
	*out = s.id
	return success
}

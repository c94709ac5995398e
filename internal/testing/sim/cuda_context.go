package sim

const ctxFlagsMask = 0x3ff

func defineCUDAContexts(a *api) {
	def2(a, "cuDevicePrimaryCtxRetain", "7.0", 0, func(f *face, out *uintptr, device int32) code {
		d, fault := f.device(device)
		switch {
		case out == nil:
			return invalidValue
		case fault != success:
			return fault
		}
		c := f.activate(d)
		d.mu.Lock()
		d.refs++
		d.mu.Unlock()
		*out = c.handle
		return success
	})
	def1(a, "cuDevicePrimaryCtxRelease_v2", "11.0", destroys, func(f *face, device int32) code {
		d, fault := f.device(device)
		if fault != success {
			return fault
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.refs == 0 {
			return invalidContext
		}
		if d.refs--; d.refs == 0 {
			f.destroyContext(d.primary)
			d.primary = nil
		}
		return success
	})
	def1(a, "cuDevicePrimaryCtxReset_v2", "11.0", destroys, func(f *face, device int32) code {
		d, fault := f.device(device)
		if fault != success {
			return fault
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.primary != nil {
			f.destroyContext(d.primary)
			d.primary, d.refs = nil, 0
		}
		return success
	})
	def3(a, "cuDevicePrimaryCtxGetState", "7.0", 0,
		func(f *face, device int32, flags *uint32, active *int32) code {
			d, fault := f.device(device)
			switch {
			case fault != success:
				return fault
			case flags == nil || active == nil:
				return invalidValue
			}
			d.mu.Lock()
			defer d.mu.Unlock()
			*flags, *active = d.flags, 0
			if d.primary != nil {
				*active = 1
			}
			return success
		})
	def2(a, "cuDevicePrimaryCtxSetFlags_v2", "11.0", 0,
		func(f *face, device int32, flags uint32) code {
			d, fault := f.device(device)
			switch {
			case fault != success:
				return fault
			case flags&^ctxFlagsMask != 0:
				return invalidValue
			}
			d.mu.Lock()
			defer d.mu.Unlock()
			d.flags = flags
			return success
		})
	def3(a, "cuCtxCreate_v2", "3.2", 0, func(f *face, out *uintptr, flags uint32, device int32) code {
		return f.ctxCreate(out, flags, device)
	})
	def4(a, "cuCtxCreate_v4", "12.5", 0,
		func(f *face, out *uintptr, parameters uintptr, flags uint32, device int32) code {
			if parameters != 0 {
				return notSupported
			}
			return f.ctxCreate(out, flags, device)
		})
	def1(a, "cuCtxDestroy_v2", "4.0", destroys, func(f *face, h uintptr) code {
		c := f.findContext(h)
		switch {
		case c == nil:
			f.dead("cuCtxDestroy_v2", h, contextKind)
			return invalidContext
		case c.primary:
			return invalidContext
		}
		if t := f.thread(); t.current() == c {
			t.pop()
		}
		f.destroyContext(c)
		return c.failed()
	})
	def1(a, "cuCtxGetCurrent", "4.0", 0, func(f *face, out *uintptr) code {
		if out == nil {
			return invalidValue
		}
		*out = 0
		if c := f.thread().current(); c != nil {
			*out = c.handle
		}
		return success
	})
	def1(a, "cuCtxSetCurrent", "4.0", 0, func(f *face, h uintptr) code {
		var c *context
		if h != 0 {
			if c = f.findContext(h); c == nil {
				f.dead("cuCtxSetCurrent", h, contextKind)
				return invalidContext
			}
		}
		f.thread().setCurrent(c)
		return success
	})
	def1(a, "cuCtxPushCurrent_v2", "4.0", 0, func(f *face, h uintptr) code {
		c := f.findContext(h)
		if c == nil {
			f.dead("cuCtxPushCurrent_v2", h, contextKind)
			return invalidContext
		}
		f.thread().push(c)
		return success
	})
	def1(a, "cuCtxPopCurrent_v2", "4.0", 0, func(f *face, out *uintptr) code {
		t := f.thread()
		if t.current() == nil {
			return invalidContext
		}
		if h := t.pop().handle; out != nil {
			*out = h
		}
		return success
	})
	def1(a, "cuCtxGetDevice", "2.0", 0, func(f *face, out *int32) code {
		c := f.thread().current()
		switch {
		case out == nil:
			return invalidValue
		case c == nil:
			return invalidContext
		}
		*out = int32(c.device.ordinal)
		return success
	})
	def2(a, "cuCtxGetDevice_v2", "13.0", 0, func(f *face, out *int32, h uintptr) code {
		c, fault := f.given(h)
		switch {
		case out == nil:
			return invalidValue
		case fault != success:
			return fault
		}
		*out = int32(c.device.ordinal)
		return success
	})
	def1(a, "cuCtxGetFlags", "7.0", 0, func(f *face, out *uint32) code {
		c, fault := f.here()
		switch {
		case out == nil:
			return invalidValue
		case fault != success:
			return fault
		}
		*out = c.flags
		return success
	})
	def2(a, "cuCtxGetId", "12.0", 0, func(f *face, h uintptr, out *uint64) code {
		c, fault := f.given(h)
		switch {
		case out == nil:
			return invalidValue
		case fault != success:
			return fault
		}
		*out = c.id
		return success
	})
	def0(a, "cuCtxSynchronize", "2.0", 0, func(f *face) code { return f.ctxSynchronize(0) })
	def1(a, "cuCtxSynchronize_v2", "13.0", 0, (*face).ctxSynchronize)
	def2(a, "cuCtxGetStreamPriorityRange", "5.5", 0, (*face).priorityRange)
}

// given returns the context with a handle, or the current one for 0.
func (f *face) given(h uintptr) (*context, code) {
	if h == 0 {
		return f.here()
	}
	if c := f.findContext(h); c != nil {
		return c, c.failed()
	}
	f.dead("context", h, contextKind)
	return nil, invalidContext
}

func (f *face) ctxCreate(out *uintptr, flags uint32, device int32) code {
	d, fault := f.device(device)
	switch {
	case out == nil || flags&^ctxFlagsMask != 0:
		return invalidValue
	case fault != success:
		return fault
	}
	c := f.newContext(d, false, flags)
	f.thread().push(c)
	*out = c.handle
	return success
}

func (f *face) ctxSynchronize(h uintptr) code {
	if f.plays(cudaCaptureModes) {
		if c := f.heedModes(); c != success {
			return c
		}
	}
	c, fault := f.given(h)
	if fault != success {
		return fault
	}
	if c := f.spoilCaptures(c); c != success {
		return c
	}
	c.tells()
	done := codeOf(c.engine.Sync())
	if done == success {
		f.synchronized(c)
	}
	return done
}

func (f *face) priorityRange(least, greatest *int32) code {
	if _, fault := f.here(); fault != success {
		return fault
	}
	l, g := f.priorities()
	if least != nil {
		*least = l
	}
	if greatest != nil {
		*greatest = g
	}
	return success
}

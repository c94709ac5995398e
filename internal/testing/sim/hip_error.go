package sim

func defineHIPErrors(a *api) {
	defText(a, "hipGetErrorName", "5.2.3", func(f *face, c code) uintptr {
		return cText(f.hipErrorName(c))
	})
	defText(a, "hipGetErrorString", "5.2.3", func(f *face, c code) uintptr {
		return cText(f.hipErrorString(c))
	})
	def2(a, "hipDrvGetErrorName", "5.7.1", early, func(f *face, c int32, out *uintptr) code {
		return f.drvText(c, out, f.hipErrorName)
	})
	def2(a, "hipDrvGetErrorString", "5.7.1", early, func(f *face, c int32, out *uintptr) code {
		return f.drvText(c, out, f.hipErrorString)
	})
	def0(a, "hipGetLastError", "5.2.3", early|keepsError, func(f *face) code {
		return f.lastError(true)
	})
	def0(a, "hipExtGetLastError", "6.1", early|keepsError, func(f *face) code {
		return f.lastError(true)
	})
	def0(a, "hipPeekAtLastError", "5.2.3", early|keepsError, func(f *face) code {
		return f.lastError(false)
	})
}

func (f *face) drvText(c int32, out *uintptr, text func(code) string) code {
	if out == nil {
		return invalidValue
	}
	if f.hipErrorName(code(c)) == unknownName && code(c) != errorUnknown {
		*out = 0
		return invalidValue
	}
	*out = cText(text(code(c)))
	return success
}

// setLastError keeps a result for hipGetLastError.
func (f *face) setLastError(c code) {
	if c == success && f.driver.lastErrors.Load() == 0 {
		return
	}
	if (c == success || c == notReady) && !f.plays(amdLastErrorAlways) {
		return
	}
	t := f.thread()
	t.mu.Lock()
	defer t.mu.Unlock()
	f.replaceLastError(t, c)
}

// replaceLastError needs t.mu.
func (f *face) replaceLastError(t *thread, c code) {
	switch {
	case t.lastError == success && c != success:
		f.driver.lastErrors.Add(1)
	case t.lastError != success && c == success:
		f.driver.lastErrors.Add(-1)
	}
	t.lastError = c
}

func (f *face) lastError(reset bool) code {
	t := f.thread()
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.lastError
	if reset {
		f.replaceLastError(t, success)
	}
	return c
}

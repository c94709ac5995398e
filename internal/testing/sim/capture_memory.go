package sim

// Which memory calls are allowed during a capture: by vendor and version.

// mayManageMemory refuses to allocate, free or register while a capture is in progress that the
// thread heeds.
func (f *face) mayManageMemory() code {
	switch {
	case f.capturing.Load() == 0:
		return success
	case f.plays(cudaCaptureModes):
		return f.heedModes()
	case f.plays(amdAllocationHeedsCaptures):
		return f.heedInAllocation()
	}
	return success
}

// heedInAllocation is AMD's rule: a thread in global mode respects all global captures and its own,
// one in thread-local mode its own.
func (f *face) heedInAllocation() code {
	t := f.thread()
	mode := t.captureMode()
	if mode == captureRelaxed {
		return success
	}
	return f.refuse(captureUnsupported, func(c *capture) bool {
		return c.mode == captureGlobal && mode == captureGlobal ||
			c.mode != captureRelaxed && c.thread == t.id
	})
}

// mayManageAsync refuses hipMallocAsync and hipFreeAsync on a stream that does not capture while a
// blocking stream of its device does. The runtime reads the state of the stream whose handle it was
// given, and the null stream's is no pointer.
func (f *face) mayManageAsync(call string, s *stream) code {
	if f.capturing.Load() == 0 || !f.plays(amdAsyncMemoryHeedsCaptures) {
		return success
	}
	refused := f.blockingCapture(s.context)
	if refused && s.queue.IsDefault() {
		f.note(Crash{call, 0, "reads the state of the null stream while a stream captures"}, true)
	}
	if refused {
		return captureUnsupported
	}
	return success
}

// blockingCapture reports whether a blocking stream of a context takes part in a capture that is
// not spoilt.
func (f *face) blockingCapture(ctx *context) bool {
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	for _, c := range f.captures {
		if c.status != captureActive {
			continue
		}
		for o := range c.tails {
			if o.context == ctx && !o.queue.NonBlocking() {
				return true
			}
		}
	}
	return false
}

// mayCopyNow refuses a synchronous copy or fill, which is work of a default stream, while something
// is captured.
func (f *face) mayCopyNow(s *stream) code {
	switch {
	case f.capturing.Load() == 0:
		return success
	case f.plays(cudaCaptureModes):
		if fault := f.legacyMayWork(s); fault != success {
			return fault
		}
		return f.heedModes()
	case f.plays(amdAllocationHeedsCaptures):
		return f.refuse(captureImplicit, func(c *capture) bool {
			return c.mode == captureGlobal || f.plays(amdMemoryCallsSpoilCaptures)
		})
	}
	return success
}

// refuse returns the code if there is a capture that counts, and spoils these captures where the
// runtime does.
func (f *face) refuse(answer code, counts func(*capture) bool) code {
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	refused := success
	for _, c := range f.captures {
		if !counts(c) {
			continue
		}
		refused = answer
		if f.plays(amdMemoryCallsSpoilCaptures) {
			f.spoil(c)
		}
	}
	return refused
}

package sim

// Which queries are allowed during a capture: by vendor and version.

// heedModes is CUDA's rule for queries and waits. A thread in global mode respects its own captures
// that are not relaxed and the global ones of others; in thread-local mode only its own; in relaxed
// mode none. The call invalidates the captures.
func (f *face) heedModes() code {
	if f.capturing.Load() == 0 {
		return success
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	t := f.thread()
	mode := t.captureMode()
	refused := success
	for _, c := range f.captures {
		own := c.thread == t.id
		heeded := own && c.mode != captureRelaxed ||
			!own && c.mode == captureGlobal && mode == captureGlobal
		if heeded && mode != captureRelaxed && f.hip() { // until it is ended, though it is spoilt
			refused = captureUnsupported
		}
		if heeded && mode != captureRelaxed && c.status == captureActive {
			f.spoil(c)
			refused = captureUnsupported
		}
	}
	return refused
}

// heedOngoing is AMD's rule for queries of a stream that does not capture itself. A thread respects
// its own captures that are not relaxed, and all global ones, unless it is in relaxed mode.
func (f *face) heedOngoing() code {
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	t := f.thread()
	mode := t.captureMode()
	if mode == captureRelaxed && !f.plays(amdRelaxedThreadsHeed) {
		return success
	}
	refused := success
	heedsOthers := mode == captureGlobal || f.plays(amdGlobalCaptureHeededByAll)
	for _, c := range f.captures {
		if c.mode == captureGlobal && heedsOthers || c.mode != captureRelaxed && c.thread == t.id {
			f.spoil(c)
			refused = captureUnsupported
		}
	}
	return refused
}

// mayAskStream refuses a query or synchronization of a stream.
func (f *face) mayAskStream(s *stream) code {
	if f.capturing.Load() == 0 {
		return success
	}
	if c := s.capture.Load(); c != nil {
		answer := captureUnsupported
		switch {
		case f.plays(chipCapturingStreamCode):
			answer = captureInvalidated
		case f.plays(amdCapturesUnguarded):
			return success
		}
		f.captureMu.Lock()
		defer f.captureMu.Unlock()
		if c.stuck && f.plays(amdCapturesUnspoilt) {
			return success // it is on no list
		}
		f.spoil(c)
		return answer
	}
	switch {
	case f.plays(cudaLegacyStreamInCapture) && s.queue.IsDefault():
		return f.implicit(s, true)
	case f.plays(amdStreamHeedsCaptures) && !s.queue.IsDefault():
		return f.heedOngoing()
	}
	return success
}

// legacyMayWork refuses work on the legacy stream that would depend on a stream being captured.
func (f *face) legacyMayWork(s *stream) code {
	if f.capturing.Load() == 0 || !s.queue.IsDefault() {
		return success
	}
	if f.plays(cudaLegacyStreamInCapture) {
		return f.implicit(s, true)
	}
	return success
}

// legacyMayCallBack is legacyMayWork for hipStreamAddCallback, the one call that AMD's runtime
// refuses. It then ends every capture, of whichever stream and mode.
func (f *face) legacyMayCallBack(s *stream) code {
	if !f.plays(amdLegacyStreamInCapture) || f.capturing.Load() == 0 || !s.queue.IsDefault() {
		return f.legacyMayWork(s)
	}
	refused := f.implicit(s, false)
	if refused != success {
		f.captureMu.Lock()
		defer f.captureMu.Unlock()
		for _, c := range f.captures {
			f.spoil(c)
		}
	}
	return refused
}

// implicit refuses the legacy stream while a blocking stream of its context is captured, and
// invalidates the capture on request.
func (f *face) implicit(s *stream, spoil bool) code {
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	refused := success
	for _, c := range f.captures {
		for o := range c.tails {
			if (o.context == s.context || f.hip()) && !o.queue.NonBlocking() {
				if spoil {
					f.spoil(c)
				}
				refused = captureImplicit
			}
		}
	}
	return refused
}

// spoilCaptures refuses to wait for all of a context while something there is captured.
func (f *face) spoilCaptures(ctx *context) code {
	if f.capturing.Load() == 0 || f.plays(amdCapturesUnspoilt) {
		return success
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	refused := success
	for _, c := range f.captures {
		if c.origin.context == ctx {
			f.spoil(c)
			refused = captureUnsupported
		}
	}
	return refused
}

func (f *face) captureInfo(call string, h uintptr, status *captureStatus, id *uint64) code {
	switch {
	case f.plays(chipIsCapturingUnsupported):
		return notSupported
	case status == nil:
		return invalidValue
	}
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	*status = captureNone
	if f.capturing.Load() == 0 {
		return success
	}
	if s.queue.IsDefault() && (f.plays(cudaLegacyStreamInCapture) || f.plays(amdNullStreamStatus)) {
		if c := f.implicit(s, false); c != success {
			return c
		}
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	if c := s.capture.Load(); c != nil {
		*status = c.status
		if id != nil {
			*id = c.id
		}
	}
	return success
}

func (f *face) exchangeCaptureMode(mode *captureMode) code {
	switch {
	case f.plays(chipIsCapturingUnsupported):
		return notSupported
	case mode == nil || *mode < 0 || *mode > captureRelaxed:
		return invalidValue
	}
	t := f.thread()
	t.mu.Lock()
	defer t.mu.Unlock()
	*mode, t.mode = t.mode, *mode
	return success
}

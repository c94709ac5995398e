package sim

// entry is one call in flight.
type entry struct {
	fn     *function
	face   *face
	frame  *frame
	call   uint64 // its number among this function's calls
	run    bool   // the function's own work is to be done
	forced bool   // the caller gets answer, whatever the work's result
	locked bool   // the runtime's one lock is held
	answer code
	result code
}

// enter does what precedes a function's own work.
func (fn *function) enter(fr *frame) entry {
	e := entry{fn: fn, face: fn.servedBy(fr), frame: fr, result: deinitialized}
	f := e.face
	if f == nil { // the machine is gone, as a driver is at the process's end
		return e
	}
	s := &f.calls[fn.index]
	e.call = s.count.Add(1)
	e.result = f.mayRun(fn)
	e.run = e.result == success
	if p := s.plan.Load(); p != nil {
		p.apply(&e)
	}
	if r := f.m.rate.Load(); r != nil {
		r.apply(&e)
	}
	if e.run && f.plays(chipOneLock) {
		f.oneLock.Lock()
		e.locked = true
	}
	return e
}

// mayRun returns the reason for which the driver currently refuses every function like fn.
func (f *face) mayRun(fn *function) code {
	if f.down.Load() {
		return deinitialized
	}
	if f.inCallbacks.Load() > 0 && fn.traits&mayCallBack == 0 && f.thread().calledBack() {
		endless := f.plays(chipOneLock)
		f.note(Crash{Call: fn.name, Reason: "called from a host function of a stream"}, endless)
		if endless || f.plays(cudaHostFuncNoAPI) { // AMD allows it, at the caller's risk
			return notPermitted
		}
	}
	if fn.traits&early != 0 {
		return success
	}
	if f.hip() {
		if len(f.devices) == 0 && !f.mayRunInLobby(fn) {
			return f.noDevice()
		}
		return success
	}
	if !f.initialized.Load() && f.plays(cudaInitFirst) {
		return notInitialized
	}
	if f.m.options.StrictContext && fn.traits&wantsThread != 0 && f.thread().current() == nil {
		return invalidContext
	}
	return success
}

// leave does what follows the work, and returns the word that C gets.
func (e *entry) leave() uintptr {
	f := e.face
	if f == nil {
		return uintptr(e.result)
	}
	if e.forced {
		e.result = e.answer
	}
	if f.hip() && e.fn.traits&keepsError == 0 {
		f.setLastError(e.result)
	}
	if f.logging.Load() {
		f.log(e)
	}
	if e.locked {
		f.oneLock.Unlock()
	}
	return uintptr(e.result)
}

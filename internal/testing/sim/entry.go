package sim

// entry is one call on its way.
type entry struct {
	fn     *function
	face   *face
	frame  *frame
	call   uint64 // the how manieth of this function
	run    bool   // the function's own work is to be done
	forced bool   // answer is what the caller gets, whatever the work came to
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

// mayRun is the reason why the driver refuses every function like fn at present.
func (f *face) mayRun(fn *function) code {
	if f.down.Load() {
		return deinitialized
	}
	if f.inCallbacks.Load() > 0 && fn.traits&mayCallBack == 0 && f.thread().calledBack() {
		endless := f.plays(chipOneLock)
		f.note(Crash{Call: fn.name, Reason: "called from a host function of a stream"}, endless)
		if endless || f.plays(cudaHostFuncNoAPI) { // AMD lets it pass, at the caller's risk
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

// leave does what follows it, and gives the word that C gets.
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

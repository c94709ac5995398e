package ccall

// Run makes the calls of a list one after another, on one thread, in one crossing into C, and
// reports whether none failed. A call has failed if the low 32 bits of its result are not 0; the
// later steps are then skipped, except those marked Always. Each step records its state. A list may
// be run again. The caller keeps every object alive whose address is in it.
func Run(steps []Step) (ok bool) { return run(steps) }

// FirstFailed returns the index of the first step that failed in the last run; -1 if none has.
func FirstFailed(steps []Step) int {
	for i := range steps {
		if steps[i].State == Failed {
			return i
		}
	}
	return -1
}

// runEach is what a run does. The trampolines do the same.
func runEach(steps []Step, call func(*Step) int32) (ok bool) {
	ok = true
	for i := range steps {
		s := &steps[i]
		s.State = Skipped
		if s.If != 0 && (*(*uintptr)(Pointer(s.If)) == s.Is) == (s.Not != 0) {
			continue
		}
		if !ok && s.Always == 0 {
			continue
		}
		if s.Code = call(s); s.Code == 0 {
			s.State = Succeeded
		} else {
			s.State, ok = Failed, false
		}
	}
	return ok
}

package sim

import "fmt"

// Crash is a call after which the real library would have crashed, or had undefined behaviour.
type Crash struct {
	Call   string
	Handle uintptr
	Reason string
}

func (c Crash) String() string {
	if c.Handle == 0 {
		return fmt.Sprintf("%s: %s", c.Call, c.Reason)
	}
	return fmt.Sprintf("%s(%#x): %s", c.Call, c.Handle, c.Reason)
}

// Blocked is a call that had to wait for another thread's call.
type Blocked struct {
	Call   string
	Handle uintptr
	Thread uint64
}

// Crashes returns the calls that would have crashed: on HIP, those with destroyed and foreign
// handles that the runtime does not check.
func (m *Machine) Crashes() []Crash {
	m.notesMu.Lock()
	defer m.notesMu.Unlock()
	return append([]Crash(nil), m.crashes...)
}

// Misuse returns all calls with a handle that is not alive, and those that are forbidden where they
// were made; those of Crashes included.
func (m *Machine) Misuse() []Crash {
	m.notesMu.Lock()
	defer m.notesMu.Unlock()
	return append([]Crash(nil), m.misuse...)
}

// Blocked returns the calls on a HIP event that had to wait because another thread was
// synchronizing with it.
func (m *Machine) Blocked() []Blocked {
	m.notesMu.Lock()
	defer m.notesMu.Unlock()
	return append([]Blocked(nil), m.blocked...)
}

func (f *face) note(c Crash, fatal bool) {
	f.m.notesMu.Lock()
	f.m.misuse = append(f.m.misuse, c)
	if fatal {
		f.m.crashes = append(f.m.crashes, c)
	}
	f.m.notesMu.Unlock()
	if fatal && f.m.options.OnCrash != nil {
		f.m.options.OnCrash(c)
	}
}

func (f *face) noteBlocked(call string, handle uintptr) {
	b := Blocked{call, handle, threadID()}
	f.m.notesMu.Lock()
	defer f.m.notesMu.Unlock()
	f.m.blocked = append(f.m.blocked, b)
}

// dead answers a call with a handle that is not alive.
func (f *face) dead(call string, handle uintptr, what kind) code {
	if handle == 0 {
		f.note(Crash{call, 0, "null " + what.String()}, false)
	} else {
		f.note(Crash{call, handle, what.String() + " is destroyed or none"},
			!f.plays(cudaHandlesChecked))
	}
	switch {
	case what != graphKind && what != execKind && what != nodeKind || !f.plays(amdNullGraph):
		return invalidHandle
	case handle != 0 && call == "hipGraphDestroy":
		return illegalState
	}
	return invalidValue
}

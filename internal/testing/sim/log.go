package sim

import (
	"maps"
	"slices"
)

// Call is one call of a C function, as [Machine.Log] lists them.
type Call struct {
	Name   string
	Code   int32
	Device int    // of the machine; -1 if the call concerns none
	Thread uint64 // the OS thread
}

// Log returns the calls since the last [Machine.ClearLog] of both APIs, in the order in which they
// ended. It needs Options.Log or [Machine.SetLog].
func (m *Machine) Log() []Call {
	m.logMu.Lock()
	defer m.logMu.Unlock()
	logged := m.logged
	if n := m.options.LogLimit; n > 0 && len(logged) > n {
		logged = logged[len(logged)-n:]
	}
	return append([]Call(nil), logged...)
}

// ClearLog empties the log.
func (m *Machine) ClearLog() {
	m.logMu.Lock()
	defer m.logMu.Unlock()
	m.logged = nil
}

// SetLog switches the log on or off.
func (m *Machine) SetLog(on bool) {
	for _, f := range m.faces() {
		f.logging.Store(on)
	}
}

func (f *face) log(e *entry) {
	c := Call{Name: e.fn.name, Code: int32(e.result), Device: -1, Thread: threadID()}
	if concerned := e.concerned(); concerned != nil {
		c.Device = concerned.device.ordinal - f.first
	}
	m := f.m
	m.logMu.Lock()
	defer m.logMu.Unlock()
	m.logged = append(m.logged, c)
	if n := m.options.LogLimit; n > 0 && len(m.logged) == 2*n {
		m.logged = append(m.logged[:0], m.logged[n:]...)
	}
}

// Calls returns how often a C function was called, failed calls included.
func (m *Machine) Calls(name string) int {
	f, fn := m.function(name)
	return int(f.calls[fn.index].count.Load())
}

// AllCalls returns the number of calls of every C function that was called.
func (m *Machine) AllCalls() map[string]int {
	counts := map[string]int{}
	for _, f := range m.faces() {
		for _, fn := range f.api.all {
			if n := f.calls[fn.index].count.Load(); n > 0 {
				counts[fn.name] = int(n)
			}
		}
	}
	return counts
}

// Functions returns the names of the C functions that the simulator has, of AMD's or of NVIDIA's.
func (m *Machine) Functions(amd bool) []string {
	f := m.cuda
	if amd {
		f = m.amd
	}
	return slices.Collect(maps.Keys(f.api.functions()))
}

// Simulates reports whether the simulator has a C function, of AMD's or of NVIDIA's.
func (m *Machine) Simulates(name string, amd bool) bool {
	f := m.cuda
	if amd {
		f = m.amd
	}
	return f.api.functions()[name] != nil
}

package sim

import (
	"fmt"
	"sync/atomic"
)

// Fault makes calls of a C function fail.
type Fault struct {
	Call  string // the exported C name
	At    int    // the first call that fails, counted from 1, which is the next one; 0 means 1
	Times int    // how many calls fail; 0 means 1, a negative number all from At on
	Code  int32  // what they return

	// Sticky makes a failing call break every context of the API: all later calls on their objects
	// return Code.
	Sticky bool
	// Breaks makes a failing call break its context, as an illegal address does: all later calls on
	// its objects return Code.
	Breaks bool
	// Before runs in each of these calls, before anything else, on the thread of the call.
	Before func()
	// OnlyBefore makes Before the whole effect: the call then goes on as usual.
	OnlyBefore bool
}

type callState struct {
	count atomic.Uint64
	plan  atomic.Pointer[plan]
}

// plan is the faults of one function. It never changes.
type plan []*rule

// rule counts the calls that it concerns itself. Numbers of the function's calls would not do: a
// call that begins while the fault is added has a number, but may not see the fault.
type rule struct {
	Fault
	seen atomic.Uint64
}

// concerns reports whether the fault is for the call, which is the next one.
func (r *rule) concerns() bool {
	first := uint64(max(r.At, 1))
	n := r.seen.Add(1)
	return n >= first && (r.Times < 0 || n < first+uint64(max(r.Times, 1)))
}

// apply applies the faults that concern a call.
func (p *plan) apply(e *entry) {
	for _, r := range *p {
		if !r.concerns() {
			continue
		}
		if r.Before != nil {
			r.Before()
		}
		if r.OnlyBefore {
			continue
		}
		if r.Sticky {
			e.face.breakAll(code(r.Code))
		}
		if r.Breaks {
			if c := e.concerned(); c != nil {
				c.engine.Fail(workError(r.Code))
			}
		}
		e.fail(code(r.Code))
	}
}

// FaultAt makes the n-th call of a C function from now on, counted from 1, return the code and do
// nothing else; a destroying function still does its work if the code reports earlier work (700 to
// 799 but 709, and 999).
func (m *Machine) FaultAt(call string, n int, code int32) {
	m.Fault(Fault{Call: call, At: n, Code: code})
}

// FaultAlways makes every call of a C function return the code, until [Machine.ClearFaults].
func (m *Machine) FaultAlways(call string, code int32) {
	m.Fault(Fault{Call: call, Times: -1, Code: code})
}

// FaultSticky makes the n-th call return the code and break all contexts of the API: all pending
// work fails, and all later calls on their streams and events return the code, as after an illegal
// address.
func (m *Machine) FaultSticky(call string, n int, code int32) {
	m.Fault(Fault{Call: call, At: n, Code: code, Sticky: true})
}

// Before runs f at the start of every call of a C function, on its thread, until
// [Machine.ClearFaults]: to hold calls up, to look, or to make something happen at the worst
// moment.
func (m *Machine) Before(call string, f func()) {
	m.Fault(Fault{Call: call, Times: -1, Before: f, OnlyBefore: true})
}

// Fault adds a fault.
func (m *Machine) Fault(ft Fault) {
	f, fn := m.function(ft.Call)
	s := &f.calls[fn.index]
	for {
		old := s.plan.Load()
		var p plan
		if old != nil {
			p = append(p, *old...)
		}
		p = append(p, &rule{Fault: ft})
		if s.plan.CompareAndSwap(old, &p) {
			return
		}
	}
}

// IdleFault is a fault that has not been applied.
type IdleFault struct {
	Fault
	Seen int // calls of the function since the fault was added
}

// IdleFaults returns the faults that would change results and have not been applied, by function.
func (m *Machine) IdleFaults() (idle []IdleFault) {
	for _, f := range m.faces() {
		for i := range f.calls {
			p := f.calls[i].plan.Load()
			if p == nil {
				continue
			}
			for _, r := range *p {
				if n := r.seen.Load(); !r.OnlyBefore && n < uint64(max(r.At, 1)) {
					idle = append(idle, IdleFault{r.Fault, int(n)})
				}
			}
		}
	}
	return idle
}

// ClearFaults removes all faults. What is broken stays broken.
func (m *Machine) ClearFaults() {
	for _, f := range m.faces() {
		for i := range f.calls {
			f.calls[i].plan.Store(nil)
		}
	}
}

// function finds a C function by name. It panics if the simulator lacks it.
func (m *Machine) function(name string) (*face, *function) {
	for _, f := range m.faces() {
		if fn := f.api.functions()[name]; fn != nil {
			return f, fn
		}
	}
	panic(fmt.Sprintf("sim: %s is not simulated", name))
}

package driver

import (
	"errors"
	"runtime"
	"sync"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/dl"
)

// vendor is what visits need of a vendor's API.
type vendor struct {
	lib       *dl.Library
	get, set  *dl.Proc // read and set the thread's current context or device
	capturing *dl.Proc // whether a stream is captured
	record    *dl.Proc
	failed    func(call string, err error) error
	result    func(code int32) error
	// stays describes what is current on a thread that could not be restored.
	stays func(ours, theirs uintptr) string

	idle [maxCalls]sync.Pool // of visits, by their number of calls
}

// maxCalls is how many calls a visit can have.
const maxCalls = 2

// visit is one or two driver calls in one crossing into C; the second is made only if the first
// succeeds. A visit from [vendor.enter] makes the calls with a context or device current and then
// restores the thread's own. Restoring is tried twice, since a thread left in another context would
// break code that knows nothing of this package. Add the calls, run them, read what C wrote, and
// end the visit.
//
// A visit is a list of steps: get, set, the calls, back. What was current goes from the first step
// to the last inside C. Visits are pooled, with everything that does not change between uses.
type visit struct {
	vendor     *vendor
	size       int // how many calls there are to be
	steps      [2 + maxCalls + 1]ccall.Step
	procs      [maxCalls]*dl.Proc
	out        [1]uintptr // for a call to write to
	bound      bool       // get, set and back are ready
	generation uint64     // for this library
	ready      *dl.Proc   // so is the one call, of this function
	asks       bool       // and the two calls of recordUnlessCapturing
	asked      uint64

	// Of one use.
	added   int
	enters  bool
	missing error // a function that the library lacks; then nothing is called
	lost    int32 // why the thread could not be restored
}

// begin starts a visit of calls that find their context through a handle.
func (v *vendor) begin(calls int) *visit {
	x, _ := v.idle[calls-1].Get().(*visit)
	if x == nil {
		x = &visit{vendor: v, size: calls}
	}
	return x
}

// enter starts a visit of calls that depend on the current context or device.
func (v *vendor) enter(ours uintptr, calls int) *visit {
	x := v.begin(calls)
	x.enters = true
	if !x.bound || x.generation != v.lib.Generation() {
		x.bind()
	}
	set := &x.steps[1]
	set.A[0], set.Is = ours, ours
	return x
}

// inside makes one call with a context or device current. If the pooled visit made the same call
// before, all is prepared but for the arguments.
func (v *vendor) inside(ours uintptr, p *dl.Proc, first, second, third uintptr) error {
	x, _ := v.idle[0].Get().(*visit)
	if x == nil || x.ready != p || x.generation != v.lib.Generation() {
		if x != nil {
			v.idle[0].Put(x)
		}
		return v.enter(ours, 1).only(p, first, second, third)
	}
	set, call := &x.steps[1], &x.steps[2]
	set.A[0], set.Is = ours, ours
	call.A[0], call.A[1], call.A[2] = first, second, third
	if x.runInside() {
		v.idle[0].Put(x)
		return nil
	}
	return x.end(x.failure(0))
}

// bind prepares the steps that are the same in each use.
func (x *visit) bind() {
	x.generation, x.ready = x.vendor.lib.Generation(), nil
	get, getErr := x.vendor.get.Addr()
	set, setErr := x.vendor.set.Addr()
	back := &x.steps[2+x.size]
	theirs := &back.A[0]
	x.steps[0].SetShort(get, ccall.Ptr(unsafe.Pointer(theirs)), 0, 0)
	x.steps[1].SetShort(set, 0, 0, 0).Unless(theirs, 0)
	back.SetShort(set, 0, 0, 0).After(&x.steps[1], ccall.Succeeded)
	if getErr != nil {
		x.missing = x.vendor.failed(x.vendor.get.Symbol, getErr)
	} else if setErr != nil {
		x.missing = x.vendor.failed(x.vendor.set.Symbol, setErr)
	}
	x.bound = x.missing == nil
}

// call adds a call of a function with up to three arguments; unused ones are 0.
func (x *visit) call(p *dl.Proc, a, b, c uintptr) *ccall.Step {
	addr, err := p.Addr()
	if err != nil && x.missing == nil {
		x.missing = x.vendor.failed(p.Symbol, err)
	}
	x.procs[x.added], x.ready = p, nil
	s := &x.steps[2+x.added]
	x.added++
	return s.SetShort(addr, a, b, c)
}

// word returns memory for a call to write a word to, initially 0, and its address as an argument.
func (x *visit) word() (word *uintptr, argument uintptr) {
	x.out[0] = 0
	return &x.out[0], ccall.Ptr(unsafe.Pointer(&x.out[0]))
}

// run makes the calls, and returns the error of the one that failed.
func (x *visit) run() error {
	if x.missing != nil {
		return x.missing
	}
	if !x.enters {
		if ccall.Run(x.steps[2 : 2+x.size]) {
			return nil
		}
		return x.failure(2)
	}
	if x.runInside() {
		return nil
	}
	return x.failure(0)
}

// runInside makes all calls of a visit that enters, and reports whether none failed.
func (x *visit) runInside() bool {
	runtime.LockOSThread()
	ok := ccall.Run(x.steps[:2+x.size+1])
	if back := &x.steps[2+x.size]; !ok && back.State == ccall.Failed {
		again := ccall.Regs{Fn: back.Fn, A: [ccall.MaxRegs]uintptr{back.A[0]}}
		x.lost = again.Call()
	}
	runtime.UnlockOSThread()
	return ok
}

// failure returns the error of the first failed call, from a step on, the last step excluded.
func (x *visit) failure(from int) error {
	i := ccall.FirstFailed(x.steps[from : 2+x.size])
	if i < 0 {
		return nil
	}
	i += from
	p := x.vendor.get
	switch i {
	case 0:
	case 1:
		p = x.vendor.set
	default:
		p = x.procs[i-2]
	}
	return x.vendor.failed(p.Symbol, x.vendor.result(x.steps[i].Code))
}

// end ends the visit. It returns err, the result of the calls, joined with a failure to restore the
// thread.
func (x *visit) end(err error) error {
	v := x.vendor
	if x.lost != 0 {
		err = notRestored(v.set.Symbol, v.result(x.lost), err,
			v.stays(x.steps[1].A[0], x.steps[2+x.size].A[0]))
	}
	x.added, x.enters, x.lost = 0, false, 0
	if x.missing != nil {
		x.missing = nil
	}
	v.idle[x.size-1].Put(x)
	return err
}

// only makes one call, and ends the visit.
func (x *visit) only(p *dl.Proc, first, second, third uintptr) error {
	x.call(p, first, second, third)
	err := x.run()
	if x.enters && x.missing == nil {
		x.ready = p
	}
	return x.end(err)
}

// query makes one call that may answer "not ready", and ends the visit.
func (x *visit) query(p *dl.Proc, word uintptr) (done bool, err error) {
	query := x.call(p, word, 0, 0)
	err = x.run()
	if query.State == ccall.Failed && errors.Is(err, ErrNotReady) {
		err = nil
	}
	done = query.State == ccall.Succeeded
	err = x.end(err)
	return done && err == nil, err
}

// isCapturing reports whether the stream is being captured, and ends the visit.
func (x *visit) isCapturing(s Object) (bool, error) {
	status, at := x.word()
	x.call(x.vendor.capturing, s.Word, at, 0)
	err := x.run()
	capturing := *status != 0 // 0 is no capture for both vendors
	return capturing, x.end(err)
}

// Capture is the result of a record on a stream that may be captured.
type Capture uint8

// The results.
const (
	CaptureUnknown Capture = iota // the query failed; nothing was recorded
	Capturing                     // nothing was recorded
	NotCapturing                  // it was recorded, unless there is an error
)

// recordUnlessCapturing queries whether the stream is being captured, and records if it is not. It
// ends the visit, which has two calls.
func (x *visit) recordUnlessCapturing(e, s Object) (Capture, error) {
	status, question, record := &x.out[0], &x.steps[2], &x.steps[3]
	if !x.asks || x.asked != x.vendor.lib.Generation() {
		x.ask()
	}
	*status, question.State = 0, ccall.Skipped
	question.A[0], record.A[0], record.A[1] = s.Word, e.Word, s.Word
	var err error
	switch {
	case x.enters || x.missing != nil:
		err = x.run()
	case ccall.Run(x.steps[2:4]): // as mostly: the end of the visit needs no more than this
		captured := *status != 0
		x.added = 0
		x.vendor.idle[1].Put(x)
		if captured {
			return Capturing, nil
		}
		return NotCapturing, nil
	default:
		err = x.failure(2)
	}
	known, captured := question.State == ccall.Succeeded, *status != 0
	err = x.end(err)
	switch {
	case !known || captured && err != nil:
		return CaptureUnknown, err
	case captured:
		return Capturing, nil
	}
	return NotCapturing, err
}

// ask prepares the steps of recordUnlessCapturing, which are the same in each use except for the
// handles.
func (x *visit) ask() {
	x.asked = x.vendor.lib.Generation()
	status, at := x.word()
	x.call(x.vendor.capturing, 0, at, 0)
	x.call(x.vendor.record, 0, 0, 0).When(status, 0)
	x.asks = x.missing == nil
}

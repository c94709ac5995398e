package driver

import (
	"runtime"

	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/dl"
)

// vendor is what visits need to know of a vendor's API.
type vendor struct {
	get, set *dl.Proc // what is current on the thread: a context, a device
	failed   func(call string, err error) error
	result   func(code int32) error
	// stays says what is current where the thread could not be given its own back.
	stays func(ours, theirs uintptr) string
}

// visit is a few driver calls in one crossing, up to the first that fails. One that begins with
// [vendor.enter] makes them with a context or device current, and gives the thread its own back;
// that is tried twice, for a thread left in another context would harm somebody who knows nothing
// of us. Add the calls, run them, read what C wrote, and end the visit.
type visit struct {
	vendor    *vendor
	list      *ccall.List
	procs     [ccall.MaxSteps]*dl.Proc
	n         int
	missing   error // a function that the library lacks: nothing is called then
	bound     bool
	ours      uintptr
	get, set  *ccall.Step
	theirs    uintptr // what the thread had, if it could not be given back
	stranded  bool
	strandErr int32
}

// begin makes a visit of calls that find their context by a handle.
func (v *vendor) begin() visit { return visit{vendor: v, list: ccall.NewList()} }

// enter makes a visit of calls that go by what is current.
func (v *vendor) enter(ours uintptr) visit {
	x := v.begin()
	x.bound, x.ours = true, ours
	x.get = x.call(v.get, 0, 0, 0)
	x.set = x.call(v.set, ours, 0, 0)
	return x
}

// call adds a call of a function with up to three parameters: 0 where it has fewer.
func (x *visit) call(p *dl.Proc, a, b, c uintptr) *ccall.Step {
	addr, err := p.Addr()
	if err != nil && x.missing == nil {
		x.missing = x.vendor.failed(p.Symbol, err)
	}
	x.procs[x.n] = p
	x.n++
	return x.list.Add(addr, a, b, c)
}

// out returns a word for a call to write to, which is 0 at first, and its address as an argument.
func (x *visit) out(i int) (word *uintptr, argument uintptr) {
	word = x.list.Out(i)
	return word, x.list.Word(word)
}

// run makes the calls, and returns why one failed.
func (x *visit) run() error {
	if !x.bound {
		if x.missing == nil && !x.list.Run() {
			return x.failure()
		}
		return x.missing
	}
	back := x.call(x.vendor.set, 0, 0, 0).After(x.set, ccall.Succeeded)
	theirs := &back.A[0] // what is current goes from C to C
	x.get.A[0] = x.list.Word(theirs)
	x.set.Unless(theirs, x.ours)
	if x.missing != nil {
		return x.missing
	}
	runtime.LockOSThread()
	ok := x.list.Run()
	if !ok && back.State == ccall.Failed {
		again := ccall.Regs{Fn: back.Fn, A: [ccall.MaxRegs]uintptr{*theirs}}
		x.strandErr = again.Call()
		x.stranded, x.theirs = x.strandErr != 0, *theirs
		x.n-- // what failed before it counts
	}
	runtime.UnlockOSThread()
	if ok {
		return nil
	}
	return x.failure()
}

// failure is the failure of the first call that failed, if there is one.
func (x *visit) failure() error {
	for i := range x.n {
		if s := x.list.Step(i); s.State == ccall.Failed {
			return x.vendor.failed(x.procs[i].Symbol, x.vendor.result(s.Code))
		}
	}
	return nil
}

// end ends the visit. It returns err, what the calls came to, with the failure to give the thread
// its own back.
func (x *visit) end(err error) error {
	x.list.Free()
	if !x.stranded {
		return err
	}
	return notRestored(x.vendor.set.Symbol, x.vendor.result(x.strandErr), err,
		x.vendor.stays(x.ours, x.theirs))
}

// Capture is what a record on a stream that may be captured came to.
type Capture uint8

// What is known of a capture.
const (
	CaptureUnknown Capture = iota // the question failed; nothing was recorded
	Capturing                     // nothing was recorded
	NotCapturing                  // it was recorded, unless there is an error
)

// recordUnlessCapturing asks whether the stream is captured, and records if it is not. It ends the
// visit.
func (x *visit) recordUnlessCapturing(ask, record *dl.Proc, e, s Object) (Capture, error) {
	status, at := x.out(0)
	question := x.call(ask, s.Word, at, 0)
	x.call(record, e.Word, s.Word, 0).When(status, 0)
	err := x.run()
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

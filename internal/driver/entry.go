package driver

import (
	"errors"
	"runtime"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/dl"
)

// Entry is the way into a context or device: it makes it current on a thread, makes a driver call
// or runs a Go function, and restores the thread's own. A call goes with all of this in one
// crossing into C.
//
// An entry is a list of steps. The context or device that was current goes from the first step to
// the last inside C. Restoring is tried twice, since a thread left in another context would break
// code that knows nothing of this package.
//
// One goroutine at a time may use an entry, which must live in the heap. The zero value is ready,
// and an entry is kept for further calls, since its steps are prepared once.
type Entry struct {
	api        *api
	generation uint64   // of the library that the steps are for
	proc       *dl.Proc // of the body
	asks       uintptr  // 1 if the question is asked
	status     uintptr  // its answer
	lost       int32    // why the thread could not be restored
	steps      [stepCount]ccall.Step
}

// The steps of an entry.
const (
	get      = iota
	set      // unless it is current already
	question // whether a stream is captured, for a record; otherwise skipped
	body     // the call, unless the stream is captured
	back     // if the thread's own was replaced
	stepCount
)

// Words are the argument words of the call. The caller keeps what they point to alive, in the heap.
func (x *Entry) Words() *[ccall.MaxWords]uintptr { return &x.steps[body].A }

// take returns an idle entry; put takes it back.
func (v *api) take() *Entry {
	if x, ok := v.idle.Get().(*Entry); ok {
		return x
	}
	return new(Entry)
}

func (v *api) put(x *Entry) { v.idle.Put(x) }

// bind prepares the steps that are the same in each use.
func (x *Entry) bind(v *api) error {
	if x.api == v && x.generation == v.lib.Generation() {
		return nil
	}
	generation := v.lib.Generation()
	getter, setter := &v.calls[getCurrent], &v.calls[setCurrent]
	getAddr, err := getter.Addr()
	if err != nil {
		return v.failed(getter.Symbol, err)
	}
	setAddr, err := setter.Addr()
	if err != nil {
		return v.failed(setter.Symbol, err)
	}
	s := &x.steps
	theirs := &s[back].A[0]
	s[get].SetShort(getAddr, ccall.Ptr(unsafe.Pointer(theirs)), 0, 0)
	s[set].SetShort(setAddr, 0, 0, 0).Unless(theirs, 0)
	s[question].SetShort(0, 0, ccall.Ptr(unsafe.Pointer(&x.status)), 0).When(&x.asks, 1)
	s[body].When(&x.status, 0)
	s[back].SetShort(setAddr, 0, 0, 0).After(&s[set], ccall.Succeeded)
	x.api, x.generation = v, generation
	return nil
}

// prepare sets the function that the body calls.
func (x *Entry) prepare(v *api, p *dl.Proc, words int) error {
	if err := x.bind(v); err != nil {
		return err
	}
	addr, err := p.Addr()
	if err != nil {
		return v.failed(p.Symbol, err)
	}
	x.proc, x.steps[body].Fn, x.steps[body].N = p, addr, uintptr(words)
	return nil
}

// call enters, makes the call of a function with that many of the words, and leaves.
func (x *Entry) call(v *api, ours uintptr, p *dl.Proc, words int) error {
	if err := x.prepare(v, p, words); err != nil {
		return err
	}
	if x.run(ours) {
		return nil
	}
	return x.failure(back, nil)
}

// run runs all steps, and reports whether none failed.
func (x *Entry) run(ours uintptr) bool {
	set := &x.steps[set]
	set.A[0], set.Is = ours, ours
	runtime.LockOSThread()
	ok := ccall.Run(x.steps[:])
	if !ok {
		x.restoreAgain()
	}
	runtime.UnlockOSThread()
	return ok
}

// enter enters, runs f, which must not panic, and leaves.
func (x *Entry) enter(v *api, ours uintptr, f func() error) error {
	if err := x.bind(v); err != nil {
		return err
	}
	set := &x.steps[set]
	set.A[0], set.Is = ours, ours
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if !ccall.Run(x.steps[:question]) {
		return x.failure(question, nil)
	}
	err := f()
	if set.State == ccall.Succeeded && !ccall.Run(x.steps[back:]) {
		x.restoreAgain()
		return x.failure(0, err)
	}
	return err
}

// restoreAgain restores the thread's context or device if the last step could not.
func (x *Entry) restoreAgain() {
	if back := &x.steps[back]; back.State == ccall.Failed {
		again := ccall.Regs{Fn: back.Fn, A: [ccall.MaxRegs]uintptr{back.A[0]}}
		x.lost = again.Call()
	}
}

// failure returns the error of the first of n steps that failed, or else err, joined with that of a
// thread that could not be restored.
func (x *Entry) failure(n int, err error) error {
	v := x.api
	if i := ccall.FirstFailed(x.steps[:n]); i >= 0 {
		p := [back]*dl.Proc{&v.calls[getCurrent], &v.calls[setCurrent], &v.calls[streamCapturing],
			x.proc}[i]
		err = v.fails(p, x.steps[i].Code)
	}
	if x.lost != 0 {
		err = v.notRestored(x.lost, err, v.stays(x.steps[set].A[0], x.steps[back].A[0]))
		x.lost = 0
	}
	return err
}

// notRestored returns the error for a thread whose own context or device could not be restored
// after an operation that ended with err.
func (v *api) notRestored(code int32, err error, now string) error {
	e := called(v.calls[setCurrent].Symbol, v.result(code))
	if err != nil {
		e.Detail = "the operation failed, and " + now
		return errors.Join(err, e)
	}
	e.TookEffect, e.now = true, now
	e.Detail = "the operation took effect, but " + now
	return e
}

// Capture is the result of a record on a stream that may be captured.
type Capture uint8

// The results.
const (
	CaptureUnknown Capture = iota // the query failed; nothing was recorded
	Capturing                     // nothing was recorded
	NotCapturing                  // it was recorded, unless there is an error
	Invalidated                   // nothing was recorded: the stream's capture has failed
)

// recordUnlessCapturing queries whether the stream is being captured, and records if it is not, in
// one crossing. It enters only if the stream depends on it.
func (x *Entry) recordUnlessCapturing(v *api, enters bool, ours uintptr, e, s Object) (Capture,
	error) {
	if err := x.prepare(v, &v.calls[eventRecord], 2); err != nil {
		return CaptureUnknown, err
	}
	asked, err := v.calls[streamCapturing].Addr()
	if err != nil {
		return CaptureUnknown, v.failed(v.calls[streamCapturing].Symbol, err)
	}
	asking, record := &x.steps[question], &x.steps[body]
	asking.Fn, asking.A[0], asking.State = asked, s.Word, ccall.Skipped
	record.A[0], record.A[1] = e.Word, s.Word
	x.asks = 1
	ok := false
	if enters {
		ok = x.run(ours)
	} else {
		x.steps[get].State, x.steps[set].State = ccall.Skipped, ccall.Skipped
		ok = ccall.Run(x.steps[question:back])
	}
	known, status := asking.State == ccall.Succeeded, x.status
	x.asks, x.status = 0, 0
	if !ok {
		err = x.failure(back, nil)
	}
	switch {
	case !known || status != 0 && err != nil:
		return CaptureUnknown, err
	case status == captureInvalidated:
		return Invalidated, nil
	case status != 0:
		return Capturing, nil
	}
	return NotCapturing, err
}

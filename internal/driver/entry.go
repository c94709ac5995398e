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
// One goroutine at a time may use an entry, which must live in the heap. The zero value is ready.
type Entry struct{ steps [stepCount]ccall.Step }

// The steps of an entry.
const (
	get  = iota
	set  // unless it is current already
	body // the call
	back // if the thread's own was replaced
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

// bind prepares all steps but the function of the body.
func (x *Entry) bind(v *api, ours uintptr) error {
	getter, setter := &v.calls[getCurrent], &v.calls[setCurrent]
	getAddr, err := getter.Addr()
	if err != nil {
		return Failed(getter.Symbol, err)
	}
	setAddr, err := setter.Addr()
	if err != nil {
		return Failed(setter.Symbol, err)
	}
	s := &x.steps
	theirs := &s[back].A[0]
	s[get].SetShort(getAddr, ccall.Ptr(unsafe.Pointer(theirs)), 0, 0)
	s[set].SetShort(setAddr, ours, 0, 0).Unless(theirs, ours)
	s[body].State = ccall.Skipped
	s[back].SetShort(setAddr, 0, 0, 0).After(&s[set], ccall.Succeeded)
	return nil
}

// call enters, makes the call of a function with that many of the words, and leaves.
func (x *Entry) call(v *api, ours uintptr, p *dl.Proc, words int) error {
	if err := x.bind(v, ours); err != nil {
		return err
	}
	addr, err := p.Addr()
	if err != nil {
		return Failed(p.Symbol, err)
	}
	x.steps[body].Fn, x.steps[body].N = addr, uintptr(words)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if ccall.Run(x.steps[:]) {
		return nil
	}
	return x.failure(v, p, nil)
}

// enter enters, runs f, which must not panic, and leaves.
func (x *Entry) enter(v *api, ours uintptr, f func() error) error {
	if err := x.bind(v, ours); err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if !ccall.Run(x.steps[:body]) {
		return x.failure(v, nil, nil)
	}
	err := f()
	if ccall.Run(x.steps[back:]) {
		return err
	}
	return x.failure(v, nil, err)
}

// failure returns the error of the step that failed, or else err. If the thread could not be
// restored, it tries again, and adds the error if that fails too. The thread is still locked.
func (x *Entry) failure(v *api, p *dl.Proc, err error) error {
	s := &x.steps
	for i, p := range [back]*dl.Proc{&v.calls[getCurrent], &v.calls[setCurrent], p} {
		if s[i].State == ccall.Failed {
			err = v.fails(p, s[i].Code)
		}
	}
	if s[back].State != ccall.Failed {
		return err
	}
	ours, theirs := s[set].A[0], s[back].A[0]
	again := ccall.Regs{Fn: s[back].Fn, A: [ccall.MaxRegs]uintptr{theirs}}
	code := again.Call()
	if code == 0 {
		return err
	}
	e, now := called(v.calls[setCurrent].Symbol, v.result(code)), v.stays(ours, theirs)
	if err != nil {
		e.Detail = "the operation failed, and " + now
		return errors.Join(err, e)
	}
	e.TookEffect, e.now = true, now
	e.Detail = "the operation took effect, but " + now
	return e
}

package driver

import (
	"runtime"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/dl"
)

// Call is a driver call of up to [ccall.MaxWords] argument words between making a device current
// and restoring the thread's own: a visit that its user keeps, with more arguments. Set the words,
// and have [Insider.InsideCall] make the call. It must live in the heap. One goroutine at a time
// may use it; the zero value is ready.
type Call struct {
	vendor     *vendor
	generation uint64
	steps      [4]ccall.Step // get, set, the call, back
}

// Words are the argument words. The caller keeps what they point to alive, in the heap.
func (x *Call) Words() *[ccall.MaxWords]uintptr { return &x.steps[2].A }

// bind prepares the steps around the call.
func (x *Call) bind(v *vendor) error {
	generation := v.lib.Generation()
	get, err := v.get.Addr()
	if err != nil {
		return v.failed(v.get.Symbol, err)
	}
	set, err := v.set.Addr()
	if err != nil {
		return v.failed(v.set.Symbol, err)
	}
	back := &x.steps[3]
	theirs := &back.A[0]
	x.steps[0].SetShort(get, ccall.Ptr(unsafe.Pointer(theirs)), 0, 0)
	x.steps[1].SetShort(set, 0, 0, 0).Unless(theirs, 0)
	back.SetShort(set, 0, 0, 0).After(&x.steps[1], ccall.Succeeded)
	x.vendor, x.generation = v, generation
	return nil
}

// run makes the call. As in a visit, restoring is tried twice.
func (x *Call) run(v *vendor, ours uintptr, p *dl.Proc, words int) error {
	if x.vendor != v || x.generation != v.lib.Generation() {
		if err := x.bind(v); err != nil {
			return err
		}
	}
	addr, err := p.Addr()
	if err != nil {
		return v.failed(p.Symbol, err)
	}
	set, call, back := &x.steps[1], &x.steps[2], &x.steps[3]
	set.A[0], set.Is = ours, ours
	call.Fn, call.N = addr, uintptr(words)
	var lost int32
	runtime.LockOSThread()
	ok := ccall.Run(x.steps[:])
	if !ok && back.State == ccall.Failed {
		again := ccall.Regs{Fn: back.Fn, A: [ccall.MaxRegs]uintptr{back.A[0]}}
		lost = again.Call()
	}
	runtime.UnlockOSThread()
	if ok {
		return nil
	}
	return x.failure(p, lost)
}

// failure returns the error of the step that failed first, joined with that of a thread that could
// not be restored.
func (x *Call) failure(p *dl.Proc, lost int32) error {
	v := x.vendor
	var err error
	if i := ccall.FirstFailed(x.steps[:3]); i >= 0 {
		failed := [...]*dl.Proc{v.get, v.set, p}[i]
		err = v.failed(failed.Symbol, v.result(x.steps[i].Code))
	}
	if lost == 0 {
		return err
	}
	return notRestored(v.set.Symbol, v.result(lost), err,
		v.stays(x.steps[1].A[0], x.steps[3].A[0]))
}

package sim

import (
	"runtime"

	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/host"
)

// launchHostFunc has a stream call the C function void fn(void *data). It is not called when the stream's context has failed.
func (f *face) launchHostFunc(call string, h, fn, data uintptr) code {
	if fn == 0 {
		return invalidValue
	}
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	return codeOf(s.queue.Do(func() error {
		f.callBack(fn, data)
		return nil
	}))
}

// addCallback has a stream call void fn(stream, status, data), which is called also when the context has failed, and holds the stream up
// meanwhile.
func (f *face) addCallback(call string, h, fn, data uintptr, flags uint32) code {
	if fn == 0 || flags != 0 {
		return invalidValue
	}
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	if s.queue.Capture() != nil {
		s.queue.Capture().Invalidate()
		return captureUnsupported
	}
	before, err := s.queue.Mark()
	if err != nil {
		return codeOf(err)
	}
	gate := host.NewGate()
	if err := s.queue.WaitGate(gate); err != nil {
		return codeOf(err)
	}
	before.OnDone(func(err error) {
		go func() {
			f.callBack(fn, h, uintptr(codeOf(err)), data)
			gate.Open()
		}()
	})
	return success
}

// callBack calls a C function on a thread that knows to be in a callback, where the API must not be used.
func (f *face) callBack(fn uintptr, args ...uintptr) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	t := f.thread()
	mark := func(by int) {
		t.mu.Lock()
		t.inCallback += by
		t.mu.Unlock()
		f.inCallbacks.Add(int32(by))
	}
	mark(1)
	defer mark(-1)
	r := ccall.Regs{Fn: fn}
	copy(r.A[:], args)
	r.Call()
}

package sim

import (
	"runtime"
	"sync"

	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/host"
)

// launchHostFunc makes a stream call the C function void fn(void *data). It is not called when the
// stream's context has failed.
func (f *face) launchHostFunc(call string, h, fn, data uintptr) code {
	if fn == 0 {
		return invalidValue
	}
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	s.tells()
	if f.plays(chipHostFuncBlocksCaller) && f.captureOf(s) == nil {
		err := reach(s)
		if err == nil {
			f.callBack(fn, data)
		}
		return codeOf(err)
	}
	spec, _ := f.hostSpec(&hostNode{fn, data})
	if c := s.capture.Load(); c != nil {
		return f.addNode(c, s, newNode(hostNodeType, spec))
	}
	return f.work(s, spec.lay)
}

// addCallback makes a stream call void fn(stream, status, data), even if the context has failed.
// The stream is held up meanwhile.
func (f *face) addCallback(call string, h, fn, data uintptr, flags uint32) code {
	if fn == 0 || flags != 0 {
		return invalidValue
	}
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	s.tells()
	forbidden := f.plays(cudaCaptureModes) || f.plays(amdCallbackInCapture)
	if c := f.captureOf(s); c != nil && forbidden {
		f.captureMu.Lock()
		defer f.captureMu.Unlock()
		f.spoil(c)
		return captureUnsupported
	}
	if fault := f.legacyMayCallBack(s); fault != success {
		return fault
	}
	if f.plays(chipHostFuncBlocksCaller) {
		f.callBack(fn, h, uintptr(codeOf(reach(s))), data)
		return success
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
			f.hostFunc(func() { f.callBack(fn, h, uintptr(codeOf(err)), data) })
			gate.Open()
		}()
	})
	return success
}

// reach waits until a stream has reached the place where work queued now would be.
func reach(s *stream) error {
	if err := s.queue.Delay(0); err != nil { // adds the order with the legacy stream
		return err
	}
	return s.queue.Sync()
}

// hostThread runs functions one after the other on one thread.
type hostThread struct {
	mu      sync.Mutex
	waiting []func()
	wake    chan struct{} // nil while there is no thread
}

// hostFunc runs a host function on the thread that the machine's options require, and waits for its
// end.
func (f *face) hostFunc(fn func()) {
	if !f.m.options.OneHostThread || !f.plays(gpuHostFuncOneThread) {
		fn()
		return
	}
	done := make(chan struct{})
	f.hostThread.run(func() { fn(); close(done) })
	<-done
}

func (t *hostThread) run(fn func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = append(t.waiting, fn)
	if t.wake == nil {
		t.wake = make(chan struct{}, 1)
		go t.serve(t.wake)
	}
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

func (t *hostThread) serve(wake <-chan struct{}) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for range wake {
		for fn := t.next(); fn != nil; fn = t.next() {
			fn()
		}
	}
}

func (t *hostThread) next() func() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) == 0 {
		return nil
	}
	fn := t.waiting[0]
	t.waiting = t.waiting[1:]
	return fn
}

// stop lets the thread end when it is idle. Another is started when needed.
func (t *hostThread) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.wake != nil {
		close(t.wake)
		t.wake = nil
	}
}

// callBack calls a C function on a thread marked as being in a callback, where the API must not be
// used.
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

package driver

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/dl"
)

// GPU is a device whose calls depend on what is current on the thread.
type GPU interface {
	Driver
	// Enter runs f, which must not panic, on a locked thread with the device's context or the device
	// current, and restores the thread's own.
	Enter(f func() error) error
	// EnterCall does so with one call, in one crossing into C.
	EnterCall(x *Entry, p *dl.Proc, words int) error
	// Native is the device's number in its driver: a CUdevice or the ordinal of a HIP device.
	Native() int32
}

// gpu is a device of a vendor's driver, as far as the drivers of all vendors are alike.
//
// Calls on streams and events find their context or device through the handle, whatever is current.
// Calls that create objects or use the default stream depend on what is current: they enter the
// device's own.
type gpu struct {
	polling
	api        *api
	info       Info
	number     int32  // in the driver
	generation uint64 // of the library
	words      words
	// elapsed is the newer of the two calls if the driver has it; the older one is being withdrawn.
	elapsed call
	strict  atomic.Bool // the driver has insisted on a current context

	primary atomic.Uintptr // the context, once it is retained

	mu              sync.Mutex
	ranged          bool // the next two are known
	least, greatest int
}

func (g *gpu) Info() *Info           { return &g.info }
func (g *gpu) Can() Can              { return g.info.Promises }
func (g *gpu) May() Can              { return g.info.Promises }
func (g *gpu) Gone() bool            { return g.api.lib.Generation() != g.generation }
func (g *gpu) DefaultStream() Object { return Object{} }
func (g *gpu) Native() int32         { return g.number }

// Context is 0 if the vendor's driver has no contexts.
func (g *gpu) Context() (uintptr, error) {
	if g.api.retain == nil {
		return 0, nil
	}
	return g.ours()
}

// ours returns the context or device that calls need.
func (g *gpu) ours() (uintptr, error) {
	if g.api.retain == nil {
		return uintptr(g.number), nil
	}
	if ctx := g.primary.Load(); ctx != 0 {
		return ctx, nil
	}
	return g.retainFirst()
}

// retainFirst retains the context at its first use, since it takes much device memory. It is never
// released, since others in the process may be using it by then.
func (g *gpu) retainFirst() (uintptr, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if ctx := g.primary.Load(); ctx != 0 {
		return ctx, nil
	}
	ctx, err := g.api.retain(g.number)
	if err == nil {
		g.primary.Store(ctx)
	}
	return ctx, err
}

// Enter is for more than one call, or for one that has no place in an [Entry].
func (g *gpu) Enter(f func() error) error {
	ours, err := g.ours()
	if err != nil {
		return err
	}
	x := g.api.take()
	err = x.enter(g.api, ours, f)
	g.api.put(x)
	return err
}

// EnterCall makes a call with the words that x has.
func (g *gpu) EnterCall(x *Entry, p *dl.Proc, words int) error {
	ours, err := g.ours()
	if err != nil {
		return err
	}
	return x.call(g.api, ours, p, words)
}

// Do is [gpu.Enter] for functions of users, which may panic, call Goexit, and change what is
// current. The binding's Do restores more than a call needs.
func (g *gpu) Do(f func()) error {
	ours, err := g.ours()
	if err != nil {
		return err
	}
	return g.api.do(ours, func() error { f(); return nil })
}

// inside makes a call that depends on what is current.
func (g *gpu) inside(c call, first, second, third uintptr) error {
	x := g.api.take()
	w := x.Words()
	w[0], w[1], w[2] = first, second, third
	err := g.EnterCall(x, &g.api.calls[c], 3)
	g.api.put(x)
	return err
}

// plain makes a call as the thread is, and returns its code.
func (g *gpu) plain(c call, first, second, third uintptr) (code int32, err error) {
	p := &g.api.calls[c]
	addr, err := p.Addr()
	if err != nil {
		return 0, g.api.failed(p.Symbol, err)
	}
	r := ccall.Regs{Fn: addr, A: [ccall.MaxRegs]uintptr{first, second, third}}
	return r.Call(), nil
}

// call makes a call that depends on what is current only if named is false: its handle does not
// name a context or device.
func (g *gpu) call(named bool, c call, first, second, third uintptr) error {
	if named && !g.strict.Load() {
		code, err := g.plain(c, first, second, third)
		if code == 0 {
			return err
		}
		if err = g.api.fails(&g.api.calls[c], code); !g.refusedOutside(err) {
			return err
		}
	}
	return g.inside(c, first, second, third)
}

// on is [gpu.call] for a function that makes a call on a stream.
func (g *gpu) on(s Object, f func() error) error {
	if named(s) && !g.strict.Load() {
		if err := f(); !g.refusedOutside(err) {
			return err
		}
	}
	return g.Enter(f)
}

// query makes a call that may return that something is not ready.
func (g *gpu) query(named bool, c call, word uintptr) (done bool, err error) {
	if named && !g.strict.Load() {
		code, err := g.plain(c, word, 0, 0)
		switch {
		case code == 0:
			return err == nil, err
		case code == codeNotReady:
			return false, nil
		}
		if err = g.api.fails(&g.api.calls[c], code); !g.refusedOutside(err) {
			return false, err
		}
	}
	return g.queryInside(c, word)
}

func (g *gpu) queryInside(c call, word uintptr) (done bool, err error) {
	ours, err := g.ours()
	if err != nil {
		return false, err
	}
	x := g.api.take()
	defer g.api.put(x)
	if err := x.prepare(g.api, &g.api.calls[c], 1); err != nil {
		return false, err
	}
	x.Words()[0] = word
	if x.run(ours) {
		return true, nil
	}
	answer := &x.steps[body]
	if answer.State == ccall.Failed && answer.Code == codeNotReady {
		answer.State = ccall.Skipped // no failure
	}
	err = x.failure(back, nil)
	return answer.State == ccall.Succeeded && err == nil, err
}

// refusedOutside reports whether the driver refused a call for lack of a current context, and
// notes that it does. The call is made again inside.
func (g *gpu) refusedOutside(err error) bool {
	if e, ok := err.(*Error); !ok || e.Class != ErrContext || !g.api.insists {
		return false
	}
	g.strict.Store(true)
	return true
}

// Relaxed runs f on a thread whose queries don't disturb the captures of others.
func (g *gpu) Relaxed(f func()) {
	mode := g.relax()
	defer g.unrelax(mode)
	f()
}

// relax locks the thread and exempts it from the captures of others, until unrelax gets the
// thread's own mode. A runtime that lacks the call has no captures.
func (g *gpu) relax() (previous *ccall.Out) {
	runtime.LockOSThread()
	mode := ccall.NewOut()
	mode.W[0] = captureRelaxed
	if code, err := g.plain(exchangeCaptureMode, mode.Word(0), 0, 0); code != 0 || err != nil {
		mode.Free(1)
		return nil
	}
	return mode
}

func (g *gpu) unrelax(previous *ccall.Out) {
	if previous != nil {
		_, _ = g.plain(exchangeCaptureMode, previous.Word(0), 0, 0)
		previous.Free(1)
	}
	runtime.UnlockOSThread()
}

// relaxForGood exempts a thread of a poller.
func (g *gpu) relaxForGood() {
	if mode := g.relax(); mode != nil {
		mode.Free(1)
	}
	runtime.UnlockOSThread()
}

func (g *gpu) Sync() error { return g.inside(syncDevice, 0, 0, 0) }

func (g *gpu) Priorities() (least, greatest int, err error) {
	g.mu.Lock()
	least, greatest, known := g.least, g.greatest, g.ranged
	g.mu.Unlock()
	if known {
		return least, greatest, nil
	}
	out := ccall.NewOut()
	defer out.Free(2)
	if err := g.inside(priorityRange, out.Word(0), out.Word(1), 0); err != nil {
		return 0, 0, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.least, g.greatest = int(*(*int32)(out.At(0))), int(*(*int32)(out.At(1)))
	g.ranged = true
	return g.least, g.greatest, nil
}

func (g *gpu) Memory() (total, free uint64, err error) {
	if p := &g.api.calls[memInfo]; !g.api.lib.Has(p.Symbol) {
		return g.info.Memory, 0, &Refusal{ErrUnsupported,
			"this driver has no " + p.Symbol + ", so free memory is not known; update the driver"}
	}
	out := ccall.NewOut()
	defer out.Free(2)
	err = g.inside(memInfo, out.Word(0), out.Word(1), 0)
	return out.W[1], out.W[0], err
}

// openDevices describes n devices of a driver, numbered from 0, whatever their numbers there.
func openDevices(v *api, n int, describe func(i int) (Driver, *gpu, error)) ([]Driver, error) {
	var ds []Driver
	for i := range n {
		d, g, err := describe(i)
		if err != nil {
			return nil, fmt.Errorf("describe device %s:%d: %w", g.info.Backend, i, err)
		}
		g.api, g.generation = v, v.lib.Generation()
		g.info.number(i)
		g.polling = newPolling(g.relaxForGood)
		ds = append(ds, d)
	}
	return ds, nil
}

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

	mu      sync.Mutex
	primary uintptr // the context, once it is retained
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

// ours returns the context or device that calls need. A context is retained at its first use, since
// it takes much device memory. It is never released, since others in the process may be using it by
// then.
func (g *gpu) ours() (uintptr, error) {
	if g.api.retain == nil {
		return uintptr(g.number), nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.primary == 0 {
		ctx, err := g.api.retain(g.number)
		if err != nil {
			return 0, err
		}
		g.primary = ctx
	}
	return g.primary, nil
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
		return 0, Failed(p.Symbol, err)
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
	err = g.inside(c, word, 0, 0)
	if e, ok := err.(*Error); ok && e.Class == ErrNotReady {
		return false, nil
	}
	return err == nil, err
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

// Relaxed exempts the thread from the captures of others. A runtime that lacks the call has no
// captures.
func (g *gpu) Relaxed(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if previous, ok := g.exchangeMode(captureRelaxed); ok {
		defer g.exchangeMode(previous)
	}
	f()
}

// exchangeMode sets the thread's capture mode, and returns the previous one.
func (g *gpu) exchangeMode(mode uint64) (previous uint64, ok bool) {
	out := ccall.NewOut()
	defer out.Free(1)
	out.W[0] = mode
	code, err := g.plain(exchangeCaptureMode, out.Word(0), 0, 0)
	return out.W[0], code == 0 && err == nil
}

func (g *gpu) Sync() error { return g.inside(syncDevice, 0, 0, 0) }

func (g *gpu) Priorities() (least, greatest int, err error) {
	out := ccall.NewOut()
	defer out.Free(2)
	err = g.inside(priorityRange, out.Word(0), out.Word(1), 0)
	return int(*(*int32)(out.At(0))), int(*(*int32)(out.At(1))), err
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
		g.polling = newPolling(func() { g.exchangeMode(captureRelaxed) })
		ds = append(ds, d)
	}
	return ds, nil
}

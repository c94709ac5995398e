package bench

import (
	"errors"
	"unsafe"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/ccall"
)

// raw are a vendor's functions, by the bindings alone. Handles and addresses are words. The device
// has to be current.
type raw struct {
	notReady error

	newStream                    func() (uintptr, error)
	closeStream, syncStream      func(s uintptr) error
	newEvent, newTimedEvent      func() (uintptr, error)
	closeEvent, query, syncEvent func(e uintptr) error
	record                       func(e, s uintptr) error
	waitEvent                    func(s, e uintptr) error
	elapsed                      func(start, end uintptr) (milliseconds float32, err error)
	load                         func(image unsafe.Pointer) (uintptr, error)
	unload                       func(module uintptr) error
	function                     func(module uintptr, name string) (uintptr, error)
	launch0                      func(f, s uintptr) error
	launch4                      func(f, s uintptr, a, b uint64, n int32, x float32) error
	spin                         func(f, s uintptr, ticks uint64) error
	beginCapture                 func(s uintptr) error
	endCapture, instantiate      func(word uintptr) (uintptr, error)
	closeCaptured, closeGraph    func(g uintptr) error
	launchGraph                  func(g, s uintptr) error
	allocAsync                   func(bytes, s uintptr) (uintptr, error)
	freeAsync                    func(address, s uintptr) error
	copyIn                       func(s, to uintptr, from unsafe.Pointer, bytes uintptr) error
	copyOut                      func(s uintptr, to unsafe.Pointer, from, bytes uintptr) error
}

// rawOf returns the functions of a device's vendor; nil for the host.
func rawOf(d *event.Device) *raw {
	return map[event.Backend]*raw{event.CUDA: &cudaRaw, event.HIP: &hipRaw}[d.Backend()]
}

func (r *raw) done(e uintptr) (bool, error) {
	err := r.query(e)
	if errors.Is(err, r.notReady) {
		return false, nil
	}
	return err == nil, err
}

// capture makes an executable graph of what f enqueues on the stream.
func (r *raw) capture(s uintptr, f func() error) (uintptr, error) {
	if err := r.beginCapture(s); err != nil {
		return 0, err
	}
	err := f()
	g, ended := r.endCapture(s)
	if err = errors.Join(err, ended); err != nil {
		return 0, err
	}
	x, err := r.instantiate(g)
	return x, errors.Join(err, r.closeCaptured(g))
}

// handle is an object of a driver, or an address.
type handle interface{ ~uintptr | ~uint64 }

// of1 and of2 make functions of words out of those of handles, and word a word of a handle.
func of1[A handle](f func(A) error) func(uintptr) error {
	return func(a uintptr) error { return f(A(a)) }
}

func of2[A, B handle](f func(A, B) error) func(a, b uintptr) error {
	return func(a, b uintptr) error { return f(A(a), B(b)) }
}

func word[H handle](h H, err error) (uintptr, error) { return uintptr(h), err }

// cudaRaw are the functions of NVIDIA's driver.
var cudaRaw = raw{
	notReady:    cudrv.ErrNotReady,
	newStream:   func() (uintptr, error) { return word(cudrv.StreamCreate(cudrv.StreamNonBlocking)) },
	closeStream: of1(cudrv.StreamDestroy), syncStream: of1(cudrv.StreamSynchronize),
	newEvent: func() (uintptr, error) {
		return word(cudrv.EventCreate(cudrv.EventDisableTiming))
	},
	newTimedEvent: func() (uintptr, error) { return word(cudrv.EventCreate(cudrv.EventDefault)) },
	closeEvent:    of1(cudrv.EventDestroy), query: of1(cudrv.EventQuery),
	syncEvent: of1(cudrv.EventSynchronize), record: of2(cudrv.EventRecord),
	waitEvent: func(s, e uintptr) error {
		return cudrv.StreamWaitEvent(cudrv.Stream(s), cudrv.Event(e), 0)
	},
	elapsed: func(start, end uintptr) (float32, error) {
		return cudrv.EventElapsedTime(cudrv.Event(start), cudrv.Event(end))
	},
	load:   func(image unsafe.Pointer) (uintptr, error) { return word(cudrv.ModuleLoadData(image)) },
	unload: of1(cudrv.ModuleUnload),
	function: func(module uintptr, name string) (uintptr, error) {
		return word(cudrv.ModuleGetFunction(cudrv.Module(module), name))
	},
	launch0: func(f, s uintptr) error { return cudaLaunch(f, s, nil) },
	launch4: func(f, s uintptr, a, b uint64, n int32, x float32) error {
		p := cudrv.NewParams().Uint64(a).Uint64(b).Int32(n).Float32(x)
		defer p.Free()
		return cudaLaunch(f, s, p.Pointers())
	},
	spin: func(f, s uintptr, ticks uint64) error {
		p := cudrv.NewParams().Uint64(ticks)
		defer p.Free()
		return cudaLaunch(f, s, p.Pointers())
	},
	beginCapture: func(s uintptr) error {
		return cudrv.StreamBeginCapture(cudrv.Stream(s), cudrv.StreamCaptureModeThreadLocal)
	},
	endCapture: func(s uintptr) (uintptr, error) {
		return word(cudrv.StreamEndCapture(cudrv.Stream(s)))
	},
	instantiate: func(g uintptr) (uintptr, error) {
		return word(cudrv.GraphInstantiateWithFlags(cudrv.Graph(g), 0))
	},
	closeCaptured: of1(cudrv.GraphDestroy), closeGraph: of1(cudrv.GraphExecDestroy),
	launchGraph: of2(cudrv.GraphLaunch),
	allocAsync: func(bytes, s uintptr) (uintptr, error) {
		return word(cudrv.MemAllocAsync(bytes, cudrv.Stream(s)))
	},
	freeAsync: of2(cudrv.MemFreeAsync),
	copyIn: func(s, to uintptr, from unsafe.Pointer, bytes uintptr) error {
		return cudrv.MemcpyHtoDAsync(cudrv.Deviceptr(to), from, bytes, cudrv.Stream(s))
	},
	copyOut: func(s uintptr, to unsafe.Pointer, from, bytes uintptr) error {
		return cudrv.MemcpyDtoHAsync(to, cudrv.Deviceptr(from), bytes, cudrv.Stream(s))
	},
}

// cudaLaunch launches one thread of a kernel.
func cudaLaunch(f, s uintptr, params *unsafe.Pointer) error {
	return cudrv.LaunchKernel(cudrv.Function(f), 1, 1, 1, 1, 1, 1, 0, cudrv.Stream(s), params, nil)
}

// hipRaw are the functions of AMD's runtime.
var hipRaw = raw{
	notReady: hip.ErrNotReady,
	newStream: func() (uintptr, error) {
		return word(hip.StreamCreateWithFlags(hip.StreamNonBlocking))
	},
	closeStream: of1(hip.StreamDestroy), syncStream: of1(hip.StreamSynchronize),
	newEvent: func() (uintptr, error) {
		return word(hip.EventCreateWithFlags(hip.EventDisableTiming))
	},
	newTimedEvent: func() (uintptr, error) { return word(hip.EventCreateWithFlags(hip.EventDefault)) },
	closeEvent:    of1(hip.EventDestroy), query: of1(hip.EventQuery),
	syncEvent: of1(hip.EventSynchronize), record: of2(hip.EventRecord),
	waitEvent: func(s, e uintptr) error { return hip.StreamWaitEvent(hip.Stream(s), hip.Event(e), 0) },
	elapsed: func(start, end uintptr) (float32, error) {
		return hip.EventElapsedTime(hip.Event(start), hip.Event(end))
	},
	load:   func(image unsafe.Pointer) (uintptr, error) { return word(hip.ModuleLoadData(image)) },
	unload: of1(hip.ModuleUnload),
	function: func(module uintptr, name string) (uintptr, error) {
		return word(hip.ModuleGetFunction(hip.Module(module), name))
	},
	launch0: func(f, s uintptr) error { return hipLaunch(f, s, nil) },
	launch4: func(f, s uintptr, a, b uint64, n int32, x float32) error {
		p := hip.NewParams().Uint64(a).Uint64(b).Int32(n).Float32(x)
		defer p.Free()
		return hipLaunch(f, s, p.Pointers())
	},
	spin: func(f, s uintptr, ticks uint64) error {
		p := hip.NewParams().Uint64(ticks)
		defer p.Free()
		return hipLaunch(f, s, p.Pointers())
	},
	beginCapture: func(s uintptr) error {
		return hip.StreamBeginCapture(hip.Stream(s), hip.StreamCaptureModeThreadLocal)
	},
	endCapture: func(s uintptr) (uintptr, error) { return word(hip.StreamEndCapture(hip.Stream(s))) },
	instantiate: func(g uintptr) (uintptr, error) {
		return word(hip.GraphInstantiateWithFlags(hip.Graph(g), 0))
	},
	closeCaptured: of1(hip.GraphDestroy), closeGraph: of1(hip.GraphExecDestroy),
	launchGraph: of2(hip.GraphLaunch),
	allocAsync: func(bytes, s uintptr) (uintptr, error) {
		p, err := hip.MallocAsync(bytes, hip.Stream(s))
		return uintptr(p), err
	},
	freeAsync: func(address, s uintptr) error {
		return hip.FreeAsync(ccall.Pointer(address), hip.Stream(s))
	},
	copyIn: func(s, to uintptr, from unsafe.Pointer, bytes uintptr) error {
		return hip.MemcpyHtoDAsync(ccall.Pointer(to), from, bytes, hip.Stream(s))
	},
	copyOut: func(s uintptr, to unsafe.Pointer, from, bytes uintptr) error {
		return hip.MemcpyDtoHAsync(to, ccall.Pointer(from), bytes, hip.Stream(s))
	},
}

// hipLaunch launches one thread of a kernel.
func hipLaunch(f, s uintptr, params *unsafe.Pointer) error {
	return hip.ModuleLaunchKernel(hip.Function(f), 1, 1, 1, 1, 1, 1, 0, hip.Stream(s), params, nil)
}

package bench

import (
	"errors"
	"unsafe"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/ccall"
)

// hipRaw are the functions of AMD's runtime.
type hipRaw struct{}

func (hipRaw) newStream() (uintptr, error) {
	s, err := hip.StreamCreateWithFlags(hip.StreamNonBlocking)
	return uintptr(s), err
}

func (hipRaw) closeStream(s uintptr) error { return hip.StreamDestroy(hip.Stream(s)) }
func (hipRaw) syncStream(s uintptr) error  { return hip.StreamSynchronize(hip.Stream(s)) }

func (hipRaw) waitEvent(s, e uintptr) error {
	return hip.StreamWaitEvent(hip.Stream(s), hip.Event(e), 0)
}

func (hipRaw) newEvent(timed bool) (uintptr, error) {
	flags := hip.EventDisableTiming
	if timed {
		flags = hip.EventDefault
	}
	e, err := hip.EventCreateWithFlags(flags)
	return uintptr(e), err
}

func (hipRaw) closeEvent(e uintptr) error { return hip.EventDestroy(hip.Event(e)) }

func (hipRaw) record(e, s uintptr) error { return hip.EventRecord(hip.Event(e), hip.Stream(s)) }

func (hipRaw) done(e uintptr) (bool, error) {
	err := hip.EventQuery(hip.Event(e))
	if errors.Is(err, hip.ErrNotReady) {
		return false, nil
	}
	return err == nil, err
}

func (hipRaw) syncEvent(e uintptr) error { return hip.EventSynchronize(hip.Event(e)) }

func (hipRaw) elapsed(start, end uintptr) (float32, error) {
	return hip.EventElapsedTime(hip.Event(start), hip.Event(end))
}

func (hipRaw) load(image []byte) (uintptr, error) {
	m, err := hip.ModuleLoadData(unsafe.Pointer(unsafe.SliceData(image)))
	return uintptr(m), err
}

func (hipRaw) unload(module uintptr) error { return hip.ModuleUnload(hip.Module(module)) }

func (hipRaw) function(module uintptr, name string) (uintptr, error) {
	f, err := hip.ModuleGetFunction(hip.Module(module), name)
	return uintptr(f), err
}

func (hipRaw) launch0(f, s uintptr) error {
	return hip.ModuleLaunchKernel(hip.Function(f), 1, 1, 1, 1, 1, 1, 0, hip.Stream(s), nil, nil)
}

func (hipRaw) launch4(f, s uintptr, a, b uint64, n int32, x float32) error {
	p := hip.NewParams().Uint64(a).Uint64(b).Int32(n).Float32(x)
	return hipLaunch(f, s, p)
}

func (hipRaw) spin(f, s uintptr, ticks uint64) error {
	p := hip.NewParams().Uint64(ticks)
	return hipLaunch(f, s, p)
}

// hipLaunch launches one thread of a kernel.
func hipLaunch(f, s uintptr, p *hip.Params) error {
	err := hip.ModuleLaunchKernel(hip.Function(f), 1, 1, 1, 1, 1, 1, 0, hip.Stream(s),
		p.Pointers(), nil)
	p.Free()
	return err
}

func (hipRaw) capture(s uintptr, f func() error) (uintptr, error) {
	err := hip.StreamBeginCapture(hip.Stream(s), hip.StreamCaptureModeThreadLocal)
	if err != nil {
		return 0, err
	}
	err = f()
	g, ended := hip.StreamEndCapture(hip.Stream(s))
	if err = errors.Join(err, ended); err != nil {
		return 0, err
	}
	x, err := hip.GraphInstantiateWithFlags(g, 0)
	return uintptr(x), errors.Join(err, hip.GraphDestroy(g))
}

func (hipRaw) launchGraph(g, s uintptr) error {
	return hip.GraphLaunch(hip.GraphExec(g), hip.Stream(s))
}

func (hipRaw) closeGraph(g uintptr) error { return hip.GraphExecDestroy(hip.GraphExec(g)) }

func (hipRaw) allocAsync(bytes, s uintptr) (uintptr, error) {
	p, err := hip.MallocAsync(bytes, hip.Stream(s))
	return uintptr(p), err
}

func (hipRaw) freeAsync(address, s uintptr) error {
	return hip.FreeAsync(ccall.Pointer(address), hip.Stream(s))
}

func (hipRaw) copyIn(s, to uintptr, from unsafe.Pointer, bytes uintptr) error {
	return hip.MemcpyHtoDAsync(ccall.Pointer(to), from, bytes, hip.Stream(s))
}

func (hipRaw) copyOut(s uintptr, to unsafe.Pointer, from, bytes uintptr) error {
	return hip.MemcpyDtoHAsync(to, ccall.Pointer(from), bytes, hip.Stream(s))
}

package bench

import (
	"errors"
	"unsafe"

	"github.com/gpuevent/gpuevent/cudrv"
)

// cudaRaw are the functions of NVIDIA's driver.
type cudaRaw struct{}

func (cudaRaw) newStream() (uintptr, error) {
	s, err := cudrv.StreamCreate(cudrv.StreamNonBlocking)
	return uintptr(s), err
}

func (cudaRaw) closeStream(s uintptr) error { return cudrv.StreamDestroy(cudrv.Stream(s)) }
func (cudaRaw) syncStream(s uintptr) error  { return cudrv.StreamSynchronize(cudrv.Stream(s)) }

func (cudaRaw) waitEvent(s, e uintptr) error {
	return cudrv.StreamWaitEvent(cudrv.Stream(s), cudrv.Event(e), 0)
}

func (cudaRaw) newEvent(timed bool) (uintptr, error) {
	flags := cudrv.EventDisableTiming
	if timed {
		flags = cudrv.EventDefault
	}
	e, err := cudrv.EventCreate(flags)
	return uintptr(e), err
}

func (cudaRaw) closeEvent(e uintptr) error { return cudrv.EventDestroy(cudrv.Event(e)) }

func (cudaRaw) record(e, s uintptr) error {
	return cudrv.EventRecord(cudrv.Event(e), cudrv.Stream(s))
}

func (cudaRaw) done(e uintptr) (bool, error) {
	err := cudrv.EventQuery(cudrv.Event(e))
	if errors.Is(err, cudrv.ErrNotReady) {
		return false, nil
	}
	return err == nil, err
}

func (cudaRaw) syncEvent(e uintptr) error { return cudrv.EventSynchronize(cudrv.Event(e)) }

func (cudaRaw) elapsed(start, end uintptr) (float32, error) {
	return cudrv.EventElapsedTime(cudrv.Event(start), cudrv.Event(end))
}

func (cudaRaw) load(image []byte) (uintptr, error) {
	m, err := cudrv.ModuleLoadData(unsafe.Pointer(unsafe.SliceData(image)))
	return uintptr(m), err
}

func (cudaRaw) unload(module uintptr) error { return cudrv.ModuleUnload(cudrv.Module(module)) }

func (cudaRaw) function(module uintptr, name string) (uintptr, error) {
	f, err := cudrv.ModuleGetFunction(cudrv.Module(module), name)
	return uintptr(f), err
}

func (cudaRaw) launch0(f, s uintptr) error {
	return cudrv.LaunchKernel(cudrv.Function(f), 1, 1, 1, 1, 1, 1, 0, cudrv.Stream(s), nil, nil)
}

func (cudaRaw) launch4(f, s uintptr, a, b uint64, n int32, x float32) error {
	p := cudrv.NewParams().Uint64(a).Uint64(b).Int32(n).Float32(x)
	return cudaLaunch(f, s, p)
}

func (cudaRaw) spin(f, s uintptr, ticks uint64) error {
	p := cudrv.NewParams().Uint64(ticks)
	return cudaLaunch(f, s, p)
}

// cudaLaunch launches one thread of a kernel.
func cudaLaunch(f, s uintptr, p *cudrv.Params) error {
	err := cudrv.LaunchKernel(cudrv.Function(f), 1, 1, 1, 1, 1, 1, 0, cudrv.Stream(s),
		p.Pointers(), nil)
	p.Free()
	return err
}

func (cudaRaw) capture(s uintptr, f func() error) (uintptr, error) {
	err := cudrv.StreamBeginCapture(cudrv.Stream(s), cudrv.StreamCaptureModeThreadLocal)
	if err != nil {
		return 0, err
	}
	err = f()
	g, ended := cudrv.StreamEndCapture(cudrv.Stream(s))
	if err = errors.Join(err, ended); err != nil {
		return 0, err
	}
	x, err := cudrv.GraphInstantiateWithFlags(g, 0)
	return uintptr(x), errors.Join(err, cudrv.GraphDestroy(g))
}

func (cudaRaw) launchGraph(g, s uintptr) error {
	return cudrv.GraphLaunch(cudrv.GraphExec(g), cudrv.Stream(s))
}

func (cudaRaw) closeGraph(g uintptr) error { return cudrv.GraphExecDestroy(cudrv.GraphExec(g)) }

func (cudaRaw) allocAsync(bytes, s uintptr) (uintptr, error) {
	p, err := cudrv.MemAllocAsync(bytes, cudrv.Stream(s))
	return uintptr(p), err
}

func (cudaRaw) freeAsync(address, s uintptr) error {
	return cudrv.MemFreeAsync(cudrv.Deviceptr(address), cudrv.Stream(s))
}

func (cudaRaw) copyIn(s, to uintptr, from unsafe.Pointer, bytes uintptr) error {
	return cudrv.MemcpyHtoDAsync(cudrv.Deviceptr(to), from, bytes, cudrv.Stream(s))
}

func (cudaRaw) copyOut(s uintptr, to unsafe.Pointer, from, bytes uintptr) error {
	return cudrv.MemcpyDtoHAsync(to, cudrv.Deviceptr(from), bytes, cudrv.Stream(s))
}

package eventtest

import "github.com/gpuevent/gpuevent/cudrv"

// cudaCalls are the CUDA driver's, in a context.
type cudaCalls struct{ context cudrv.Context }

func (c cudaCalls) inside(f func() error) error { return c.context.Do(f) }

func (c cudaCalls) createEvent(flags uint32) (uintptr, error) {
	e, err := cudrv.EventCreate(cudrv.EventFlags(flags))
	return uintptr(e), err
}

func (c cudaCalls) destroyEvent(e uintptr) error { return cudrv.EventDestroy(cudrv.Event(e)) }

func (c cudaCalls) record(e, s uintptr) error {
	return cudrv.EventRecord(cudrv.Event(e), cudrv.Stream(s))
}

func (c cudaCalls) recordExternal(e, s uintptr) error {
	return cudrv.EventRecordWithFlags(cudrv.Event(e), cudrv.Stream(s), cudrv.EventRecordExternal)
}

func (c cudaCalls) queryEvent(e uintptr) error { return cudrv.EventQuery(cudrv.Event(e)) }

func (c cudaCalls) syncEvent(e uintptr) error { return cudrv.EventSynchronize(cudrv.Event(e)) }

func (c cudaCalls) elapsed(start, end uintptr) (float32, error) {
	return cudrv.EventElapsedTime(cudrv.Event(start), cudrv.Event(end))
}

func (c cudaCalls) ipcGet(e uintptr) ([64]byte, error) {
	h, err := cudrv.IpcGetEventHandle(cudrv.Event(e))
	return h.Reserved, err
}

func (c cudaCalls) ipcOpen(handle [64]byte) (uintptr, error) {
	e, err := cudrv.IpcOpenEventHandle(cudrv.IpcEventHandle{Reserved: handle})
	return uintptr(e), err
}

func (c cudaCalls) createStream(flags uint32, priority int32) (uintptr, error) {
	s, err := cudrv.StreamCreateWithPriority(cudrv.StreamFlags(flags), priority)
	return uintptr(s), err
}

func (c cudaCalls) destroyStream(s uintptr) error { return cudrv.StreamDestroy(cudrv.Stream(s)) }

func (c cudaCalls) queryStream(s uintptr) error { return cudrv.StreamQuery(cudrv.Stream(s)) }

func (c cudaCalls) syncStream(s uintptr) error { return cudrv.StreamSynchronize(cudrv.Stream(s)) }

func (c cudaCalls) waitEvent(s, e uintptr, flags uint32) error {
	return cudrv.StreamWaitEvent(cudrv.Stream(s), cudrv.Event(e), cudrv.EventWaitFlags(flags))
}

func (c cudaCalls) priority(s uintptr) (int32, error) {
	return cudrv.StreamGetPriority(cudrv.Stream(s))
}

func (c cudaCalls) priorityRange() (least, greatest int32, err error) {
	return cudrv.CtxGetStreamPriorityRange()
}

func (c cudaCalls) hold(s uintptr, f func()) error { return c.hostFunc(s, f) }

func (c cudaCalls) hostFunc(s uintptr, f func()) error {
	return cudrv.LaunchHostFunc(cudrv.Stream(s), f)
}

func (c cudaCalls) beginCapture(s uintptr, mode uint32) error {
	return cudrv.StreamBeginCapture(cudrv.Stream(s), cudrv.StreamCaptureMode(mode))
}

func (c cudaCalls) endCapture(s uintptr) (uintptr, error) {
	g, err := cudrv.StreamEndCapture(cudrv.Stream(s))
	return uintptr(g), err
}

func (c cudaCalls) capturing(s uintptr) (int32, error) {
	status, err := cudrv.StreamIsCapturing(cudrv.Stream(s))
	return int32(status), err
}

func (c cudaCalls) exchangeMode(mode uint32) (uint32, error) {
	m := cudrv.StreamCaptureMode(mode)
	err := cudrv.ThreadExchangeStreamCaptureMode(&m)
	return uint32(m), err
}

func (c cudaCalls) instantiate(graph uintptr) (uintptr, error) {
	x, err := cudrv.GraphInstantiateWithFlags(cudrv.Graph(graph), 0)
	return uintptr(x), err
}

func (c cudaCalls) launch(exec, s uintptr) error {
	return cudrv.GraphLaunch(cudrv.GraphExec(exec), cudrv.Stream(s))
}

func (c cudaCalls) destroyGraph(graph uintptr) error {
	return cudrv.GraphDestroy(cudrv.Graph(graph))
}

func (c cudaCalls) destroyExec(exec uintptr) error {
	return cudrv.GraphExecDestroy(cudrv.GraphExec(exec))
}

package eventtest

import (
	"errors"

	"github.com/gpuevent/gpuevent/hip"
)

// hipCalls are the HIP runtime's, on a device.
type hipCalls struct {
	device hip.Device
	onCPU  bool
}

// hipCallsOf distinguishes AMD's runtime from one on a CPU, which can't report whether a stream
// captures.
func hipCallsOf(d hip.Device) (calls, string, error) {
	c, vendor := hipCalls{device: d}, amdVendor
	err := c.inside(func() error {
		s, err := c.createStream(0, 0)
		if err != nil {
			return err
		}
		if _, err := c.capturing(s); codeIn(err) == notSupportedCode {
			c.onCPU, vendor = true, chipVendor
		}
		return c.destroyStream(s)
	})
	return c, vendor, err
}

func (c hipCalls) inside(f func() error) error { return c.device.Do(f) }

func (c hipCalls) createEvent(flags uint32) (uintptr, error) {
	e, err := hip.EventCreateWithFlags(hip.EventFlags(flags))
	return uintptr(e), err
}

func (c hipCalls) destroyEvent(e uintptr) error { return hip.EventDestroy(hip.Event(e)) }

func (c hipCalls) record(e, s uintptr) error { return hip.EventRecord(hip.Event(e), hip.Stream(s)) }

func (c hipCalls) recordExternal(e, s uintptr) error {
	return hip.EventRecordWithFlags(hip.Event(e), hip.Stream(s), hip.EventRecordExternal)
}

func (c hipCalls) queryEvent(e uintptr) error { return hip.EventQuery(hip.Event(e)) }

func (c hipCalls) syncEvent(e uintptr) error { return hip.EventSynchronize(hip.Event(e)) }

func (c hipCalls) elapsed(start, end uintptr) (float32, error) {
	return hip.EventElapsedTime(hip.Event(start), hip.Event(end))
}

func (c hipCalls) ipcGet(e uintptr) ([64]byte, error) {
	h, err := hip.IpcGetEventHandle(hip.Event(e))
	return h.Reserved, err
}

func (c hipCalls) ipcOpen(handle [64]byte) (uintptr, error) {
	e, err := hip.IpcOpenEventHandle(hip.IpcEventHandle{Reserved: handle})
	return uintptr(e), err
}

func (c hipCalls) createStream(flags uint32, priority int32) (uintptr, error) {
	s, err := hip.StreamCreateWithPriority(hip.StreamFlags(flags), priority)
	return uintptr(s), err
}

func (c hipCalls) destroyStream(s uintptr) error { return hip.StreamDestroy(hip.Stream(s)) }

func (c hipCalls) queryStream(s uintptr) error { return hip.StreamQuery(hip.Stream(s)) }

func (c hipCalls) syncStream(s uintptr) error { return hip.StreamSynchronize(hip.Stream(s)) }

func (c hipCalls) waitEvent(s, e uintptr, flags uint32) error {
	return hip.StreamWaitEvent(hip.Stream(s), hip.Event(e), hip.EventWaitFlags(flags))
}

func (c hipCalls) priority(s uintptr) (int32, error) { return hip.StreamGetPriority(hip.Stream(s)) }

func (c hipCalls) priorityRange() (least, greatest int32, err error) {
	return hip.DeviceGetStreamPriorityRange()
}

var errHostFuncBlocks = errors.New("host functions block the caller here")

// hold uses the older callback if there are no host functions: both hold the stream up.
func (c hipCalls) hold(s uintptr, f func()) error {
	if c.onCPU {
		return errHostFuncBlocks
	}
	if hip.Has("hipLaunchHostFunc") {
		return c.hostFunc(s, f)
	}
	return hip.StreamAddCallback(hip.Stream(s), func(hip.Stream, hip.Result) { f() }, 0)
}

func (c hipCalls) hostFunc(s uintptr, f func()) error {
	return hip.LaunchHostFunc(hip.Stream(s), f)
}

func (c hipCalls) beginCapture(s uintptr, mode uint32) error {
	return hip.StreamBeginCapture(hip.Stream(s), hip.StreamCaptureMode(mode))
}

func (c hipCalls) endCapture(s uintptr) (uintptr, error) {
	g, err := hip.StreamEndCapture(hip.Stream(s))
	return uintptr(g), err
}

func (c hipCalls) capturing(s uintptr) (int32, error) {
	status, err := hip.StreamIsCapturing(hip.Stream(s))
	return int32(status), err
}

func (c hipCalls) exchangeMode(mode uint32) (uint32, error) {
	m := hip.StreamCaptureMode(mode)
	err := hip.ThreadExchangeStreamCaptureMode(&m)
	return uint32(m), err
}

func (c hipCalls) instantiate(graph uintptr) (uintptr, error) {
	x, _, err := hip.GraphInstantiate(hip.Graph(graph), nil, 0)
	return uintptr(x), err
}

func (c hipCalls) launch(exec, s uintptr) error {
	return hip.GraphLaunch(hip.GraphExec(exec), hip.Stream(s))
}

func (c hipCalls) destroyGraph(graph uintptr) error { return hip.GraphDestroy(hip.Graph(graph)) }

func (c hipCalls) destroyExec(exec uintptr) error {
	return hip.GraphExecDestroy(hip.GraphExec(exec))
}

package eventtest

import (
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
)

// calls are a vendor's functions, as in the bindings. Handles are words.
type calls interface {
	inside(f func() error) error // with the device current on a locked thread

	createEvent(flags uint32) (uintptr, error)
	destroyEvent(e uintptr) error
	record(e, s uintptr) error
	recordExternal(e, s uintptr) error
	queryEvent(e uintptr) error
	syncEvent(e uintptr) error
	elapsed(start, end uintptr) (float32, error)
	ipcGet(e uintptr) ([64]byte, error)
	ipcOpen(handle [64]byte) (uintptr, error)

	createStream(flags uint32, priority int32) (uintptr, error)
	destroyStream(s uintptr) error
	queryStream(s uintptr) error
	syncStream(s uintptr) error
	waitEvent(s, e uintptr, flags uint32) error
	priority(s uintptr) (int32, error)
	priorityRange() (least, greatest int32, err error)
	hold(s uintptr, f func()) error // enqueues f, which holds the stream up until it returns
	hostFunc(s uintptr, f func()) error

	beginCapture(s uintptr, mode uint32) error
	endCapture(s uintptr) (graph uintptr, err error)
	capturing(s uintptr) (status int32, err error)
	exchangeMode(mode uint32) (previous uint32, err error)
	instantiate(graph uintptr) (exec uintptr, err error)
	launch(exec, s uintptr) error
	destroyGraph(graph uintptr) error
	destroyExec(exec uintptr) error
}

// callsOf returns the functions of the device's driver, and the vendor.
func callsOf(d *event.Device) (calls, string, error) {
	switch d.Backend() {
	case event.CUDA:
		context, err := d.Context()
		return cudaCalls{cudrv.Context(context)}, cudaVendor, err
	case event.HIP:
		return hipCallsOf(hip.Device(d.Ordinal()))
	}
	return nil, "", fmt.Errorf("%v has no driver", d)
}

func isMissing(err error) bool {
	return errors.Is(err, cudrv.ErrSymbolNotFound) || errors.Is(err, hip.ErrSymbolNotFound)
}

func numberOf(c coded) int32 {
	switch r := c.(type) {
	case cudrv.Result:
		return int32(r)
	case hip.Result:
		return int32(r)
	}
	return otherCode
}

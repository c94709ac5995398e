package event

import (
	"fmt"
	"log/slog"
	"sync/atomic"
)

var errorHandler atomic.Pointer[func(error)]

// SetErrorHandler sets the handler for failures that no call can return: a native handle that can't
// be destroyed after its last use or by the garbage collector, a panic in a callback. Each failed
// function of [Stream.HostFunc] is reported too, in case no call waits for the work after it. The
// default handler logs with [log/slog] at level Error; nil restores it. The handler runs on
// goroutines of this package that hold no lock, and may call anything. A panic in it is logged.
func SetErrorHandler(h func(error)) {
	if h == nil {
		errorHandler.Store(nil)
		return
	}
	errorHandler.Store(&h)
}

// report passes on a failure that can't be returned. The caller may hold locks, or be on a thread
// where the handler must not run.
func report(err error) {
	if h := errorHandler.Load(); h != nil {
		dispatch(errorLane{}, []func(error){func(err error) { callHandler(*h, err) }}, err)
		return
	}
	slog.Error("gpuevent: " + err.Error())
}

// reportHere is report on a goroutine that runs only users' functions.
func reportHere(err error) {
	if h := errorHandler.Load(); h != nil {
		callHandler(*h, err)
		return
	}
	slog.Error("gpuevent: " + err.Error())
}

// errorLane is the lane in which failures are reported in order.
type errorLane struct{}

// callHandler calls the handler. A panic in the handler is logged, since it can't be reported.
func callHandler(h func(error), err error) {
	defer func() {
		if v := recover(); v != nil {
			slog.Error(fmt.Sprintf("gpuevent: panic in the error handler: %v", v), "error", err)
		}
	}()
	h(err)
}

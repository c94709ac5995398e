package event

import (
	"errors"
	"log/slog"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

var errorHandler atomic.Pointer[func(error)]

// SetErrorHandler sets who hears of failures that no call can return: of a handle that is destroyed after its last use or by the garbage
// collector, of a panic in a callback. The default logs them with [log/slog] at level Error; nil restores it. The
// handler runs on any goroutine and must not block.
func SetErrorHandler(h func(error)) {
	if h == nil {
		errorHandler.Store(nil)
		return
	}
	errorHandler.Store(&h)
}

// report hands on a failure that can't be returned.
func report(err error) {
	if h := errorHandler.Load(); h != nil {
		(*h)(err)
		return
	}
	slog.Error("gpuevent: " + err.Error())
}

// reportLate reports a failure to destroy. At the end of the process, when the driver is gone already, there is nothing to say.
func reportLate(err error) {
	if !errors.Is(err, cudrv.ErrDeinitialized) && !errors.Is(err, hip.ErrDeinitialized) {
		report(err)
	}
}

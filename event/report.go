package event

import (
	"log/slog"
	"sync/atomic"
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

package hip

import "github.com/gpuevent/gpuevent/internal/callback"

// SetPanicHandler sets who hears of a callback that does not return, which is stopped before it
// could reach C: name is the callback's C type, value what it panicked with, stack where. A
// function that ends its goroutine instead, with [runtime.Goexit] or FailNow of a test, is stopped
// and told as well, and value is an error that says so; each such end leaves a parked goroutine. A
// function that locks its OS thread must unlock it before it returns, or the Go runtime ends the
// process. The default logs with [log/slog] at level Error; nil restores that. The handler is
// called on the callback's thread and must not call the vendor's library. It is one for the
// process: cudrv and hip share it.
func SetPanicHandler(h func(name string, value any, stack []byte)) { callback.SetPanicHandler(h) }

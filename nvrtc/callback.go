package nvrtc

import "github.com/gpuevent/gpuevent/internal/callback"

// SetPanicHandler sets the handler for callbacks that panic. The panic is recovered before it
// reaches C. name is the callback's C type, value is the value of the panic, and stack is where it
// happened. A callback that ends its goroutine with [runtime.Goexit], or with FailNow in a test, is
// also stopped and reported; value is then an error that says so, and a parked goroutine stays
// behind.
//
// A callback that locks its OS thread must unlock it before it returns, or the Go runtime ends the
// process. The default handler writes the panic and its stack to standard error; nil restores it.
// The handler is called on the callback's thread and must not call the vendor's library. There is
// one handler in a process: all packages of bindings share it.
func SetPanicHandler(h func(name string, value any, stack []byte)) { callback.SetPanicHandler(h) }

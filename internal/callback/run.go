package callback

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
)

// PanicHandler is told of a panic in a callback: the callback's C type, the value of the panic, and the stack where it happened.
type PanicHandler func(name string, value any, stack []byte)

var handler atomic.Pointer[PanicHandler]

// SetPanicHandler replaces what happens when a callback panics; nil restores the default, an error in the log of package slog with the stack.
func SetPanicHandler(h PanicHandler) {
	if h == nil {
		handler.Store(nil)
		return
	}
	handler.Store(&h)
}

func report(name string, value any, stack []byte) {
	if h := handler.Load(); h != nil {
		(*h)(name, value, stack)
		return
	}
	slog.Error("a callback panicked; the panic was stopped before it could reach C",
		"callback", name, "panic", fmt.Sprint(value), "stack", string(stack))
}

// guard calls f and stops its panic.
func guard(name string, f func()) {
	defer func() {
		if v := recover(); v != nil {
			stack := debug.Stack()
			defer func() { _ = recover() }() // a handler that panics must not reach C either
			report(name, v, stack)
		}
	}()
	f()
}

// Run finds the closure that the user data word key stands for and hands it to call. A word without a registration is reported: C called
// after the registration's end.
func Run[F any](name string, key uintptr, call func(F)) {
	guard(name, func() {
		v, ok := take(key)
		if !ok {
			report(name, fmt.Sprintf("C called registration %d, which has ended", key), nil)
			return
		}
		call(v.(F))
	})
}

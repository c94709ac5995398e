package callback

import (
	"fmt"
	"os"
	"sync/atomic"
)

// PanicHandler handles a panic in a callback. It gets the callback's C type, the value of the
// panic, and the stack where it happened. The value is [ErrLeft] where the function did not panic
// but ended its goroutine.
type PanicHandler func(name string, value any, stack []byte)

var handler atomic.Pointer[PanicHandler]

// SetPanicHandler sets the handler for panics in callbacks; nil restores the default, which writes
// the panic and the stack to standard error. It does not log with package slog, which would cost
// every program that imports these bindings 120 KB, and those with a callback 400.
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
	text := fmt.Sprintf("gpuevent: callback %s did not return; C got an answer in its place: %v\n",
		name, value)
	if len(stack) > 0 {
		text += "\n" + string(stack)
	}
	_, _ = os.Stderr.WriteString(text) // in one piece, as others write there too
}

// Run finds the closure of the user data word key and passes it to call. It reports a word that is
// not registered: C called after the registration had ended.
func Run[F any](name string, key uintptr, call func(F)) {
	Contain(func() {
		v, ok := take(key)
		if !ok {
			tell(name, fmt.Sprintf("C called registration %d, which has ended", key), nil)
			return
		}
		guard(name, func() { call(v.(F)) })
	})
}

package callback

import (
	"errors"
	"iter"
	"runtime/debug"
)

// ErrLeft is the value that the panic handler gets for a function that ended its goroutine instead
// of returning.
var ErrLeft = errors.New(
	"the function left its goroutine (runtime.Goexit, as FailNow of a test does); it has to return")

// Contain calls f and returns, even if f ends its goroutine.
//
// A goroutine that C has called must return to C, or the runtime ends the process. A Goexit can't
// be stopped, but it ends only its own goroutine. So f runs in another goroutine: a coroutine,
// because coroutines of a locked thread stay on that thread, and f then has C's thread-local state.
// A Goexit runs the deferred functions, and the last of these switches back for good. Each Goexit
// leaves a parked goroutine behind.
//
// The runtime requires that the thread is locked equally often at the end and at the beginning: f
// must unlock what it locks.
func Contain(f func()) {
	next, _ := iter.Pull(func(back func(struct{}) bool) {
		ended := false
		defer func() {
			if !ended {
				back(struct{}{})
			}
		}()
		f()
		ended = true
	})
	next()
}

// guard calls f, recovers its panic, and reports every end that is not a return.
func guard(name string, f func()) {
	returned := false
	defer func() {
		if v := recover(); v != nil {
			tell(name, v, debug.Stack())
		} else if !returned {
			tell(name, ErrLeft, debug.Stack())
		}
	}()
	f()
	returned = true
}

// tell reports to the handler. It recovers a panic of the handler, which must not reach C either.
func tell(name string, value any, stack []byte) {
	defer func() { _ = recover() }()
	report(name, value, stack)
}

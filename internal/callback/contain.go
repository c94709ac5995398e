package callback

import (
	"errors"
	"iter"
	"runtime/debug"
)

// ErrLeft is what the handler of panics is told of a function that ended its goroutine instead of
// returning.
var ErrLeft = errors.New(
	"the function left its goroutine (runtime.Goexit, as FailNow of a test does); it has to return")

// Contain calls f and returns, even if f ends its goroutine.
//
// A goroutine that C has called must go back to C; the runtime ends the process where it does not.
// Nothing stops a Goexit, but it ends only the goroutine that calls it. So f has a goroutine of its
// own, and as a coroutine, for those of a locked thread stay on that thread: what C keeps for a
// thread is there for f as well. A Goexit runs the deferred functions first, and the last of them
// switches back for good. What is left is a parked goroutine for each Goexit.
//
// The runtime wants the thread locked as often at the end as at the beginning: f must unlock what
// it locks.
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

// guard calls f, stops its panic, and reports whatever is not a return.
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

// tell reports, and stops a panic of the handler's: it must not reach C either.
func tell(name string, value any, stack []byte) {
	defer func() { _ = recover() }()
	report(name, value, stack)
}

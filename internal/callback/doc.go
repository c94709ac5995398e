// Package callback lets C call Go functions: it keeps registrations of Go closures, hands out the
// words that C carries for them, and makes one C function pointer per C signature, at its first
// use. The C side never sees a Go pointer; user data is a number that finds the closure.
//
// Callbacks may run on any thread, and Go functions run on the one that C called on. What ends a
// function instead of its return, a panic or a Goexit, is stopped and reported, see
// [SetPanicHandler]: it never crosses C frames.
package callback

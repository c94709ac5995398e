// Package callback lets C call Go functions. It registers Go closures under numbers, which C passes
// as user data, and makes one C function pointer per C signature, at its first use. C never gets a
// Go pointer.
//
// Callbacks may run on any thread; the Go function runs on the thread that C called on. A panic or
// a Goexit is stopped and reported (see [SetPanicHandler]), and never crosses C frames.
package callback

// Package clib compiles C text to shared libraries, for tests that call C. It imports no bindings:
// the tests of packages that the bindings rest on use it, and would have all of them compiled
// again.
package clib

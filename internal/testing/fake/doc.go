// Package fake makes vendor libraries out of Go functions, so that tests reach every path of the
// bindings without a driver: libraries that lack symbols, old releases, failing calls, C code that
// calls back.
//
// A [Library] is a symbol table for [dl.Library.Install]. Its symbols are C function pointers, so
// that calls take the real path through package ccall. Tests that install one run one at a time;
// [Library.Install] sees to that.
package fake

package hip

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/params"
)

// LibraryOptions are options for [LibraryLoadData] and [LibraryLoadFromFile]. Like [JITOptions],
// they keep alive what their values point to. Keep what a library uses after the call reachable as
// long as the library. The zero value has no options. One goroutine at a time may use a
// LibraryOptions, and it must not be copied.
type LibraryOptions struct{ o params.Options[LibraryOption] }

// Number sets an option to a number; use 0 or 1 for an option that is a flag.
func (o *LibraryOptions) Number(option LibraryOption, v uintptr) *LibraryOptions {
	o.o.Number(option, v)
	return o
}

// Pointer sets an option to an address. If it is in Go's memory, o keeps that memory alive.
func (o *LibraryOptions) Pointer(option LibraryOption, p unsafe.Pointer) *LibraryOptions {
	o.o.Pointer(option, p)
	return o
}

// Len returns the number of options.
func (o *LibraryOptions) Len() uint32 { return o.o.Len() }

// Options returns a pointer to the first option, or nil if there are none.
func (o *LibraryOptions) Options() *LibraryOption { return o.o.Names() }

// Values returns a pointer to the first value, in the order of the options, or nil if there are
// none.
func (o *LibraryOptions) Values() *uintptr { return o.o.Words() }

package hip

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/params"
)

// LibraryOptions are options for [LibraryLoadData] and [LibraryLoadFromFile]. As with [JITOptions],
// who holds them, or their values, holds what they point to. What a library uses for longer than
// the call has to be held as long as the library. The zero value has none. They belong to one
// goroutine at a time, and must not be copied.
type LibraryOptions struct{ o params.Options[LibraryOption] }

// Number sets an option to a number; an option that is a flag, to 0 or 1.
func (o *LibraryOptions) Number(option LibraryOption, v uintptr) *LibraryOptions {
	o.o.Number(option, v)
	return o
}

// Pointer sets an option to an address in Go's memory, which o keeps alive, or in C's.
func (o *LibraryOptions) Pointer(option LibraryOption, p unsafe.Pointer) *LibraryOptions {
	o.o.Pointer(option, p)
	return o
}

// Len is the number of options.
func (o *LibraryOptions) Len() uint32 { return o.o.Len() }

// Options returns the first of the options; nil if there are none.
func (o *LibraryOptions) Options() *LibraryOption { return o.o.Names() }

// Values returns the first of the values, in the order of the options; nil if there are none.
func (o *LibraryOptions) Values() *uintptr { return o.o.Words() }

package hiprtc

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/params"
)

// LinkOptions are options for [LinkCreate], [LinkAddData] and [LinkAddFile]:
//
//	var o hiprtc.LinkOptions
//	o.Texts(hiprtc.JitOptionIRtoISAOptExt, "-O3")
//	o.Number(hiprtc.JitOptionIRtoISAOptCountExt, 1)
//	linker, err := hiprtc.LinkCreate(o.Len(), o.Options(), o.Values())
//
// C takes the values as uintptr words, in which the garbage collector does not see addresses.
// LinkOptions keeps alive what its values point to, as long as it is itself reachable. A linker
// uses its options until [LinkDestroy]: keep them reachable until then, if need be with
// [runtime.KeepAlive].
//
// Setting an option again replaces its value. The zero value has no options; at most 64 fit. One
// goroutine at a time may use a LinkOptions, and it must not be copied.
type LinkOptions struct{ o params.Options[JitOption] }

// Number sets an option to a number; use 0 or 1 for an option that is a flag.
func (o *LinkOptions) Number(option JitOption, v uintptr) *LinkOptions {
	o.o.Number(option, v)
	return o
}

// Pointer sets an option to an address. If it is in Go's memory, o keeps that memory alive.
func (o *LinkOptions) Pointer(option JitOption, p unsafe.Pointer) *LinkOptions {
	o.o.Pointer(option, p)
	return o
}

// Texts sets an option to an array of C strings, which are copies. A text that contains a NUL byte
// is an error.
func (o *LinkOptions) Texts(option JitOption, texts ...string) error {
	return o.o.Texts(option, texts)
}

// InfoLog requests a log of messages of at most size bytes: see [LinkOptions.InfoLogText].
func (o *LinkOptions) InfoLog(size uint32) *LinkOptions {
	o.o.Log(JitOptionInfoLogBuffer, JitOptionInfoLogBufferSizeBytes, size)
	return o
}

// ErrorLog requests a log of errors of at most size bytes: see [LinkOptions.ErrorLogText].
func (o *LinkOptions) ErrorLog(size uint32) *LinkOptions {
	o.o.Log(JitOptionErrorLogBuffer, JitOptionErrorLogBufferSizeBytes, size)
	return o
}

// Len returns the number of options.
func (o *LinkOptions) Len() uint32 { return o.o.Len() }

// Options returns a pointer to the first option, or nil if there are none.
func (o *LinkOptions) Options() *JitOption { return o.o.Names() }

// Values returns a pointer to the first value, in the order of the options, or nil if there are
// none.
func (o *LinkOptions) Values() *uintptr { return o.o.Words() }

// InfoLogText returns the messages of the calls so far.
func (o *LinkOptions) InfoLogText() string { return o.o.Text(JitOptionInfoLogBuffer) }

// ErrorLogText returns the errors of the calls so far.
func (o *LinkOptions) ErrorLogText() string { return o.o.Text(JitOptionErrorLogBuffer) }

package hip

import (
	"time"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/params"
)

// JITOptions are options of the compiler and of the linker, for [ModuleLoadDataEx], [LinkCreate],
// [LinkAddData], [LinkAddFile] and [LibraryLoadData]:
//
//	var o hip.JITOptions
//	o.MaxRegisters(32).ErrorLog(4096)
//	module, err := hip.ModuleLoadDataEx(image, o.Len(), o.Options(), o.Values())
//	if err != nil {
//		log.Print(err, ": ", o.ErrorLogText())
//	}
//
// C takes the values as uintptr words, in which the garbage collector does not see addresses.
// JITOptions keeps alive what its values point to, during the call and as long as the JITOptions
// itself is reachable. A linker writes into the options of LinkCreate until LinkDestroy: keep them
// reachable until then, if need be with [runtime.KeepAlive].
//
// Setting an option again replaces its value. The zero value has no options; at most 64 fit. One
// goroutine at a time may use a JITOptions, and it must not be copied.
type JITOptions struct{ o params.Options[JitOption] }

// Number sets an option that has no method of its own to a number.
func (o *JITOptions) Number(option JitOption, v uintptr) *JITOptions {
	o.o.Number(option, v)
	return o
}

// Pointer sets an option to an address. If it is in Go's memory, o keeps that memory alive.
func (o *JITOptions) Pointer(option JitOption, p unsafe.Pointer) *JITOptions {
	o.o.Pointer(option, p)
	return o
}

// Texts sets an option, such as [JitOptionGlobalSymbolNames], to an array of C strings, which are
// copies. A text that contains a NUL byte is an error.
func (o *JITOptions) Texts(option JitOption, texts ...string) error {
	return o.o.Texts(option, texts)
}

// MaxRegisters limits the number of registers per thread.
func (o *JITOptions) MaxRegisters(n uint32) *JITOptions {
	return o.Number(JitOptionMaxRegisters, uintptr(n))
}

// ThreadsPerBlock sets the minimum number of threads per block to compile for; see also
// [JITOptions.Threads].
func (o *JITOptions) ThreadsPerBlock(n uint32) *JITOptions {
	return o.Number(JitOptionThreadsPerBlock, uintptr(n))
}

// OptimizationLevel sets the optimization level, from 0 to 4.
func (o *JITOptions) OptimizationLevel(level uint32) *JITOptions {
	return o.Number(JitOptionOptimizationLevel, uintptr(level))
}

// GenerateDebugInfo sets whether to generate debug information.
func (o *JITOptions) GenerateDebugInfo(yes bool) *JITOptions {
	return o.flag(JitOptionGenerateDebugInfo, yes)
}

// GenerateLineInfo sets whether to generate line numbers.
func (o *JITOptions) GenerateLineInfo(yes bool) *JITOptions {
	return o.flag(JitOptionGenerateLineInfo, yes)
}

// LogVerbose sets whether the logs are verbose.
func (o *JITOptions) LogVerbose(yes bool) *JITOptions { return o.flag(JitOptionLogVerbose, yes) }

// FallbackStrategy sets what to prefer if no binary matches exactly.
func (o *JITOptions) FallbackStrategy(f JitFallback) *JITOptions {
	return o.Number(JitOptionFallbackStrategy, uintptr(f))
}

// CacheMode sets which loads are cached by default.
func (o *JITOptions) CacheMode(m JitCacheMode) *JITOptions {
	return o.Number(JitOptionCacheMode, uintptr(m))
}

// WallTime has the compiler or linker report the time that it takes: see [JITOptions.Elapsed].
func (o *JITOptions) WallTime() *JITOptions { return o.Number(JitOptionWallTime, 0) }

// InfoLog requests a log of messages of at most size bytes: see [JITOptions.InfoLogText].
func (o *JITOptions) InfoLog(size uint32) *JITOptions {
	return o.log(JitOptionInfoLogBuffer, JitOptionInfoLogBufferSizeBytes, size)
}

// ErrorLog requests a log of errors of at most size bytes: see [JITOptions.ErrorLogText].
func (o *JITOptions) ErrorLog(size uint32) *JITOptions {
	return o.log(JitOptionErrorLogBuffer, JitOptionErrorLogBufferSizeBytes, size)
}

func (o *JITOptions) flag(option JitOption, yes bool) *JITOptions {
	o.o.Flag(option, yes)
	return o
}

func (o *JITOptions) log(buffer, bytes JitOption, size uint32) *JITOptions {
	o.o.Log(buffer, bytes, size)
	return o
}

// Len returns the number of options.
func (o *JITOptions) Len() uint32 { return o.o.Len() }

// Options returns a pointer to the first option, or nil if there are none.
func (o *JITOptions) Options() *JitOption { return o.o.Names() }

// Values returns a pointer to the first value, in the order of the options, or nil if there are
// none.
func (o *JITOptions) Values() *uintptr { return o.o.Words() }

// InfoLogText returns the messages of the calls so far.
func (o *JITOptions) InfoLogText() string { return o.o.Text(JitOptionInfoLogBuffer) }

// ErrorLogText returns the errors of the calls so far.
func (o *JITOptions) ErrorLogText() string { return o.o.Text(JitOptionErrorLogBuffer) }

// Elapsed returns the time that the compiler or linker took, if [JITOptions.WallTime] was set.
func (o *JITOptions) Elapsed() time.Duration {
	return o.o.Milliseconds(JitOptionWallTime)
}

// Threads returns the number of threads that the compiler targeted, if
// [JITOptions.ThreadsPerBlock] was set.
func (o *JITOptions) Threads() uint32 { return uint32(o.o.Word(JitOptionThreadsPerBlock)) }

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
// The values are words, which hide addresses from the garbage collector: values that are made by
// hand have to be kept alive by hand, with all that they point to. These keep what they point to,
// while the call runs and as long as the JITOptions is held. A linker writes into the options of
// LinkCreate until LinkDestroy: hold them until then, with [runtime.KeepAlive] if nothing else
// does.
//
// An option that is set again is replaced. The zero value has none, and at most 64 fit. It belongs
// to one goroutine at a time, and must not be copied.
type JITOptions struct{ o params.Options[JitOption] }

// Number sets an option to a number: any that has no method of its own.
func (o *JITOptions) Number(option JitOption, v uintptr) *JITOptions {
	o.o.Number(option, v)
	return o
}

// Pointer sets an option to an address in Go's memory, which o keeps alive, or in C's.
func (o *JITOptions) Pointer(option JitOption, p unsafe.Pointer) *JITOptions {
	o.o.Pointer(option, p)
	return o
}

// Texts sets an option to an array of C texts, such as [JitOptionGlobalSymbolNames]. They are
// copied. A text with a NUL byte in it is an error.
func (o *JITOptions) Texts(option JitOption, texts ...string) error {
	return o.o.Texts(option, texts)
}

// MaxRegisters limits the registers of a thread.
func (o *JITOptions) MaxRegisters(n uint32) *JITOptions {
	return o.Number(JitOptionMaxRegisters, uintptr(n))
}

// ThreadsPerBlock sets the least number of threads in a block to compile for; see also
// [JITOptions.Threads].
func (o *JITOptions) ThreadsPerBlock(n uint32) *JITOptions {
	return o.Number(JitOptionThreadsPerBlock, uintptr(n))
}

// OptimizationLevel sets the level, from 0 to 4.
func (o *JITOptions) OptimizationLevel(level uint32) *JITOptions {
	return o.Number(JitOptionOptimizationLevel, uintptr(level))
}

// GenerateDebugInfo says whether to generate debug information.
func (o *JITOptions) GenerateDebugInfo(yes bool) *JITOptions {
	return o.flag(JitOptionGenerateDebugInfo, yes)
}

// GenerateLineInfo says whether to generate line numbers.
func (o *JITOptions) GenerateLineInfo(yes bool) *JITOptions {
	return o.flag(JitOptionGenerateLineInfo, yes)
}

// LogVerbose says whether the logs are verbose.
func (o *JITOptions) LogVerbose(yes bool) *JITOptions { return o.flag(JitOptionLogVerbose, yes) }

// FallbackStrategy says what to prefer where no binary matches exactly.
func (o *JITOptions) FallbackStrategy(f JitFallback) *JITOptions {
	return o.Number(JitOptionFallbackStrategy, uintptr(f))
}

// CacheMode says what loads are cached by default.
func (o *JITOptions) CacheMode(m JitCacheMode) *JITOptions {
	return o.Number(JitOptionCacheMode, uintptr(m))
}

// WallTime asks for the time that the compiler or linker takes: see [JITOptions.Elapsed].
func (o *JITOptions) WallTime() *JITOptions { return o.Number(JitOptionWallTime, 0) }

// InfoLog gives messages a log of at most size bytes: see [JITOptions.InfoLogText].
func (o *JITOptions) InfoLog(size uint32) *JITOptions {
	return o.log(JitOptionInfoLogBuffer, JitOptionInfoLogBufferSizeBytes, size)
}

// ErrorLog gives errors a log of at most size bytes: see [JITOptions.ErrorLogText].
func (o *JITOptions) ErrorLog(size uint32) *JITOptions {
	return o.log(JitOptionErrorLogBuffer, JitOptionErrorLogBufferSizeBytes, size)
}

func (o *JITOptions) flag(option JitOption, yes bool) *JITOptions {
	var v uintptr
	if yes {
		v = 1
	}
	return o.Number(option, v)
}

// log sets a buffer and its size. A call may make the size smaller, so each has its own options.
func (o *JITOptions) log(buffer, bytes JitOption, size uint32) *JITOptions {
	o.o.Bytes(buffer, make([]byte, size))
	return o.Number(bytes, uintptr(size))
}

// Len is the number of options.
func (o *JITOptions) Len() uint32 { return o.o.Len() }

// Options returns the first of the options; nil if there are none.
func (o *JITOptions) Options() *JitOption { return o.o.Names() }

// Values returns the first of the values, in the order of the options; nil if there are none.
func (o *JITOptions) Values() *uintptr { return o.o.Words() }

// InfoLogText returns the messages of the calls so far.
func (o *JITOptions) InfoLogText() string { return o.o.Text(JitOptionInfoLogBuffer) }

// ErrorLogText returns the errors of the calls so far.
func (o *JITOptions) ErrorLogText() string { return o.o.Text(JitOptionErrorLogBuffer) }

// Elapsed returns the time that the compiler or linker took, if [JITOptions.WallTime] asked for it.
func (o *JITOptions) Elapsed() time.Duration {
	return time.Duration(float64(o.o.Float(JitOptionWallTime)) * float64(time.Millisecond))
}

// Threads returns the number of threads that the compiler targeted, if
// [JITOptions.ThreadsPerBlock] was set.
func (o *JITOptions) Threads() uint32 { return uint32(o.o.Word(JitOptionThreadsPerBlock)) }

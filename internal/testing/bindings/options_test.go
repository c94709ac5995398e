package bindings_test

import (
	"errors"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// jitOptions are the methods of JITOptions, a pointer to T, with the type O of an option.
type jitOptions[T, P, O any] interface {
	*T
	ThreadsPerBlock(uint32) P
	WallTime() P
	ErrorLog(uint32) P
	Texts(O, ...string) error
	Len() uint32
	Options() *O
	Values() *uintptr
	ErrorLogText() string
	InfoLogText() string
	Threads() uint32
	Elapsed() time.Duration
}

// jit plays a compiler that was given a name of a symbol and a log for errors: it writes the name
// into the log, 3 threads and 1.5 ms.
func jit(n uintptr, options *[8]cudrv.JitOption, values *[8]unsafe.Pointer) {
	disturb()
	at := func(o cudrv.JitOption) *unsafe.Pointer { return &values[slices.Index(options[:n], o)] }
	name := *(**[4]byte)(*at(cudrv.JitGlobalSymbolNames))
	log := (*[4]byte)(*at(cudrv.JitErrorLogBuffer))
	*log = *name
	*(*uint32)(unsafe.Pointer(at(cudrv.JitThreadsPerBlock))) = 3
	*(*float32)(unsafe.Pointer(at(cudrv.JitWallTime))) = 1.5
}

// The values of JIT options, of which C gets pointers, and writes through some.
func TestJITOptions(t *testing.T) {
	// the vendors' numbers are the same, so that one C function reads both
	for o, amd := range map[cudrv.JitOption]hip.JitOption{
		cudrv.JitGlobalSymbolNames: hip.JitOptionGlobalSymbolNames,
		cudrv.JitErrorLogBuffer:    hip.JitOptionErrorLogBuffer,
		cudrv.JitThreadsPerBlock:   hip.JitOptionThreadsPerBlock,
		cudrv.JitWallTime:          hip.JitOptionWallTime,
	} {
		require.EqualValues(t, o, amd)
	}
	load := purego.NewCallback(func(module *uintptr, image unsafe.Pointer, n uintptr,
		options *[8]cudrv.JitOption, values *[8]unsafe.Pointer) uintptr {
		jit(n, options, values)
		return 0
	})
	link := purego.NewCallback(func(n uintptr, options *[8]cudrv.JitOption,
		values *[8]unsafe.Pointer, state *uintptr) uintptr {
		jit(n, options, values)
		return 0
	})
	image := []byte("image")
	cuda := fake.New("jit").Install(t, &libs.CUDA)
	cuda.Address("cuModuleLoadDataEx", load)
	cuda.Address("cuLinkCreate_v2", link)
	testJIT(t, cudrv.JitGlobalSymbolNames, func(o *cudrv.JITOptions) error {
		_, err := cudrv.ModuleLoadDataEx(unsafe.Pointer(&image[0]), o.Len(), o.Options(), o.Values())
		return err
	}, func(o *cudrv.JITOptions) error {
		_, err := cudrv.LinkCreate(o.Len(), o.Options(), o.Values())
		return err
	})
	amd := fake.New("jit").Install(t, &libs.HIP)
	amd.Address("hipModuleLoadDataEx", load)
	amd.Address("hipLinkCreate", link)
	testJIT(t, hip.JitOptionGlobalSymbolNames, func(o *hip.JITOptions) error {
		_, err := hip.ModuleLoadDataEx(unsafe.Pointer(&image[0]), o.Len(), o.Options(), o.Values())
		return err
	}, func(o *hip.JITOptions) error {
		_, err := hip.LinkCreate(o.Len(), o.Options(), o.Values())
		return err
	})
}

func testJIT[T, O any, P jitOptions[T, P, O]](t *testing.T, names O, calls ...func(P) error) {
	for _, call := range calls {
		for _, held := range []bool{true, false} { // or only by the call
			require.NoError(t, onSmallStack(func() error {
				o := P(new(T))
				err := o.ThreadsPerBlock(64).WallTime().ErrorLog(16).Texts(names, "abc")
				if err != nil || !held {
					return errors.Join(err, call(o))
				}
				err = call(o)
				disturb()
				assert.Equal(t, "abc", o.ErrorLogText())
				assert.Empty(t, o.InfoLogText())
				assert.EqualValues(t, 3, o.Threads())
				assert.Equal(t, 1500*time.Microsecond, o.Elapsed())
				return err
			}))
		}
		assert.Error(t, P(new(T)).Texts(names, "a\x00"))
	}
}

func TestJITOptionsAndTheirMethods(t *testing.T) {
	memory := uint64(5)
	var cuda cudrv.JITOptions
	testOptions(t, &cuda, &memory, []uintptr{32, 3, 1, 0, 1, 1, 2, 0, 7, 0}, func() {
		cuda.MaxRegisters(32).OptimizationLevel(3).GenerateDebugInfo(true).GenerateLineInfo(false).
			LogVerbose(true).FallbackStrategy(1).CacheMode(cudrv.JitCacheOptionCa).InfoLog(7).
			Pointer(cudrv.JitGlobalSymbolAddresses, unsafe.Pointer(&memory))
	}, cudrv.JitMaxRegisters, cudrv.JitOptimizationLevel, cudrv.JitGenerateDebugInfo,
		cudrv.JitGenerateLineInfo, cudrv.JitLogVerbose, cudrv.JitFallbackStrategy,
		cudrv.JitCacheModeValue, cudrv.JitInfoLogBuffer, cudrv.JitInfoLogBufferSizeBytes,
		cudrv.JitGlobalSymbolAddresses)
	var amd hip.JITOptions
	testOptions(t, &amd, &memory, []uintptr{32, 3, 1, 0, 1, 1, 2, 0, 7, 0}, func() {
		amd.MaxRegisters(32).OptimizationLevel(3).GenerateDebugInfo(true).GenerateLineInfo(false).
			LogVerbose(true).FallbackStrategy(1).CacheMode(hip.JitCacheOptionCA).InfoLog(7).
			Pointer(hip.JitOptionGlobalSymbolAddresses, unsafe.Pointer(&memory))
	}, hip.JitOptionMaxRegisters, hip.JitOptionOptimizationLevel, hip.JitOptionGenerateDebugInfo,
		hip.JitOptionGenerateLineInfo, hip.JitOptionLogVerbose, hip.JitOptionFallbackStrategy,
		hip.JitOptionCacheMode, hip.JitOptionInfoLogBuffer, hip.JitOptionInfoLogBufferSizeBytes,
		hip.JitOptionGlobalSymbolAddresses)
}

func TestLibraryOptions(t *testing.T) {
	memory := uint64(5)
	var cuda cudrv.LibraryOptions
	testOptions(t, &cuda, &memory, []uintptr{1, 0}, func() {
		cuda.Number(cudrv.LibraryBinaryIsPreserved, 1).Pointer(0, unsafe.Pointer(&memory))
	}, cudrv.LibraryBinaryIsPreserved, 0)
	var amd hip.LibraryOptions
	testOptions(t, &amd, &memory, []uintptr{1, 0}, func() {
		amd.Number(hip.LibraryBinaryIsPreserved, 1).Pointer(0, unsafe.Pointer(&memory))
	}, hip.LibraryBinaryIsPreserved, 0)
}

// testOptions fills empty options, of which the last points to memory, and compares them. The
// eighth is the address of a log, which no test knows.
func testOptions[O comparable](t *testing.T, o interface {
	Len() uint32
	Options() *O
	Values() *uintptr
}, memory *uint64, values []uintptr, fill func(), want ...O,
) {
	assert.Nil(t, o.Options())
	assert.Nil(t, o.Values())
	fill()
	require.EqualValues(t, len(want), o.Len())
	assert.Equal(t, want, unsafe.Slice(o.Options(), len(want)))
	got, last := unsafe.Slice(o.Values(), len(want)), len(want)-1
	for i := range last {
		if i != 7 {
			assert.Equal(t, values[i], got[i], want[i])
		}
	}
	assert.Equal(t, unsafe.Pointer(memory), unsafe.Slice((*unsafe.Pointer)(unsafe.Pointer(o.Values())),
		len(want))[last])
}

package hip_test

import (
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// disturb does what is worst for pointers that C holds: it moves the stack of the goroutine that
// called, frees what nothing holds, and writes over it.
func disturb() {
	growStack(256)
	for range 2 {
		runtime.GC()
	}
	for size := 8; size <= 4096; size *= 2 {
		for range 200 {
			b := make([]byte, size)
			for i := range b {
				b[i] = 0xee
			}
			runtime.KeepAlive(b)
		}
	}
}

// heard is what the C functions of these tests read through the pointers that they got.
var heard []uint64

// hear reads two parameters: of 4 and of 8 bytes.
func hear(params *[2]unsafe.Pointer) {
	disturb()
	heard = append(heard, uint64(*(*uint32)(params[0])), *(*uint64)(params[1]))
}

// extraList is what an extra points to.
type extraList struct {
	pointer uintptr
	buffer  *struct {
		a uint32
		b uint64
	}
	bytes uintptr
	size  *uintptr
	end   uintptr
}

var nestedLaunch = purego.NewCallback(func(f, gx, gy, gz, bx, by, bz, shared, stream uintptr,
	params *[2]unsafe.Pointer, extra *extraList) uintptr {
	if params != nil {
		hear(params)
	}
	if extra != nil {
		disturb()
		heard = append(heard, uint64(extra.pointer), uint64(extra.buffer.a), extra.buffer.b,
			uint64(extra.bytes), uint64(*extra.size), uint64(extra.end))
	}
	return 0
})

var nestedLaunchEx = purego.NewCallback(func(config unsafe.Pointer, f uintptr,
	params *[2]unsafe.Pointer, extra uintptr) uintptr {
	hear(params)
	return 0
})

var nestedNode = purego.NewCallback(func(node *uintptr, graph, dependencies, n uintptr,
	params *hip.KernelNodeParams) uintptr {
	disturb()
	hear((*[2]unsafe.Pointer)(unsafe.Pointer(params.KernelParams)))
	return 0
})

// onSmallStack runs f on a goroutine whose stack has to grow for anything.
func onSmallStack(f func() error) error {
	done := make(chan error)
	go func() { done <- f() }()
	return <-done
}

// The parameters of a launch are pointers in an array that a pointer leads to, all of it in local
// variables. C reads them after the goroutine's stack has moved and garbage was collected.
func TestNestedPointersOfLaunches(t *testing.T) {
	l := fake.New("nested").Install(t, &libs.HIP)
	l.Address("hipModuleLaunchKernel", nestedLaunch)
	l.Address("hipDrvLaunchKernelEx", nestedLaunchEx)
	l.Address("hipGraphAddKernelNode", nestedNode)
	for name, launch := range map[string]func(args *unsafe.Pointer) error{
		"launch": func(args *unsafe.Pointer) error {
			return hip.ModuleLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, args, nil)
		},
		"launch with a configuration": func(args *unsafe.Pointer) error {
			return hip.DrvLaunchKernelEx(&hip.DrvLaunchConfig{}, 1, args, nil)
		},
		"node of a graph": func(args *unsafe.Pointer) error {
			_, err := hip.GraphAddKernelNode(1, nil, 0, &hip.KernelNodeParams{KernelParams: args})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			heard = nil
			for i := range 5 {
				require.NoError(t, onSmallStack(func() error {
					a, b := uint32(i), uint64(i)<<40
					args := [2]unsafe.Pointer{unsafe.Pointer(&a), unsafe.Pointer(&b)}
					return launch(&args[0])
				}))
				require.Equal(t, []uint64{uint64(i), uint64(i) << 40}, heard)
				heard = heard[:0]
			}
		})
	}
}

// Nobody but the call holds the list, and the list holds what its words point to.
func TestLaunchExtra(t *testing.T) {
	fake.New("extra").Install(t, &libs.HIP).Address("hipModuleLaunchKernel", nestedLaunch)
	heard = nil
	for i := range 5 {
		require.NoError(t, onSmallStack(func() error {
			var e hip.LaunchExtra
			e.Uint32(uint32(i)).Uint64(uint64(i) << 40)
			return hip.ModuleLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, nil, e.List())
		}))
		require.Equal(t, []uint64{1, uint64(i), uint64(i) << 40, 2, 16, 3}, heard)
		heard = heard[:0]
	}
}

func TestLaunchExtraOfOtherTypes(t *testing.T) {
	t.Parallel()
	var e hip.LaunchExtra
	assert.Nil(t, e.List())
	e.Int32(-1).Float64(2.5).Float32(1.5).Int64(-2).Bytes([]byte{7, 8}, 2).Uint64(1 << 40)
	got := (*struct {
		a int32
		b float64
		c float32
		d int64
		e [2]byte
		f uint64
	})(unsafe.Pointer((*extraList)(unsafe.Pointer(e.List())).buffer))
	assert.EqualValues(t, -1, got.a)
	assert.InDelta(t, 2.5, got.b, 0)
	assert.InDelta(t, 1.5, got.c, 0)
	assert.EqualValues(t, -2, got.d)
	assert.Equal(t, [2]byte{7, 8}, got.e)
	assert.EqualValues(t, 1<<40, got.f)
	assert.Equal(t, int(unsafe.Sizeof(*got)), e.Size())
	assert.Zero(t, e.Reset().Size())
}

// jit plays a compiler that was given a name of a symbol and a log for errors: it writes the name
// into the log, 3 threads and 1.5 ms.
func jit(n uintptr, options *[8]hip.JitOption, values *[8]unsafe.Pointer) {
	disturb()
	at := func(o hip.JitOption) *unsafe.Pointer { return &values[slices.Index(options[:n], o)] }
	name := *(**[4]byte)(*at(hip.JitOptionGlobalSymbolNames))
	log := (*[4]byte)(*at(hip.JitOptionErrorLogBuffer))
	*log = *name
	*(*uint32)(unsafe.Pointer(at(hip.JitOptionThreadsPerBlock))) = 3
	*(*float32)(unsafe.Pointer(at(hip.JitOptionWallTime))) = 1.5
}

var nestedJIT = purego.NewCallback(func(module *uintptr, image unsafe.Pointer, n uintptr,
	options *[8]hip.JitOption, values *[8]unsafe.Pointer) uintptr {
	jit(n, options, values)
	return 0
})

var nestedLink = purego.NewCallback(func(n uintptr, options *[8]hip.JitOption,
	values *[8]unsafe.Pointer, state *uintptr) uintptr {
	jit(n, options, values)
	return 0
})

func TestJITOptions(t *testing.T) {
	l := fake.New("jit").Install(t, &libs.HIP)
	l.Address("hipModuleLoadDataEx", nestedJIT)
	l.Address("hipLinkCreate", nestedLink)
	image := []byte("image")
	for name, call := range map[string]func(*hip.JITOptions) error{
		"load": func(o *hip.JITOptions) error {
			_, err := hip.ModuleLoadDataEx(unsafe.Pointer(&image[0]), o.Len(), o.Options(), o.Values())
			return err
		},
		"link": func(o *hip.JITOptions) error {
			_, err := hip.LinkCreate(o.Len(), o.Options(), o.Values())
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, onSmallStack(func() error {
				var o hip.JITOptions
				if err := o.ThreadsPerBlock(64).WallTime().ErrorLog(16).
					Texts(hip.JitOptionGlobalSymbolNames, "abc"); err != nil {
					return err
				}
				err := call(&o)
				disturb()
				assert.Equal(t, "abc", o.ErrorLogText())
				assert.Empty(t, o.InfoLogText())
				assert.EqualValues(t, 3, o.Threads())
				assert.Equal(t, 1500*time.Microsecond, o.Elapsed())
				return err
			}))
			require.NoError(t, onSmallStack(func() error { // only the call holds them
				var o hip.JITOptions
				if err := o.ThreadsPerBlock(64).WallTime().ErrorLog(16).
					Texts(hip.JitOptionGlobalSymbolNames, "abc"); err != nil {
					return err
				}
				return call(&o)
			}))
		})
	}
}

func TestJITOptionsAreWhatTheirMethodsSay(t *testing.T) {
	t.Parallel()
	memory := uint64(5)
	var o hip.JITOptions
	assert.Nil(t, o.Options())
	assert.Nil(t, o.Values())
	o.MaxRegisters(32).OptimizationLevel(3).GenerateDebugInfo(true).GenerateLineInfo(false).
		LogVerbose(true).FallbackStrategy(1).CacheMode(hip.JitCacheOptionCA).InfoLog(7).
		Pointer(hip.JitOptionGlobalSymbolAddresses, unsafe.Pointer(&memory))
	require.EqualValues(t, 10, o.Len())
	want := []struct {
		option hip.JitOption
		value  uintptr
	}{
		{hip.JitOptionMaxRegisters, 32}, {hip.JitOptionOptimizationLevel, 3},
		{hip.JitOptionGenerateDebugInfo, 1},
		{hip.JitOptionGenerateLineInfo, 0}, {hip.JitOptionLogVerbose, 1},
		{hip.JitOptionFallbackStrategy, 1},
		{hip.JitOptionCacheMode, 2}, {hip.JitOptionInfoLogBuffer, 0},
		{hip.JitOptionInfoLogBufferSizeBytes, 7}, {hip.JitOptionGlobalSymbolAddresses, 0},
	}
	options, values := unsafe.Slice(o.Options(), 10), unsafe.Slice(o.Values(), 10)
	for i, w := range want {
		assert.Equal(t, w.option, options[i])
		if i != 7 && i != 9 { // addresses
			assert.Equal(t, w.value, values[i], w.option)
		}
	}
	at := unsafe.Slice((*unsafe.Pointer)(unsafe.Pointer(o.Values())), 10)
	assert.Equal(t, unsafe.Pointer(&memory), at[9])
	assert.Error(t, o.Texts(hip.JitOptionGlobalSymbolNames, "a\x00"))
}

func TestLibraryOptions(t *testing.T) {
	t.Parallel()
	memory := uint64(5)
	var o hip.LibraryOptions
	assert.Nil(t, o.Options())
	o.Number(hip.LibraryBinaryIsPreserved, 1).Pointer(0, unsafe.Pointer(&memory))
	require.EqualValues(t, 2, o.Len())
	assert.Equal(t, []hip.LibraryOption{hip.LibraryBinaryIsPreserved, 0}, unsafe.Slice(o.Options(), 2))
	assert.EqualValues(t, 1, *o.Values())
	at := unsafe.Slice((*unsafe.Pointer)(unsafe.Pointer(o.Values())), 2)
	assert.Equal(t, unsafe.Pointer(&memory), at[1])
}

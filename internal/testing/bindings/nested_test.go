package bindings_test

import (
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/dl"
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

// onSmallStack runs f on a goroutine whose stack has to grow for anything.
func onSmallStack(f func() error) error {
	done := make(chan error)
	go func() { done <- f() }()
	return <-done
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

// nodes are the functions that add a node of a kernel to a graph.
var nodes = map[*dl.Library]uintptr{
	&libs.CUDA: purego.NewCallback(func(node *uintptr, graph, dependencies, n uintptr,
		params *cudrv.KernelNodeParams) uintptr {
		disturb()
		hear((*[2]unsafe.Pointer)(unsafe.Pointer(params.KernelParams)))
		return 0
	}),
	&libs.HIP: purego.NewCallback(func(node *uintptr, graph, dependencies, n uintptr,
		params *hip.KernelNodeParams) uintptr {
		disturb()
		hear((*[2]unsafe.Pointer)(unsafe.Pointer(params.KernelParams)))
		return 0
	}),
}

// The parameters of a launch are pointers in an array that a pointer leads to, all of it in local
// variables. C reads them after the goroutine's stack has moved and garbage was collected.
func TestNestedPointersOfLaunches(t *testing.T) {
	for _, c := range []struct {
		name    string
		lib     *dl.Library
		symbol  string
		address uintptr
		launch  func(args *unsafe.Pointer) error
	}{
		{"launch", &libs.CUDA, "cuLaunchKernel", nestedLaunch, func(args *unsafe.Pointer) error {
			return cudrv.LaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, args, nil)
		}},
		{"launch", &libs.HIP, "hipModuleLaunchKernel", nestedLaunch, func(args *unsafe.Pointer) error {
			return hip.ModuleLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, args, nil)
		}},
		{"launch with a configuration", &libs.CUDA, "cuLaunchKernelEx", nestedLaunchEx,
			func(args *unsafe.Pointer) error {
				return cudrv.LaunchKernelEx(&cudrv.LaunchConfig{}, 1, args, nil)
			}},
		{"launch with a configuration", &libs.HIP, "hipDrvLaunchKernelEx", nestedLaunchEx,
			func(args *unsafe.Pointer) error {
				return hip.DrvLaunchKernelEx(&hip.DrvLaunchConfig{}, 1, args, nil)
			}},
		{"node of a graph", &libs.CUDA, "cuGraphAddKernelNode", nodes[&libs.CUDA],
			func(args *unsafe.Pointer) error {
				_, err := cudrv.GraphAddKernelNode(1, nil, 0, &cudrv.KernelNodeParams{KernelParams: args})
				return err
			}},
		{"node of a graph", &libs.HIP, "hipGraphAddKernelNode", nodes[&libs.HIP],
			func(args *unsafe.Pointer) error {
				_, err := hip.GraphAddKernelNode(1, nil, 0, &hip.KernelNodeParams{KernelParams: args})
				return err
			}},
	} {
		t.Run(c.symbol+"/"+c.name, func(t *testing.T) {
			fake.New("nested").Install(t, c.lib).Address(c.symbol, c.address)
			heard = nil
			for i := range 5 {
				require.NoError(t, onSmallStack(func() error {
					a, b := uint32(i), uint64(i)<<40
					args := [2]unsafe.Pointer{unsafe.Pointer(&a), unsafe.Pointer(&b)}
					return c.launch(&args[0])
				}))
				require.Equal(t, []uint64{uint64(i), uint64(i) << 40}, heard)
				heard = heard[:0]
			}
		})
	}
}

// Only the call holds the list, and the list holds the memory that its words point to.
func TestLaunchExtra(t *testing.T) {
	for _, c := range []struct {
		lib    *dl.Library
		symbol string
		end    uint64
		launch func(a uint32, b uint64) error
	}{
		{&libs.CUDA, "cuLaunchKernel", 0, func(a uint32, b uint64) error {
			var e cudrv.LaunchExtra
			e.Uint32(a).Uint64(b)
			return cudrv.LaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, nil, e.List())
		}},
		{&libs.HIP, "hipModuleLaunchKernel", 3, func(a uint32, b uint64) error {
			var e hip.LaunchExtra
			e.Uint32(a).Uint64(b)
			return hip.ModuleLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, nil, e.List())
		}},
	} {
		fake.New("extra").Install(t, c.lib).Address(c.symbol, nestedLaunch)
		heard = nil
		for i := range 5 {
			require.NoError(t, onSmallStack(func() error { return c.launch(uint32(i), uint64(i)<<40) }))
			require.Equal(t, []uint64{1, uint64(i), uint64(i) << 40, 2, 16, c.end}, heard, c.symbol)
			heard = heard[:0]
		}
	}
}

func TestLaunchExtraOfOtherTypes(t *testing.T) {
	type extra interface {
		List() *uintptr
		Size() int
	}
	check := func(e extra, fill, reset func() extra) {
		assert.Nil(t, e.List())
		fill()
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
		assert.Zero(t, reset().Size())
	}
	var cuda cudrv.LaunchExtra
	check(&cuda, func() extra {
		return cuda.Int32(-1).Float64(2.5).Float32(1.5).Int64(-2).Bytes([]byte{7, 8}, 2).
			Deviceptr(1 << 40)
	}, func() extra { return cuda.Reset() })
	var amd hip.LaunchExtra
	check(&amd, func() extra {
		return amd.Int32(-1).Float64(2.5).Float32(1.5).Int64(-2).Bytes([]byte{7, 8}, 2).Uint64(1 << 40)
	}, func() extra { return amd.Reset() })
}

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

// The functions that pass the address of a fabric handle as a word keep the handle alive.
func TestFabricHandles(t *testing.T) {
	l := fake.New("fabric").Install(t, &libs.CUDA)
	l.Address("cuMemImportFromShareableHandle", purego.NewCallback(
		func(out *uint64, handle *cudrv.MemFabricHandle, kind, flags uintptr) uintptr {
			disturb()
			*out = uint64(handle.Data[63])
			return 0
		}))
	l.Address("cuMemPoolImportFromShareableHandle", purego.NewCallback(
		func(out *uint64, handle *cudrv.MemFabricHandle, kind, flags uintptr) uintptr {
			disturb()
			*out = uint64(handle.Data[63]) + 1
			return 0
		}))
	require.NoError(t, onSmallStack(func() error {
		var h cudrv.MemFabricHandle
		h.Data[63] = 42
		memory, err := cudrv.MemImportFabricHandle(&h)
		assert.EqualValues(t, 42, memory)
		if err != nil {
			return err
		}
		pool, err := cudrv.MemPoolImportFabricHandle(&h, 0)
		assert.EqualValues(t, 43, pool)
		return err
	}))
}

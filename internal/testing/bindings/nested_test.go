package bindings_test

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/callback"
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

func TestPanicHandlerIsTheCallbacks(t *testing.T) {
	for name, set := range map[string]func(func(string, any, []byte)){
		"CUhostFn":    func(f func(string, any, []byte)) { cudrv.SetPanicHandler(f) },
		"hipHostFn_t": func(f func(string, any, []byte)) { hip.SetPanicHandler(f) },
	} {
		var got []any
		set(func(name string, v any, _ []byte) { got = append(got, name, v) })
		key := callback.Add(func() { panic("boom") }, callback.Once)
		callback.Run(name, key, func(f func()) { f() })
		set(nil)
		assert.Equal(t, []any{name, "boom"}, got)
	}
}

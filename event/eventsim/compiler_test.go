package eventsim_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
	"github.com/gpuevent/gpuevent/hiprtc"
	"github.com/gpuevent/gpuevent/internal/image"
	"github.com/gpuevent/gpuevent/internal/kernel"
	"github.com/gpuevent/gpuevent/nvrtc"
)

const templates = `
template <class T> __global__ void fill(T value, T *x) { x[threadIdx.x] = value; }
extern "C" __global__ void plain(float *x) {}
`

type pair struct{ A, B float32 }

// What the simulated compiler makes can be loaded, and its kernels are the machine's.
func TestCompiledKernelRuns(t *testing.T) {
	t.Parallel()
	m := eventsim.New(t, eventsim.Config{})
	m.Kernel("fill<pair>", func(b *kernel.Block, value pair, x []pair) {
		for i := range b.Size() {
			x[b.First()+i] = value
		}
	})
	p, err := nvrtc.CreateProgram(templates, "fill.cu", 0, nil, nil)
	require.NoError(t, err)
	require.NoError(t, nvrtc.AddNameExpression(p, "fill<pair>"))
	n, options, err := nvrtc.Strings("-arch=sm_90")
	require.NoError(t, err)
	require.NoError(t, nvrtc.CompileProgram(p, n, options))
	symbol, err := nvrtc.GetLoweredName(p, "fill<pair>")
	require.NoError(t, err)
	cubin, err := nvrtc.Output(p, nvrtc.GetCUBINSize, nvrtc.GetCUBIN)
	require.NoError(t, err)
	require.NoError(t, nvrtc.DestroyProgram(&p))

	s := stream(t, m.Device(0))
	native := get(s.CUDAStream())
	var got [4]pair
	do(m.Device(0).Do(func() error {
		module, err := cudrv.ModuleLoadData(unsafe.Pointer(&cubin[0]))
		require.NoError(t, err)
		fn, err := cudrv.ModuleGetFunction(module, symbol)
		require.NoError(t, err)
		x, err := cudrv.MemAlloc(32)
		require.NoError(t, err)
		value := pair{1, 2}
		ps := cudrv.NewParams().Bytes(unsafe.Slice((*byte)(unsafe.Pointer(&value)), 8)).Deviceptr(x)
		require.NoError(t, cudrv.LaunchKernel(fn, 2, 1, 1, 2, 1, 1, 0, native, ps.Pointers(), nil))
		require.NoError(t, cudrv.StreamSynchronize(native))
		require.NoError(t, cudrv.MemcpyDtoH(unsafe.Pointer(&got), x, 32))
		require.NoError(t, cudrv.MemFree(x))
		return cudrv.ModuleUnload(module)
	}))
	assert.Equal(t, [4]pair{{1, 2}, {1, 2}, {1, 2}, {1, 2}}, got)
}

func TestCompilerOfHIP(t *testing.T) {
	t.Parallel()
	eventsim.New(t, eventsim.Config{Backend: event.HIP})
	p, err := hiprtc.CreateProgram(templates, "fill.hip", 0, nil, nil)
	require.NoError(t, err)
	n, options, err := hiprtc.Strings("--offload-arch=gfx942:sramecc+:xnack-")
	require.NoError(t, err)
	require.NoError(t, hiprtc.CompileProgram(p, n, options))
	code, err := hiprtc.Output(p, hiprtc.GetCodeSize, hiprtc.GetCode)
	require.NoError(t, err)
	require.NoError(t, hiprtc.DestroyProgram(&p))
	im, err := image.Read(code)
	require.NoError(t, err)
	_, ok := im.Kernel("plain")
	assert.True(t, ok)
}

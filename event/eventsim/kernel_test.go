package eventsim_test

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/kernel"
	"github.com/gpuevent/gpuevent/internal/testing/images"
)

var fillKernel = images.Kernel{Name: "fill", Params: []images.Param{images.Pointer, images.Int32}}

func fillGo(b *kernel.Block, x []int32, value int32) {
	for i := range b.Size() {
		x[b.First()+i] = value
	}
}

// launchCUDA loads the kernel, runs it on four ints on the stream, and reads these. It leaves the
// module open on request.
func launchCUDA(t *testing.T, s *event.Stream, leave bool) (got [4]int32, err error) {
	t.Helper()
	native := get(s.CUDAStream())
	image := images.PTX("7.8", "sm_80", fillKernel)
	do(s.Device().Do(func() error {
		module, fault := cudrv.ModuleLoadData(unsafe.Pointer(&image[0]))
		require.NoError(t, fault)
		fn, fault := cudrv.ModuleGetFunction(module, "fill")
		require.NoError(t, fault)
		x, fault := cudrv.MemAlloc(16)
		require.NoError(t, fault)
		p := cudrv.NewParams().Deviceptr(x).Int32(7)
		defer p.Free()
		require.NoError(t, cudrv.LaunchKernel(fn, 2, 1, 1, 2, 1, 1, 0, native, p.Pointers(), nil))
		if err = cudrv.StreamSynchronize(native); err == nil {
			require.NoError(t, cudrv.MemcpyDtoH(unsafe.Pointer(&got[0]), x, 16))
		}
		_ = cudrv.MemFree(x)
		if !leave {
			_ = cudrv.ModuleUnload(module)
		}
		return nil
	}))
	return got, err
}

func TestKernelRuns(t *testing.T) {
	t.Parallel()
	for _, v := range eventsim.Versions(event.CUDA) {
		t.Run(v, func(t *testing.T) {
			m := eventsim.New(t, eventsim.Config{Version: v})
			m.Kernel("fill", fillGo)
			got, err := launchCUDA(t, stream(t, m.Device(0)), false)
			require.NoError(t, err)
			assert.Equal(t, [4]int32{7, 7, 7, 7}, got)
			assert.NoError(t, m.KernelErrors())
			assert.Equal(t, 1, m.Calls("cuLaunchKernel"))
		})
	}
}

func TestKernelRunsOnHIP(t *testing.T) {
	t.Parallel()
	for _, v := range eventsim.Versions(event.HIP) {
		t.Run(v, func(t *testing.T) {
			m := eventsim.New(t, eventsim.Config{Backend: event.HIP, Version: v})
			m.Kernel("fill", fillGo)
			s := stream(t, m.Device(0))
			native := get(s.HIPStream())
			image := images.CodeObject("gfx942", fillKernel)
			do(m.Device(0).Do(func() error {
				module, err := hip.ModuleLoadData(unsafe.Pointer(&image[0]))
				require.NoError(t, err)
				fn, err := hip.ModuleGetFunction(module, "fill")
				require.NoError(t, err)
				x, err := hip.Malloc(16)
				require.NoError(t, err)
				p := hip.NewParams().Deviceptr(x).Int32(3)
				require.NoError(t, hip.ModuleLaunchKernel(fn, 4, 1, 1, 1, 1, 1, 0, native, p.Pointers(), nil))
				require.NoError(t, hip.StreamSynchronize(native))
				var got [4]int32
				require.NoError(t, hip.MemcpyDtoH(unsafe.Pointer(&got[0]), x, 16))
				assert.Equal(t, [4]int32{3, 3, 3, 3}, got)
				require.NoError(t, hip.Free(x))
				return hip.ModuleUnload(module)
			}))
			runtime.KeepAlive(image)
		})
	}
}

func TestKernelThatFails(t *testing.T) {
	t.Parallel()
	m := eventsim.New(t, eventsim.Config{})
	m.Kernel("fill", func(_ *kernel.Block, x []int32, _ int32) { x[4] = 1 })
	_, err := launchCUDA(t, stream(t, m.Device(0)), false)
	assert.ErrorIs(t, err, cudrv.ErrIllegalAddress)
	assert.ErrorContains(t, m.KernelErrors(), "kernel fill failed in block (0, 0, 0)")
	assert.ErrorContains(t, m.KernelErrors(), "index out of range [4] with length 4")
}

func TestKernelWithOtherParameters(t *testing.T) {
	m := get(eventsim.Open(eventsim.Config{}))
	m.Kernel("fill", func(_ *kernel.Block, _ []int32, _ int64) {})
	s := get(m.Device(0).NewStream())
	native := get(s.CUDAStream())
	image := images.PTX("7.8", "sm_80", fillKernel)
	do(m.Device(0).Do(func() error {
		module := get(cudrv.ModuleLoadData(unsafe.Pointer(&image[0])))
		fn := get(cudrv.ModuleGetFunction(module, "fill"))
		p := cudrv.NewParams().Deviceptr(0).Int32(7)
		assert.ErrorIs(t, cudrv.LaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, native, p.Pointers(), nil),
			cudrv.ErrInvalidValue)
		return cudrv.ModuleUnload(module)
	}))
	do(s.Close())
	assert.ErrorContains(t, m.Close(), "the Go function of kernel fill has parameters")
}

func TestKernelMustBeOne(t *testing.T) {
	t.Parallel()
	m := eventsim.New(t, eventsim.Config{})
	assert.PanicsWithValue(t, "eventsim: Machine.Kernel: the name is empty",
		func() { m.Kernel("", fillGo) })
	assert.Panics(t, func() { m.Kernel("fill", func(int) {}) })
}

func TestLeaksCountsModulesAndGraphs(t *testing.T) {
	m := get(eventsim.Open(eventsim.Config{}))
	s := get(m.Device(0).NewStream())
	m.Kernel("fill", nil)
	_, err := launchCUDA(t, s, true)
	require.NoError(t, err)
	native := get(s.CUDAStream())
	do(m.Device(0).Do(func() error {
		do(cudrv.StreamBeginCapture(native, cudrv.StreamCaptureModeRelaxed))
		g := get(cudrv.StreamEndCapture(native))
		_ = get(cudrv.GraphInstantiateWithFlags(g, 0))
		return nil
	}))
	do(s.Close())
	assert.EqualError(t, m.Close(),
		"eventsim: left open on cuda:0: 1 module(s), 1 graph(s), 1 executable graph(s)")
}

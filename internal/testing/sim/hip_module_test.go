package sim

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/kernel"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/images"
)

const newestHIP = "7.2"

func loadHIP(t *testing.T, image []byte) hip.Module {
	t.Helper()
	m, err := hip.ModuleLoadData(unsafe.Pointer(&image[0]))
	require.NoError(t, err)
	return m
}

// hipFunction loads a code object with one kernel. The image stays alive for the test.
func hipFunction(t *testing.T, k images.Kernel) hip.Function {
	t.Helper()
	image := images.CodeObject("gfx942", k)
	t.Cleanup(func() { runtime.KeepAlive(image) })
	fn, err := hip.ModuleGetFunction(loadHIP(t, image), k.Name)
	require.NoError(t, err)
	return fn
}

func bundled(target string, object []byte) []byte {
	return images.Bundle(images.Part{Target: target, Data: object})
}

func TestHIPModuleKinds(t *testing.T) {
	good := images.CodeObject("gfx942:sramecc+:xnack-", saxpyKernel)
	for name, c := range map[string]struct {
		image []byte
		err   error
	}{
		"code object":                {good, nil},
		"for any features":           {images.CodeObject("gfx942"), nil},
		"for other features":         {images.CodeObject("gfx942:xnack+"), hip.ErrNoBinaryForGpu},
		"for another GPU":            {images.CodeObject("gfx90a"), hip.ErrNoBinaryForGpu},
		"PTX":                        {images.PTX("8.4", "sm_90"), hip.ErrInvalidImage},
		"cubin":                      {images.Cubin("sm_90"), hip.ErrInvalidImage},
		"truncated":                  {embedded(good[:len(good)-100], ""), hip.ErrInvalidImage},
		"bundle":                     {images.Bundle(images.Part{Target: "gfx942", Data: good}), nil},
		"a bundle for another GPU":   {bundled("gfx90a", good), hip.ErrNoBinaryForGpu},
		"a bundle that is truncated": {embedded(bundled("gfx942", good)[:300], ""), hip.ErrInvalidImage},
	} {
		t.Run(name, func(t *testing.T) {
			m := hipMachine(t, Options{}, newestHIP)
			module, err := hip.ModuleLoadDataEx(unsafe.Pointer(&c.image[0]), 0, nil, nil)
			require.Equal(t, c.err, bare(err))
			if err == nil {
				assert.Equal(t, 1, m.HIPLiveOn(0).Modules)
				assert.NoError(t, hip.ModuleUnload(module))
			}
			assert.Zero(t, m.HIPLive().Modules)
			assert.Empty(t, m.Misuse())
			runtime.KeepAlive(c.image)
		})
	}
}

func TestHIPLaunch(t *testing.T) {
	eachHIP(t, Options{}, func(t *testing.T, m *Machine, p *profile) {
		m.Kernel("saxpy", saxpyGo)
		fn := hipFunction(t, saxpyKernel)
		const n = 300
		x, err := hip.Malloc(4 * n)
		require.NoError(t, err)
		xs := memoryOf(t, m.amd, uintptr(x), n)
		for i := range xs {
			xs[i] = float32(i)
		}
		s := hipStream(t)
		ps := hip.NewParams().Int32(n).Float32(2).Deviceptr(x).Deviceptr(x)
		require.NoError(t, hip.ModuleLaunchKernel(fn, 3, 1, 1, 100, 1, 1, 0, s, ps.Pointers(), nil))
		require.NoError(t, hip.StreamSynchronize(s))
		assert.EqualValues(t, 3*299, xs[299])
		var e hip.LaunchExtra
		e.Int32(n).Float32(1).Uint64(uint64(uintptr(x))).Uint64(uint64(uintptr(x)))
		require.NoError(t, hip.ModuleLaunchKernel(fn, 3, 1, 1, 100, 1, 1, 0, 0, nil, e.List()))
		require.NoError(t, hip.DeviceSynchronize())
		assert.EqualValues(t, 6*299, xs[299])
		if versionNumber(p.exports) >= versionNumber("5.7.1") {
			require.NoError(t, hip.ModuleLaunchCooperativeKernel(fn, 3, 1, 1, 100, 1, 1, 0, s,
				ps.Pointers()))
			require.NoError(t, hip.StreamSynchronize(s))
			assert.EqualValues(t, 18*299, xs[299])
		}
		assert.Empty(t, m.Misuse())
	})
}

func TestHIPFunctions(t *testing.T) {
	m := hipMachine(t, Options{}, newestHIP)
	image := images.CodeObject("gfx942", images.Kernel{Name: "k", MaxThreads: 128, Shared: 1024,
		Registers: 24})
	defer runtime.KeepAlive(image)
	module := loadHIP(t, image)
	fn, err := hip.ModuleGetFunction(module, "k")
	require.NoError(t, err)
	for which, want := range map[hip.DrvFuncAttribute]int32{
		hip.DrvFuncAttributeMaxThreadsPerBlock:        128,
		hip.DrvFuncAttributeSharedSizeBytes:           1024,
		hip.DrvFuncAttributeNumRegs:                   24,
		hip.DrvFuncAttributeBinaryVersion:             94,
		hip.DrvFuncAttributeMaxDynamicSharedSizeBytes: 63 << 10,
	} {
		got, err := hip.FuncGetAttribute(which, fn)
		require.NoError(t, err)
		assert.Equal(t, want, got, which)
	}
	const codeObject, gfx942 = 224, 0x4c
	variable := withVariable(codeObject, 2, gfx942, "v", []byte{1, 2, 3, 4, 5, 6, 7, 8})
	defer runtime.KeepAlive(variable)
	at, size, err := hip.ModuleGetGlobal(loadHIP(t, variable), "v")
	require.NoError(t, err)
	assert.Equal(t, []byte{1, 2, 3, 4, 5, 6, 7, 8}, m.amd.bytes(uintptr(at), size))
	assert.Equal(t, hip.ErrNotFound, bare(second(hip.ModuleGetFunction(module, "none"))))
	assert.Equal(t, hip.ErrInvalidValue, bare(second(hip.ModuleGetFunction(module, ""))))
	blocks, err := hip.ModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(fn, 128, 0, 0)
	require.NoError(t, err)
	assert.EqualValues(t, 16, blocks)
	grid, block, err := hip.ModuleOccupancyMaxPotentialBlockSizeWithFlags(fn, 0, 0, 0)
	require.NoError(t, err)
	assert.Equal(t, [2]int32{16 * 304, 128}, [2]int32{grid, block})
	assert.Empty(t, m.Misuse())
	require.NoError(t, hip.ModuleUnload(module))
	assert.Equal(t, hip.ErrNotFound, bare(hip.ModuleUnload(module)))
	assert.Equal(t, hip.ErrInvalidHandle, bare(hip.ModuleUnload(0)))
	assert.Empty(t, m.Crashes(), "modules are in a table")
	assert.Equal(t, hip.ErrInvalidHandle, bare(second(hip.FuncGetAttribute(0, fn))))
	assert.Len(t, m.Crashes(), 1, "functions are pointers")
}

func TestHIPLaunchLimits(t *testing.T) {
	m := hipMachine(t, Options{}, newestHIP)
	plain := hipFunction(t, images.Kernel{Name: "plain"})
	small := hipFunction(t, images.Kernel{Name: "small", MaxThreads: 64})
	saxpy := hipFunction(t, saxpyKernel)
	type dim [3]uint32
	one := dim{1, 1, 1}
	good := hip.NewParams().Int32(1).Float32(1).Deviceptr(nil).Deviceptr(nil).Pointers()
	for name, c := range map[string]struct {
		fn          hip.Function
		grid, block dim
		shared      uint32
		params      *unsafe.Pointer
		want        error
	}{
		"as large as can be": {plain, dim{1 << 21, 65536, 65536}, dim{1024, 1, 1}, 64 << 10, nil, nil},
		"no blocks":          {plain, dim{0, 1, 1}, one, 0, nil, hip.ErrInvalidValue},
		"no threads":         {plain, one, dim{0, 1, 1}, 0, nil, hip.ErrInvalidValue},
		"too many threads":   {plain, one, dim{1025, 1, 1}, 0, nil, hip.ErrInvalidValue},
		"too many in all": {plain, dim{1 << 22, 1, 1}, dim{1024, 1, 1}, 0, nil,
			hip.ErrInvalidConfiguration},
		"too many blocks":      {plain, dim{1, 65537, 1}, one, 0, nil, hip.ErrInvalidValue},
		"too much memory":      {plain, one, one, 64<<10 + 1, nil, hip.ErrInvalidValue},
		"more than its bounds": {small, one, dim{65, 1, 1}, 0, nil, hip.ErrLaunchFailure},
		"no parameters":        {saxpy, one, one, 0, nil, hip.ErrInvalidValue},
		"parameters":           {saxpy, one, one, 0, good, nil},
		"no function":          {0, one, one, 0, nil, hip.ErrInvalidHandle},
	} {
		assert.Equal(t, c.want, bare(hip.ModuleLaunchKernel(c.fn, c.grid[0], c.grid[1], c.grid[2],
			c.block[0], c.block[1], c.block[2], c.shared, 0, c.params, nil)), name)
	}
	extra := []uintptr{2, 0, 1, 0, 3}
	assert.Equal(t, hip.ErrInvalidValue, bare(hip.ModuleLaunchKernel(saxpy, 1, 1, 1, 1, 1, 1, 0, 0,
		nil, &extra[0])), "the wrong order")
	assert.NoError(t, hip.ModuleLaunchCooperativeKernel(plain, 2*304, 1, 1, 1024, 1, 1, 0, 0, nil))
	assert.Equal(t, hip.ErrCooperativeLaunchTooLarge,
		bare(hip.ModuleLaunchCooperativeKernel(plain, 2*304+1, 1, 1, 1024, 1, 1, 0, 0, nil)))
	assert.NoError(t, hip.DeviceSynchronize(), "no mistake is sticky")

	require.NoError(t, hip.SetDevice(1))
	assert.Equal(t, hip.ErrInvalidDevice,
		bare(hip.ModuleLaunchKernel(plain, 1, 1, 1, 1, 1, 1, 0, 0, nil, nil)), "of device 0")
	assert.Len(t, m.Misuse(), 1, "the missing function")
}

func TestHIPKernelFails(t *testing.T) {
	m := hipMachine(t, Options{}, newestHIP)
	m.Kernel("k", func(_ *kernel.Block, x []int32) { x[4] = 1 })
	fn := hipFunction(t, images.Kernel{Name: "k", Params: pointers(1)})
	x, err := hip.Malloc(16)
	require.NoError(t, err)
	require.NoError(t, hip.ModuleLaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, 0,
		hip.NewParams().Deviceptr(x).Pointers(), nil))
	assert.Equal(t, hip.ErrIllegalAddress, bare(hip.DeviceSynchronize()))
	assert.Len(t, m.KernelFailures(), 1)
}

func TestHIPImageMustStay(t *testing.T) {
	for name, spoil := range map[string]func(m hip.Module, fn hip.Function) error{
		"function": func(m hip.Module, _ hip.Function) error {
			return second(hip.ModuleGetFunction(m, "k"))
		},
		"launch": func(_ hip.Module, fn hip.Function) error {
			return hip.ModuleLaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, 0, nil, nil)
		},
		"unload": func(m hip.Module, _ hip.Function) error { return hip.ModuleUnload(m) },
	} {
		t.Run(name, func(t *testing.T) {
			m := hipMachine(t, Options{}, newestHIP)
			image := images.CodeObject("gfx942", images.Kernel{Name: "k"})
			module := loadHIP(t, image)
			fn, err := hip.ModuleGetFunction(module, "k")
			require.NoError(t, err)
			image[len(image)/2]++
			assert.Empty(t, m.Misuse())
			assert.NoError(t, spoil(module, fn))
			require.Len(t, m.Crashes(), 1)
			assert.Contains(t, m.Crashes()[0].Reason, "the memory of the module's image was changed")
		})
	}
	m := hipMachine(t, Options{}, newestHIP)
	copied := images.Bundle(images.Part{Target: "gfx942", Data: images.CodeObject("gfx942")})
	module := loadHIP(t, copied)
	clear(copied)
	assert.NoError(t, hip.ModuleUnload(module))
	assert.Empty(t, m.Misuse(), "a bundle is copied")
}

// No profile has the release that brings this function.
func TestHIPParamInfo(t *testing.T) {
	p := *profileOf(hipProfiles, newestHIP)
	p.exports = "7.15"
	m := NewMachine(Options{})
	t.Cleanup(m.amd.install(&libs.HIP, &p))
	fn := hipFunction(t, saxpyKernel)
	for i, want := range [][2]uintptr{{0, 4}, {4, 4}, {8, 8}, {16, 8}} {
		offset, size, err := hip.KernelGetParamInfo(hip.Kernel(fn), uintptr(i))
		require.NoError(t, err)
		assert.Equal(t, want, [2]uintptr{offset, size})
	}
	_, _, err := hip.KernelGetParamInfo(hip.Kernel(fn), 4)
	assert.Equal(t, hip.ErrInvalidValue, bare(err))
}

package sim

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/testing/images"
)

// saxpyKernel is y = a*x + y: (int n, float a, const float *x, float *y).
var saxpyKernel = images.Kernel{Name: "saxpy", Params: []images.Param{images.Int32, images.Float32,
	images.Pointer, images.Pointer}}

// pointers are the parameters of a kernel that takes n pointers.
func pointers(n int) (all []images.Param) {
	for range n {
		all = append(all, images.Pointer)
	}
	return all
}

func loadCUDA(t *testing.T, image []byte) cudrv.Module {
	t.Helper()
	m, err := cudrv.ModuleLoadData(unsafe.Pointer(&image[0]))
	require.NoError(t, err)
	require.NotZero(t, m)
	return m
}

// cudaFunction loads PTX with one kernel.
func cudaFunction(t *testing.T, k images.Kernel) cudrv.Function {
	t.Helper()
	fn, err := cudrv.ModuleGetFunction(loadCUDA(t, images.PTX("7.8", "sm_80", k)), k.Name)
	require.NoError(t, err)
	return fn
}

// embedded puts an image where other bytes follow, as in a program's read-only data.
func embedded(image []byte, next string) []byte {
	b := append([]byte(nil), image...)
	return append(append(b, next...), make([]byte, 1<<16)...)
}

func TestCUDAModuleKinds(t *testing.T) {
	ptx := images.PTX("7.8", "sm_80", saxpyKernel)
	cubin := images.Cubin("sm_90", saxpyKernel)
	for name, c := range map[string]struct {
		profile string
		image   []byte
		err     error
	}{
		"PTX":                      {"12.4", ptx, nil},
		"cubin":                    {"12.4", cubin, nil},
		"PTX as new as the driver": {"12.4", images.PTX("8.4", "sm_90"), nil},
		"PTX newer than the driver": {"12.4", images.PTX("8.5", "sm_90"),
			cudrv.ErrUnsupportedPtxVersion},
		"PTX of 11.8": {"11.8", images.PTX("7.8", "sm_90"), nil},
		"PTX of 12.0 on 11.8": {"11.8", images.PTX("8.0", "sm_90"),
			cudrv.ErrUnsupportedPtxVersion},
		"PTX of 12.8": {"12.8", images.PTX("8.7", "sm_90"), nil},
		"PTX of 12.9 on 12.8": {"12.8", images.PTX("8.8", "sm_90"),
			cudrv.ErrUnsupportedPtxVersion},
		"PTX of 13.5":                {"13.5", images.PTX("9.5", "sm_90"), nil},
		"PTX for this GPU only":      {"13.5", images.PTX("8.0", "sm_90a"), nil},
		"PTX for a newer GPU":        {"13.5", images.PTX("9.5", "sm_100"), cudrv.ErrInvalidPtx},
		"PTX for a single other GPU": {"13.5", images.PTX("8.0", "sm_80a"), cudrv.ErrInvalidPtx},
		"cubin for an older GPU":     {"13.5", images.Cubin("sm_80"), cudrv.ErrNoBinaryForGpu},
		"cubin for a newer GPU":      {"13.5", images.Cubin("sm_100"), cudrv.ErrNoBinaryForGpu},
		"code object":                {"13.5", images.CodeObject("gfx942"), cudrv.ErrInvalidImage},
		"nonsense":                   {"13.5", []byte("hello\x00"), cudrv.ErrInvalidImage},
		"truncated cubin": {"13.5", embedded(cubin[:len(cubin)-100], ""),
			cudrv.ErrInvalidImage},
		"truncated PTX": {"13.5", append(ptx[:len(ptx)-4:len(ptx)-4], 0),
			cudrv.ErrInvalidPtx},
		"PTX without a NUL": {"13.5", embedded(ptx[:len(ptx)-1], "{the next text"),
			cudrv.ErrInvalidPtx},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := cudaMachine(t, Options{}, c.profile)
			module, err := cudrv.ModuleLoadData(unsafe.Pointer(&c.image[0]))
			assert.Equal(t, c.err, bare(err))
			if err != nil {
				assert.Zero(t, m.CUDALive().Modules)
				return
			}
			assert.Equal(t, 1, m.CUDALiveOn(0).Modules)
			assert.NoError(t, cudrv.ModuleUnload(module))
			assert.Zero(t, m.CUDALive().Modules)
			assert.Empty(t, m.Misuse())
		})
	}
}

func TestCUDALoadWritesItsLogs(t *testing.T) {
	cudaMachine(t, Options{}, "12.4")
	for _, c := range []struct {
		version, info, fail string
		err                 error
	}{
		{"8.4", "compiled 1 kernel(s) for 'sm_90'", "", nil},
		{"9.0", "", "Unsupported .version 9.0; current version is '8.4'",
			cudrv.ErrUnsupportedPtxVersion},
	} {
		image := images.PTX(c.version, "sm_80", saxpyKernel)
		var o cudrv.JITOptions
		o.InfoLog(200).ErrorLog(200).MaxRegisters(32)
		_, err := cudrv.ModuleLoadDataEx(unsafe.Pointer(&image[0]), o.Len(), o.Options(), o.Values())
		assert.Equal(t, c.err, bare(err))
		for want, got := range map[string]string{c.info: o.InfoLogText(), c.fail: o.ErrorLogText()} {
			assert.Contains(t, got, want)
			assert.Equal(t, want == "", got == "", got)
		}
		o.ErrorLog(10)
		_, err = cudrv.ModuleLoadDataEx(unsafe.Pointer(&image[0]), o.Len(), o.Options(), o.Values())
		assert.Equal(t, c.err, bare(err))
		assert.LessOrEqual(t, len(o.ErrorLogText()), 9, "cut off")
	}
}

func TestCUDAFunctions(t *testing.T) {
	m, context := cudaMachine(t, Options{}, newestCUDA)
	module := loadCUDA(t, images.PTX("7.8", "sm_80", saxpyKernel,
		images.Kernel{Name: "small", MaxThreads: 64}))
	saxpy, err := cudrv.ModuleGetFunction(module, "saxpy")
	require.NoError(t, err)
	again, err := cudrv.ModuleGetFunction(module, "saxpy")
	require.NoError(t, err)
	assert.Equal(t, saxpy, again)
	small, err := cudrv.ModuleGetFunction(module, "small")
	require.NoError(t, err)
	assert.Equal(t, cudrv.ErrNotFound, bare(second(cudrv.ModuleGetFunction(module, "none"))))
	assert.Equal(t, cudrv.ErrNotFound, bare(second(cudrv.ModuleGetFunction(module, ""))))
	assert.EqualValues(t, context, m.ContextOf(uintptr(saxpy)))
	of, err := cudrv.FuncGetModule(saxpy)
	require.NoError(t, err)
	assert.Equal(t, module, of)

	n, err := cudrv.FuncGetParamCount(saxpy)
	require.NoError(t, err)
	assert.EqualValues(t, 4, n)
	for i, want := range [][2]uintptr{{0, 4}, {4, 4}, {8, 8}, {16, 8}} {
		offset, size, err := cudrv.FuncGetParamInfo(saxpy, uintptr(i))
		require.NoError(t, err)
		assert.Equal(t, want, [2]uintptr{offset, size})
	}
	_, _, err = cudrv.FuncGetParamInfo(saxpy, 4)
	assert.Equal(t, cudrv.ErrInvalidValue, bare(err))

	attribute := func(fn cudrv.Function, which cudrv.FunctionAttribute) int32 {
		v, err := cudrv.FuncGetAttribute(which, fn)
		require.NoError(t, err)
		return v
	}
	assert.EqualValues(t, 1024, attribute(saxpy, cudrv.FuncAttributeMaxThreadsPerBlock))
	assert.EqualValues(t, 64, attribute(small, cudrv.FuncAttributeMaxThreadsPerBlock))
	assert.EqualValues(t, 90, attribute(small, cudrv.FuncAttributeBinaryVersion))
	const dynamic = cudrv.FuncAttributeMaxDynamicSharedSizeBytes
	assert.EqualValues(t, 48<<10, attribute(saxpy, dynamic))
	assert.NoError(t, cudrv.FuncSetAttribute(saxpy, dynamic, 227<<10))
	assert.EqualValues(t, 227<<10, attribute(saxpy, dynamic))
	assert.Equal(t, cudrv.ErrInvalidValue, bare(cudrv.FuncSetAttribute(saxpy, dynamic, 227<<10+1)))
	assert.Equal(t, cudrv.ErrInvalidValue, bare(cudrv.FuncSetAttribute(saxpy, dynamic, -1)))

	state, err := cudrv.FuncIsLoaded(saxpy)
	require.NoError(t, err)
	assert.Equal(t, cudrv.FunctionLoadingStateUnloaded, state)
	require.NoError(t, cudrv.FuncLoad(saxpy))
	state, err = cudrv.FuncIsLoaded(saxpy)
	require.NoError(t, err)
	assert.Equal(t, cudrv.FunctionLoadingStateLoaded, state)
	assert.Empty(t, m.Misuse())

	require.NoError(t, cudrv.ModuleUnload(module))
	assert.Equal(t, cudrv.ErrInvalidHandle, bare(cudrv.FuncLoad(saxpy)), "it died with the module")
	assert.Equal(t, cudrv.ErrInvalidHandle, bare(cudrv.ModuleUnload(module)))
	assert.Len(t, m.Misuse(), 2)
	assert.Empty(t, m.Crashes())
}

func TestCUDAGlobals(t *testing.T) {
	m, _ := cudaMachine(t, Options{Memory: 1 << 20}, newestCUDA)
	text := images.PTX("7.8", "sm_80")
	text = append(text[:len(text)-1], ".visible .global .align 4 .b8 table[16][4];\n"+
		".visible .const .f64 pi;\n\x00"...)
	module := loadCUDA(t, text)
	at, size, err := cudrv.ModuleGetGlobal(module, "table")
	require.NoError(t, err)
	assert.EqualValues(t, 64, size)
	require.NoError(t, cudrv.MemsetD8Async(at, 7, 64, 0))
	require.NoError(t, cudrv.CtxSynchronize())
	_, size, err = cudrv.ModuleGetGlobal(module, "pi")
	require.NoError(t, err)
	assert.EqualValues(t, 8, size)
	_, _, err = cudrv.ModuleGetGlobal(module, "none")
	assert.Equal(t, cudrv.ErrNotFound, bare(err))
	free, _, err := cudrv.MemGetInfo()
	require.NoError(t, err)
	assert.EqualValues(t, 1<<20-72, free)
	assert.Equal(t, cudrv.ErrInvalidValue, bare(cudrv.MemFree(at)), "it is the module's")
	require.NoError(t, cudrv.ModuleUnload(module))
	free, _, err = cudrv.MemGetInfo()
	require.NoError(t, err)
	assert.EqualValues(t, 1<<20, free)
	assert.Zero(t, m.CUDALive().Memory)

	const cubin = 190
	module = loadCUDA(t, withVariable(cubin, 7, 90<<16|90, "v", []byte{1, 2, 3, 4}))
	at, size, err = cudrv.ModuleGetGlobal(module, "v")
	require.NoError(t, err)
	assert.Equal(t, []byte{1, 2, 3, 4}, m.cuda.bytes(uintptr(at), size))
}

func TestCUDAModulesHeedCaptures(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	image := images.PTX("7.8", "sm_80", saxpyKernel)
	module := loadCUDA(t, image)
	for name, call := range map[string]func() error{
		"load":   func() error { return second(cudrv.ModuleLoadData(unsafe.Pointer(&image[0]))) },
		"unload": func() error { return cudrv.ModuleUnload(module) },
	} {
		s := cudaStream(t, 1)
		require.NoError(t, cudrv.StreamBeginCapture(s, cudrv.StreamCaptureModeGlobal))
		assert.Equal(t, cudrv.ErrStreamCaptureUnsupported, bare(call()), name)
		assert.Equal(t, cudrv.ErrStreamCaptureInvalidated, bare(second(cudrv.StreamEndCapture(s))), name)
	}
	require.NoError(t, cudrv.ModuleUnload(module))
	assert.Empty(t, m.Misuse())
}

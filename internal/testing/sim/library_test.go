package sim

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/kernel"
	"github.com/gpuevent/gpuevent/internal/testing/images"
)

// loadLibrary loads an image without options.
func loadLibrary(image []byte) (cudrv.Library, error) {
	return cudrv.LibraryLoadData(unsafe.Pointer(&image[0]), nil, nil, 0, nil, nil, 0)
}

func cudaLibrary(t *testing.T, image []byte) cudrv.Library {
	t.Helper()
	l, err := loadLibrary(image)
	require.NoError(t, err)
	return l
}

// add is (int by, int *sum).
var add = images.Kernel{Name: "add", Params: []images.Param{images.Int32, images.Pointer}}

func TestCUDALibrary(t *testing.T) {
	m, first := cudaMachine(t, Options{}, newestCUDA)
	m.Kernel("add", func(_ *kernel.Block, by int32, sum []int32) { sum[0] += by })
	l := cudaLibrary(t, images.PTX("7.8", "sm_80", add, saxpyKernel))
	k, err := cudrv.LibraryGetKernel(l, "add")
	require.NoError(t, err)
	again, err := cudrv.LibraryGetKernel(l, "add")
	require.NoError(t, err)
	assert.Equal(t, k, again)
	assert.ErrorIs(t, second(cudrv.LibraryGetKernel(l, "none")), cudrv.ErrNotFound)
	n, err := cudrv.LibraryGetKernelCount(l)
	require.NoError(t, err)
	assert.EqualValues(t, 2, n)
	owner, err := cudrv.KernelGetLibrary(k)
	require.NoError(t, err)
	assert.Equal(t, l, owner)
	offset, size, err := cudrv.KernelGetParamInfo(k, 1)
	require.NoError(t, err)
	assert.EqualValues(t, []uintptr{8, 8}, []uintptr{offset, size})
	params, err := cudrv.KernelGetParamCount(k)
	require.NoError(t, err)
	assert.EqualValues(t, 2, params)

	// A launch takes the kernel in the context of its stream, whatever is current.
	s := cudaStream(t, 1)
	sum, err := cudrv.MemAlloc(4)
	require.NoError(t, err)
	require.NoError(t, cudrv.MemsetD32(sum, 0, 1))
	require.NoError(t, cudrv.StreamSynchronize(0))
	other, err := cudrv.CtxCreate(0, 0)
	require.NoError(t, err)
	by := int32(5)
	values := []unsafe.Pointer{unsafe.Pointer(&by), unsafe.Pointer(&sum)}
	require.NoError(t, cudrv.LaunchKernel(cudrv.Function(k), 1, 1, 1, 1, 1, 1, 0, s, &values[0], nil))
	require.NoError(t, cudrv.CtxSetCurrent(first))
	require.NoError(t, cudrv.StreamSynchronize(s))
	var got int32
	require.NoError(t, cudrv.MemcpyDtoH(unsafe.Pointer(&got), sum, 4))
	assert.EqualValues(t, 5, got)
	assert.Empty(t, m.KernelFailures())
	assert.Empty(t, m.Misuse())

	// In each context it is another function.
	here, err := cudrv.KernelGetFunction(k)
	require.NoError(t, err)
	require.NoError(t, cudrv.CtxSetCurrent(other))
	there, err := cudrv.KernelGetFunction(k)
	require.NoError(t, err)
	assert.NotEqual(t, here, there)
	assert.Equal(t, 2, m.CUDALive().Modules)
	require.NoError(t, cudrv.CtxDestroy(other))
	require.NoError(t, cudrv.CtxSetCurrent(first))

	require.NoError(t, cudrv.LibraryUnload(l))
	assert.Zero(t, m.CUDALive().Modules)
	assert.ErrorIs(t, second(cudrv.LibraryGetKernel(l, "add")), cudrv.ErrInvalidHandle)
	assert.ErrorIs(t, second(cudrv.KernelGetFunction(k)), cudrv.ErrInvalidHandle)
	assert.ErrorIs(t, cudrv.LibraryUnload(l), cudrv.ErrInvalidHandle)
	runtime.KeepAlive(&by)
}

// What is set for a device holds in all its contexts, before and after a function was made there.
func TestCUDAKernelAttributes(t *testing.T) {
	cudaMachine(t, Options{}, newestCUDA)
	k, err := cudrv.LibraryGetKernel(cudaLibrary(t, images.PTX("7.8", "sm_80", add)), "add")
	require.NoError(t, err)
	const which = cudrv.FuncAttributeMaxDynamicSharedSizeBytes
	before, err := cudrv.KernelGetAttribute(which, k, 0)
	require.NoError(t, err)
	fn, err := cudrv.KernelGetFunction(k)
	require.NoError(t, err)
	require.NoError(t, cudrv.KernelSetAttribute(which, 100<<10, k, 0))
	got, err := cudrv.FuncGetAttribute(which, fn)
	require.NoError(t, err)
	assert.EqualValues(t, 100<<10, got)
	_, err = cudrv.CtxCreate(0, 0)
	require.NoError(t, err)
	fn, err = cudrv.KernelGetFunction(k)
	require.NoError(t, err)
	got, err = cudrv.FuncGetAttribute(which, fn)
	require.NoError(t, err)
	assert.EqualValues(t, 100<<10, got)
	elsewhere, err := cudrv.KernelGetAttribute(which, k, 1)
	require.NoError(t, err)
	assert.Equal(t, before, elsewhere)
	assert.ErrorIs(t, second(cudrv.KernelGetAttribute(which, k, 7)), cudrv.ErrInvalidDevice)
	assert.ErrorIs(t, cudrv.KernelSetAttribute(which, -1, k, 0), cudrv.ErrInvalidValue)
	name, err := cudrv.KernelGetName(k)
	require.NoError(t, err)
	assert.Equal(t, "add", name)
}

func TestCUDALibraryFromFile(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	load := func(path string) (cudrv.Library, error) {
		return cudrv.LibraryLoadFromFile(path, nil, nil, 0, nil, nil, 0)
	}
	path := filepath.Join(t.TempDir(), "add.ptx")
	image := images.PTX("7.8", "sm_80", add)
	require.NoError(t, os.WriteFile(path, bytes.TrimRight(image, "\x00"), 0o600))
	l, err := load(path)
	require.NoError(t, err)
	k, err := cudrv.LibraryGetKernel(l, "add")
	require.NoError(t, err)
	fn, err := cudrv.KernelGetFunction(k)
	require.NoError(t, err)
	name, err := cudrv.FuncGetName(fn)
	require.NoError(t, err)
	assert.Equal(t, "add", name)
	assert.ErrorIs(t, second(cudrv.FuncGetName(0)), cudrv.ErrInvalidValue)
	assert.ErrorIs(t, second(load(path+"x")), cudrv.ErrFileNotFound)
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	assert.ErrorIs(t, second(load(path)), cudrv.ErrInvalidImage)
	require.NoError(t, cudrv.LibraryUnload(l))
	assert.Empty(t, m.Misuse())
}

func TestCUDALibraryRefusals(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	for name, c := range map[string]struct {
		image []byte
		want  error
	}{
		"nothing known": {append([]byte("no image"), make([]byte, 64)...), cudrv.ErrInvalidImage},
		"other device":  {images.Cubin("sm_70", add), cudrv.ErrNoBinaryForGpu},
	} {
		assert.ErrorIs(t, second(loadLibrary(c.image)), c.want, name)
	}
	// Without a context there is a library, but no function of it.
	l := cudaLibrary(t, images.PTX("7.8", "sm_80", add))
	k, err := cudrv.LibraryGetKernel(l, "add")
	require.NoError(t, err)
	require.NoError(t, cudrv.CtxSetCurrent(0))
	assert.ErrorIs(t, second(cudrv.KernelGetFunction(k)), cudrv.ErrInvalidContext)
	assert.Empty(t, m.Crashes())
}

package sim

import (
	"maps"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/images"
)

func init() {
	maps.Copy(probes, map[quirk]probe{
		amdNullGraph: {own: true, observe: func(t *testing.T, _ *Machine) bool {
			return bare(hip.GraphDestroy(0)) == hip.ErrInvalidValue
		}},
		amdAddressRangePointer: {own: true, observe: func(t *testing.T, _ *Machine) bool {
			var x int
			_, _, err := hip.MemGetAddressRange(hipAddress(unsafe.Pointer(&x)))
			return bare(err) == hip.ErrInvalidDevicePointer
		}},
	})
}

// Codes of NVIDIA's driver for arguments that are not usual.
func TestCUDACodes(t *testing.T) {
	for _, profile := range CUDAProfiles() {
		t.Run(profile, func(t *testing.T) {
			m, _ := cudaMachine(t, Options{}, profile)
			s := cudaStream(t, 1)
			x := new(int)

			at, err := cudrv.MemAllocAsync(0, s)
			require.NoError(t, err)
			assert.Zero(t, at)
			assert.Equal(t, cudrv.ErrInvalidValue, bare(cudrv.MemFreeAsync(at, s)))

			for _, flags := range []uint32{8, 1 << 31} {
				assert.Equal(t, cudrv.ErrInvalidValue, bare(second(cudrv.MemHostAlloc(64, flags))))
			}
			p, err := cudrv.MemHostAlloc(64, 7)
			require.NoError(t, err)
			require.NoError(t, cudrv.MemFreeHost(p))

			_, _, err = cudrv.MemGetAddressRange(cudrv.Deviceptr(uintptr(unsafe.Pointer(x))))
			assert.Equal(t, cudrv.ErrNotFound, bare(err))

			managed, err := cudrv.DeviceGetAttribute(cudrv.DeviceAttributeManagedMemory, 0)
			require.NoError(t, err)
			assert.Equal(t, managed != 0, cudrv.Has("cuMemAllocManaged"))
			if q, err := cudrv.MemAllocManaged(8, cudrv.MemAttachGlobal); assert.Equal(t, managed != 0,
				err == nil) {
				require.NoError(t, cudrv.MemFree(q))
			}
			assert.Empty(t, m.Misuse())
		})
	}
}

// Without a current context a library's kernel has a name and no parameters.
func TestCUDAKernelCodes(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	assert.Equal(t, cudrv.ErrInvalidValue, bare(second(cudrv.KernelGetName(0))))
	image := images.PTX("7.8", "sm_80", saxpyKernel)
	library, err := cudrv.LibraryLoadData(unsafe.Pointer(&image[0]), nil, nil, 0, nil, nil, 0)
	require.NoError(t, err)
	k, err := cudrv.LibraryGetKernel(library, saxpyKernel.Name)
	require.NoError(t, err)
	_, size, err := cudrv.KernelGetParamInfo(k, 0)
	require.NoError(t, err)
	assert.EqualValues(t, 4, size)

	_, err = cudrv.CtxPopCurrent()
	require.NoError(t, err)
	_, _, err = cudrv.KernelGetParamInfo(k, 0)
	assert.Equal(t, cudrv.ErrInvalidContext, bare(err))
	name, err := cudrv.KernelGetName(k)
	require.NoError(t, err)
	assert.Equal(t, saxpyKernel.Name, name)
	require.NoError(t, cudrv.LibraryUnload(library))
	assert.Empty(t, m.Misuse())
}

// Codes of AMD's runtime for arguments that are not usual.
func TestHIPCodes(t *testing.T) {
	for _, profile := range HIPProfiles()[1:] {
		t.Run(profile, func(t *testing.T) {
			m := hipMachine(t, Options{}, profile)
			s := hipStream(t)
			null := map[string]error{
				"hipGraphDestroy":             hip.GraphDestroy(0),
				"hipGraphExecDestroy":         hip.GraphExecDestroy(0),
				"hipGraphLaunch":              hip.GraphLaunch(0, s),
				"hipGraphInstantiate":         second(hip.GraphInstantiateWithFlags(0, 0)),
				"hipGraphNodeGetType":         second(hip.GraphNodeGetType(0)),
				"hipGraphKernelNodeGetParams": second(hip.GraphKernelNodeGetParams(0)),
			}
			for call, err := range null {
				assert.Equal(t, hip.ErrInvalidValue, bare(err), call)
			}
			require.NoError(t, hip.StreamBeginCapture(s, hip.StreamCaptureModeRelaxed))
			g, err := hip.StreamEndCapture(s)
			require.NoError(t, err)
			require.NoError(t, hip.GraphDestroy(g))
			assert.Equal(t, hip.ErrIllegalState, bare(hip.GraphDestroy(g)))
			assert.Len(t, m.Misuse(), len(null)+1)

			x := new(int)
			want := hip.ErrNotFound
			if versionNumber(profile) < versionNumber("5.5") {
				want = hip.ErrInvalidDevicePointer
			}
			_, _, err = hip.MemGetAddressRange(hipAddress(unsafe.Pointer(x)))
			assert.Equal(t, want, bare(err))

			managed, err := hip.DeviceGetAttribute(hip.DeviceAttributeManagedMemory, 0)
			require.NoError(t, err)
			assert.Equal(t, managed != 0, hip.Has("hipMallocManaged"))
		})
	}
}

// A global capture is heeded until it is ended, though the first refusal has invalidated it.
func TestInvalidatedCaptureIsHeeded(t *testing.T) {
	hipMachine(t, Options{}, newestHIP)
	s, other := hipStream(t), hipStream(t)
	e := hipRecorded(t, other)
	require.NoError(t, hip.StreamBeginCapture(s, hip.StreamCaptureModeGlobal))
	for range 2 {
		assert.Equal(t, hip.ErrStreamCaptureUnsupported, bare(hip.EventSynchronize(e)))
		assert.Equal(t, hip.ErrStreamCaptureUnsupported, bare(hip.EventQuery(e)))
	}
	_, err := hip.StreamEndCapture(s)
	assert.Equal(t, hip.ErrStreamCaptureInvalidated, bare(err))
	_ = hip.StreamDestroy(s)
}

package backend

import (
	"errors"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/kernel"
)

// Sizes of a kernel's parameters in all. Devices since Volta take more, by drivers since 12.1.
const (
	cudaParameterBytes     = 4096
	cudaParameterBytesMore = 32764
)

// readLimits asks for no context.
func (c *cudaDevice) readLimits() (Limits, error) {
	a := cudaAttributes{device: c.device}
	l := Limits{
		Grid: kernel.Dim{
			X: a.number(cudrv.DeviceAttributeMaxGridDimX),
			Y: a.number(cudrv.DeviceAttributeMaxGridDimY),
			Z: a.number(cudrv.DeviceAttributeMaxGridDimZ),
		},
		Block: kernel.Dim{
			X: a.number(cudrv.DeviceAttributeMaxBlockDimX),
			Y: a.number(cudrv.DeviceAttributeMaxBlockDimY),
			Z: a.number(cudrv.DeviceAttributeMaxBlockDimZ),
		},
		Threads:    a.number(cudrv.DeviceAttributeMaxThreadsPerBlock),
		Shared:     a.number(cudrv.DeviceAttributeMaxSharedMemoryPerBlock),
		SharedMost: a.number(cudrv.DeviceAttributeMaxSharedMemoryPerBlockOptin),
		Processors: a.number(cudrv.DeviceAttributeMultiprocessorCount),
		Warp:       a.number(cudrv.DeviceAttributeWarpSize),
		Major:      int(a.number(cudrv.DeviceAttributeComputeCapabilityMajor)),
		Minor:      int(a.number(cudrv.DeviceAttributeComputeCapabilityMinor)),
	}
	l.SharedMost = max(l.SharedMost, l.Shared)
	l.Clusters = a.number(cudrv.DeviceAttributeClusterLaunch) != 0 && cudrv.Has("cuLaunchKernelEx")
	l.Cooperative = a.number(cudrv.DeviceAttributeCooperativeLaunch) != 0 &&
		cudrv.Has("cuLaunchCooperativeKernel")
	l.Pools = a.number(cudrv.DeviceAttributeMemoryPoolsSupported) != 0 &&
		cudrv.Has("cuMemAllocAsync") && cudrv.Has("cuMemFreeAsync")
	l.PointersAreShared = a.number(cudrv.DeviceAttributeUnifiedAddressing) != 0
	if a.err != nil {
		return Limits{}, a.err
	}
	version, err := cudrv.DriverGetVersion()
	if err != nil {
		return Limits{}, cudaFailed("cuDriverGetVersion", err)
	}
	l.DriverMajor, l.DriverMinor = int(version)/1000, int(version)%1000/10
	l.ParameterBytes = cudaParameterBytes
	if l.Major >= 7 && version >= 12010 {
		l.ParameterBytes = cudaParameterBytesMore
	}
	l.CanUpdateKernels = cudrv.Has("cuGraphExecKernelNodeSetParams_v2") ||
		cudrv.Has("cuGraphExecKernelNodeSetParams")
	l.FreesGraphMemory = l.Pools && cudrv.Has("cuGraphInstantiateWithFlags")
	return l, nil
}

// cudaAttributes reads attributes up to the first failure.
type cudaAttributes struct {
	device cudrv.Device
	err    error
}

// number returns 0 for an attribute that the driver is too old to know.
func (a *cudaAttributes) number(attribute cudrv.DeviceAttribute) uint32 {
	if a.err != nil {
		return 0
	}
	v, err := cudrv.DeviceGetAttribute(attribute, a.device)
	if err != nil && !errors.Is(err, cudrv.ErrInvalidValue) {
		a.err = cudaFailed("cuDeviceGetAttribute", err)
	}
	return uint32(max(v, 0))
}

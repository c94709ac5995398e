package backend

import (
	"errors"
	"math"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/kernel"
)

func (h *hipDevice) readLimits() (Limits, error) {
	a := hipAttributes{device: h.device}
	l := Limits{
		Grid: kernel.Dim{
			X: a.number(hip.DeviceAttributeMaxGridDimX),
			Y: a.number(hip.DeviceAttributeMaxGridDimY),
			Z: a.number(hip.DeviceAttributeMaxGridDimZ),
		},
		Block: kernel.Dim{
			X: a.number(hip.DeviceAttributeMaxBlockDimX),
			Y: a.number(hip.DeviceAttributeMaxBlockDimY),
			Z: a.number(hip.DeviceAttributeMaxBlockDimZ),
		},
		Threads:    a.number(hip.DeviceAttributeMaxThreadsPerBlock),
		Shared:     a.number(hip.DeviceAttributeMaxSharedMemoryPerBlock),
		Processors: a.number(hip.DeviceAttributeMultiprocessorCount),
		Warp:       a.number(hip.DeviceAttributeWarpSize),
		// The runtime counts the threads along an axis in 32 bits.
		GridTimesBlock:   math.MaxUint32,
		CanUpdateKernels: hip.Has("hipGraphExecKernelNodeSetParams"),
	}
	l.SharedMost = l.Shared // a function may use it all without asking
	l.Cooperative = a.number(hip.DeviceAttributeCooperativeLaunch) != 0 &&
		hip.Has("hipModuleLaunchCooperativeKernel")
	l.Pools = a.number(hip.DeviceAttributeMemoryPoolsSupported) != 0 &&
		hip.Has("hipMallocAsync") && hip.Has("hipFreeAsync")
	l.FreesGraphMemory = l.Pools && hip.Has("hipGraphAddMemAllocNode")
	l.PointersAreShared = a.number(hip.DeviceAttributeUnifiedAddressing) != 0
	if a.err != nil {
		return Limits{}, a.err
	}
	return l, nil
}

// hipAttributes reads attributes up to the first failure.
type hipAttributes struct {
	device int32
	err    error
}

// number returns 0 for an attribute that the runtime is too old to know.
func (a *hipAttributes) number(attribute hip.DeviceAttribute) uint32 {
	if a.err != nil {
		return 0
	}
	v, err := hip.DeviceGetAttribute(attribute, a.device)
	if err != nil && !errors.Is(err, hip.ErrInvalidValue) {
		a.err = hipFailed("hipDeviceGetAttribute", err)
	}
	return uint32(max(v, 0))
}

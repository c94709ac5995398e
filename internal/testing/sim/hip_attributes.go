package sim

import (
	"math"

	"github.com/gpuevent/gpuevent/hip"
)

// hipAttributes are those of a device that differ from 0: an MI300X's.
var hipAttributes = map[hip.DeviceAttribute]int32{
	hip.DeviceAttributeCanMapHostMemory:                 1,
	hip.DeviceAttributeClockRate:                        2_100_000,
	hip.DeviceAttributeComputeCapabilityMajor:           hipMajor,
	hip.DeviceAttributeComputeCapabilityMinor:           hipMinor,
	hip.DeviceAttributeConcurrentKernels:                1,
	hip.DeviceAttributeCooperativeLaunch:                1,
	hip.DeviceAttributeL2CacheSize:                      4 << 20,
	hip.DeviceAttributeManagedMemory:                    0, // it is not simulated
	hip.DeviceAttributeMaxBlocksPerMultiProcessor:       hipLimits.maxBlocks,
	hip.DeviceAttributeMaxBlockDimX:                     int32(hipLimits.blockThreads),
	hip.DeviceAttributeMaxBlockDimY:                     int32(hipLimits.blockThreads),
	hip.DeviceAttributeMaxBlockDimZ:                     int32(hipLimits.blockZ),
	hip.DeviceAttributeMaxGridDimX:                      math.MaxInt32,
	hip.DeviceAttributeMaxGridDimY:                      int32(hipLimits.gridYZ),
	hip.DeviceAttributeMaxGridDimZ:                      int32(hipLimits.gridYZ),
	hip.DeviceAttributeMaxPitch:                         math.MaxInt32,
	hip.DeviceAttributeMaxRegistersPerBlock:             hipLimits.registers,
	hip.DeviceAttributeMaxRegistersPerMultiprocessor:    hipLimits.registers,
	hip.DeviceAttributeMaxSharedMemoryPerBlock:          hipLimits.shared,
	hip.DeviceAttributeMaxSharedMemoryPerMultiprocessor: hipLimits.sharedAll,
	hip.DeviceAttributeMaxThreadsPerBlock:               int32(hipLimits.blockThreads),
	hip.DeviceAttributeMaxThreadsPerMultiProcessor:      hipLimits.threads,
	hip.DeviceAttributeMemoryBusWidth:                   8192,
	hip.DeviceAttributeMemoryClockRate:                  1_300_000,
	hip.DeviceAttributeMemoryPoolsSupported:             1,
	hip.DeviceAttributeMultiprocessorCount:              hipLimits.processors,
	hip.DeviceAttributeSharedMemPerBlockOptin:           hipLimits.optIn,
	hip.DeviceAttributeSharedMemPerMultiprocessor:       hipLimits.sharedAll,
	hip.DeviceAttributeTotalConstantMemory:              math.MaxInt32,
	hip.DeviceAttributeUnifiedAddressing:                1,
	hip.DeviceAttributeWarpSize:                         hipLimits.warp,
}

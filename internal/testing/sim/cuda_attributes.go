package sim

import (
	"math"

	"github.com/gpuevent/gpuevent/cudrv"
)

// cudaAttributes are those of a device that differ from 0: of one of compute capability 9.0, whose
// numbers are those of an H100 with fewer multiprocessors.
var cudaAttributes = map[cudrv.DeviceAttribute]int32{
	cudrv.DeviceAttributeMaxThreadsPerBlock:               int32(cudaLimits.blockThreads),
	cudrv.DeviceAttributeMaxBlockDimX:                     int32(cudaLimits.blockThreads),
	cudrv.DeviceAttributeMaxBlockDimY:                     int32(cudaLimits.blockThreads),
	cudrv.DeviceAttributeMaxBlockDimZ:                     int32(cudaLimits.blockZ),
	cudrv.DeviceAttributeMaxGridDimX:                      math.MaxInt32,
	cudrv.DeviceAttributeMaxGridDimY:                      math.MaxUint16,
	cudrv.DeviceAttributeMaxGridDimZ:                      math.MaxUint16,
	cudrv.DeviceAttributeMaxSharedMemoryPerBlock:          cudaLimits.shared,
	cudrv.DeviceAttributeTotalConstantMemory:              64 << 10,
	cudrv.DeviceAttributeWarpSize:                         cudaLimits.warp,
	cudrv.DeviceAttributeMaxPitch:                         math.MaxInt32,
	cudrv.DeviceAttributeMaxRegistersPerBlock:             cudaLimits.registers,
	cudrv.DeviceAttributeClockRate:                        1_785_000,
	cudrv.DeviceAttributeTextureAlignment:                 512,
	cudrv.DeviceAttributeMultiprocessorCount:              cudaLimits.processors,
	cudrv.DeviceAttributeCanMapHostMemory:                 1,
	cudrv.DeviceAttributeConcurrentKernels:                1,
	cudrv.DeviceAttributeMemoryClockRate:                  2_619_000,
	cudrv.DeviceAttributeGlobalMemoryBusWidth:             5120,
	cudrv.DeviceAttributeL2CacheSize:                      50 << 20,
	cudrv.DeviceAttributeMaxThreadsPerMultiprocessor:      cudaLimits.threads,
	cudrv.DeviceAttributeAsyncEngineCount:                 2,
	cudrv.DeviceAttributeUnifiedAddressing:                1,
	cudrv.DeviceAttributeComputeCapabilityMajor:           cudaMajor,
	cudrv.DeviceAttributeComputeCapabilityMinor:           cudaMinor,
	cudrv.DeviceAttributeStreamPrioritiesSupported:        1,
	cudrv.DeviceAttributeMaxSharedMemoryPerMultiprocessor: cudaLimits.sharedAll,
	cudrv.DeviceAttributeMaxRegistersPerMultiprocessor:    cudaLimits.registers,
	cudrv.DeviceAttributeManagedMemory:                    1,
	cudrv.DeviceAttributeConcurrentManagedAccess:          1,
	cudrv.DeviceAttributeCooperativeLaunch:                1,
	cudrv.DeviceAttributeMaxSharedMemoryPerBlockOptin:     cudaLimits.optIn,
	cudrv.DeviceAttributeHostRegisterSupported:            1,
	cudrv.DeviceAttributeMaxBlocksPerMultiprocessor:       cudaLimits.maxBlocks,
	cudrv.DeviceAttributeReservedSharedMemoryPerBlock:     1 << 10,
	cudrv.DeviceAttributeMemoryPoolsSupported:             1,
	cudrv.DeviceAttributeClusterLaunch:                    1,
	122:                                                   1, // 64-bit stream memory operations
	123:                                                   1, // waits for a value nor
	125:                                                   1, // events between processes
}

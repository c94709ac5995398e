package sim

import (
	"math"

	"github.com/gpuevent/gpuevent/internal/kernel"
)

// limits are what a device allows a launch.
type limits struct {
	blockThreads, blockZ           uint64
	gridX, gridYZ                  uint64
	shared, optIn, sharedAll       int32 // bytes: of a block, of a block on request, of a processor
	processors, threads, maxBlocks int32 // threads and blocks of one processor
	registers                      int32 // of one processor
	warp                           int32
}

var (
	cudaLimits = limits{blockThreads: 1024, blockZ: 64, gridX: math.MaxInt32, gridYZ: math.MaxUint16,
		shared: 48 << 10, optIn: 227 << 10, sharedAll: 228 << 10, processors: 64, threads: 2048,
		maxBlocks: 32, registers: 64 << 10, warp: 32}
	hipLimits = limits{blockThreads: 1024, blockZ: 1024, gridX: math.MaxInt32,
		gridYZ: math.MaxUint16 + 1, shared: 64 << 10, optIn: 64 << 10, sharedAll: 64 << 10,
		processors: 304, threads: 2048, maxBlocks: 32, registers: 128 << 10, warp: 64}
)

func (f *face) limits() *limits {
	if f.hip() {
		return &hipLimits
	}
	return &cudaLimits
}

// clusters are at most this large, in blocks: on request, and otherwise.
const maxCluster, portableCluster = 16, 8

// defaultDynamic is how much dynamic shared memory a kernel may have if nobody asks for more.
func (f *face) defaultDynamic(k kernelSpec) int32 { return max(f.limits().shared-k.shared, 0) }

// volume is the number of threads of a block, or of blocks of a cluster.
func volume(block kernel.Dim) uint64 {
	if uint64(block.X)*uint64(block.Y) > math.MaxUint32 { // far too many, and no overflow
		return math.MaxUint64
	}
	return uint64(block.X) * uint64(block.Y) * uint64(block.Z)
}

func empty(d kernel.Dim) bool { return d.X == 0 || d.Y == 0 || d.Z == 0 }

// maxThreads is how large a kernel's blocks may be.
func (f *face) maxThreads(k *kernelSpec) int32 {
	most := int32(f.limits().blockThreads)
	if k.maxThreads > 0 {
		most = min(most, k.maxThreads)
	}
	if k.registers > 0 && !f.hip() {
		most = min(most, f.limits().registers/k.registers/32*32)
	}
	return most
}

// takes reports whether a kernel that is compiled for one size of blocks is given that.
func (k *kernelSpec) takes(block kernel.Dim) bool { return empty(k.block) || k.block == block }

// allows returns the driver's answer to a launch, before it looks at the values.
func (f *face) allows(e *entryPoint, r *launchRequest) code {
	if f.hip() {
		return f.allowsHIP(e, r)
	}
	l := f.limits()
	e.mu.Lock()
	dynamic, anyCluster := e.dynamic, e.anyCluster
	e.mu.Unlock()
	n := volume(r.block)
	switch {
	case empty(r.grid) || empty(r.block) || r.params != nil && r.extra != nil,
		n > l.blockThreads || uint64(r.block.Z) > l.blockZ,
		uint64(r.grid.X) > l.gridX || uint64(r.grid.Y) > l.gridYZ || uint64(r.grid.Z) > l.gridYZ,
		r.shared > uintptr(dynamic), !e.spec.takes(r.block):
		return invalidValue
	case n > uint64(f.maxThreads(&e.spec)):
		return outOfResources
	case r.cooperative && !f.fitsAtOnce(&e.spec, r):
		return cooperativeTooLarge
	case r.cluster != kernel.Dim{}:
		return allowsCluster(r.grid, r.cluster, anyCluster)
	}
	return success
}

func allowsCluster(grid, cluster kernel.Dim, any bool) code {
	most := uint64(portableCluster)
	if any {
		most = maxCluster
	}
	if empty(cluster) || volume(cluster) > most || grid.X%cluster.X != 0 || grid.Y%cluster.Y != 0 ||
		grid.Z%cluster.Z != 0 {
		return invalidClusterSize
	}
	return success
}

// allowsHIP has the order of the runtime's own checks.
func (f *face) allowsHIP(e *entryPoint, r *launchRequest) code {
	l := f.limits()
	n := volume(r.block)
	switch {
	case !r.cooperative && (uint64(r.grid.X) > l.gridX || uint64(r.grid.Y) > l.gridYZ ||
		uint64(r.grid.Z) > l.gridYZ):
		return invalidValue
	case uint64(r.grid.X)*uint64(r.block.X) > math.MaxUint32:
		return invalidConfiguration
	case r.params != nil && r.extra != nil:
		return invalidValue
	case empty(r.grid) || empty(r.block):
		return invalidValue
	case r.shared > uintptr(l.shared), n > l.blockThreads:
		return invalidValue
	case len(e.spec.params) > 0 && r.params == nil && r.extra == nil:
		return invalidValue
	case !e.spec.takes(r.block):
		return invalidValue
	case n > uint64(f.maxThreads(&e.spec)):
		return launchFailed // which is not sticky here
	case r.cooperative && !f.fitsAtOnce(&e.spec, r):
		return cooperativeTooLarge
	}
	return success
}

// fitsAtOnce reports whether all blocks of a launch can run at the same time.
func (f *face) fitsAtOnce(k *kernelSpec, r *launchRequest) bool {
	blocks := uint64(r.grid.X) * uint64(r.grid.Y) * uint64(r.grid.Z)
	perProcessor := f.blocksPerProcessor(k, volume(r.block), r.shared)
	return blocks <= uint64(perProcessor)*uint64(f.limits().processors)
}

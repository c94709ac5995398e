package backend

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/libs"
)

// The functions that are called here rather than through the bindings.
var (
	cuLaunchKernel            = dl.Proc{Lib: &libs.CUDA, Symbol: "cuLaunchKernel", Since: "4.0"}
	cuLaunchKernelEx          = dl.Proc{Lib: &libs.CUDA, Symbol: "cuLaunchKernelEx", Since: "11.8"}
	cuLaunchCooperativeKernel = dl.Proc{Lib: &libs.CUDA, Symbol: "cuLaunchCooperativeKernel",
		Since: "9.0"}
	cuGraphLaunch = dl.Proc{Lib: &libs.CUDA, Symbol: "cuGraphLaunch", Since: "10.0"}
)

// Launch takes clusters too.
func (c *cudaDevice) Launch(s driver.Object, f Function, shape *Config, p *Frame) error {
	if shape.Cluster.X != 0 {
		return c.launchClusters(s, f, shape, p)
	}
	return c.gpu.Launch(s, f, shape, p)
}

func (c *cudaDevice) launchClusters(s driver.Object, f Function, shape *Config, p *Frame) error {
	if p.cuda == nil {
		p.cuda = new(cudaLaunch)
	}
	w := p.entry.Words()
	w[0] = ccall.Ptr(unsafe.Pointer(p.cuda.set(s.Word, shape)))
	w[1], w[2], w[3] = f.Word, p.words(), 0
	return c.enterCall(p, &cuLaunchKernelEx, 4)
}

// cudaLaunch is a launch's shape as cuLaunchKernelEx takes it. It must live in the heap.
type cudaLaunch struct {
	config     cudrv.LaunchConfig
	attributes [2]cudrv.LaunchAttribute
}

func (x *cudaLaunch) set(stream uintptr, shape *Config) *cudrv.LaunchConfig {
	x.attributes = [2]cudrv.LaunchAttribute{}
	x.config = cudrv.LaunchConfig{
		GridDimX: shape.Grid.X, GridDimY: shape.Grid.Y, GridDimZ: shape.Grid.Z,
		BlockDimX: shape.Block.X, BlockDimY: shape.Block.Y, BlockDimZ: shape.Block.Z,
		SharedMemBytes: shape.Shared,
		HStream:        cudrv.Stream(stream),
		Attrs:          &x.attributes[0],
	}
	if shape.Cluster.X != 0 {
		a := x.add(cudrv.LaunchAttributeClusterDimension)
		*a.Value.ClusterDim() = cudrv.LaunchAttributeValueClusterDim{
			X: shape.Cluster.X, Y: shape.Cluster.Y, Z: shape.Cluster.Z}
	}
	if shape.Cooperative {
		*x.add(cudrv.LaunchAttributeCooperative).Value.Cooperative() = 1
	}
	return &x.config
}

func (x *cudaLaunch) add(id cudrv.LaunchAttributeID) *cudrv.LaunchAttribute {
	a := &x.attributes[x.config.NumAttrs]
	x.config.NumAttrs++
	a.Id = id
	return a
}

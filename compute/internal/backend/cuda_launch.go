package backend

import (
	"runtime"
	"sync"
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

// cudaFrames are idle.
var cudaFrames = sync.Pool{New: func() any { return new(Frame) }}

func (c *cudaDevice) Frame() *Frame { return cudaFrames.Get().(*Frame) }

func (c *cudaDevice) PutFrame(p *Frame) {
	p.Reset()
	cudaFrames.Put(p)
}

// Launch enters the context, launches and restores the thread's own in one crossing into C. The
// driver copies the parameters. fact: gpu-launch-copies-values
func (c *cudaDevice) Launch(s driver.Object, f Function, shape *Config, p *Frame) error {
	w := p.call.Words()
	if shape.Cluster.X != 0 {
		return c.launchClusters(s, f, shape, p)
	}
	w[0] = f.Word
	w[1], w[2], w[3] = uintptr(shape.Grid.X), uintptr(shape.Grid.Y), uintptr(shape.Grid.Z)
	w[4], w[5], w[6] = uintptr(shape.Block.X), uintptr(shape.Block.Y), uintptr(shape.Block.Z)
	w[7], w[8], w[9], w[10] = uintptr(shape.Shared), s.Word, p.words(), 0
	proc, words := &cuLaunchKernel, 11
	if shape.Cooperative {
		proc, words = &cuLaunchCooperativeKernel, 10
	}
	err := c.InsideCall(&p.call, proc, words)
	runtime.KeepAlive(p)
	if err != nil {
		return cudaClassed(err)
	}
	return nil
}

func (c *cudaDevice) launchClusters(s driver.Object, f Function, shape *Config, p *Frame) error {
	if p.cuda == nil {
		p.cuda = new(cudaLaunch)
	}
	w := p.call.Words()
	w[0] = ccall.Ptr(unsafe.Pointer(p.cuda.set(s.Word, shape)))
	w[1], w[2], w[3] = f.Word, p.words(), 0
	err := c.InsideCall(&p.call, &cuLaunchKernelEx, 4)
	runtime.KeepAlive(p)
	if err != nil {
		return cudaClassed(err)
	}
	return nil
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

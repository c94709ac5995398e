package backend

import (
	"runtime"
	"sync"

	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/libs"
)

// The functions that are called here rather than through the bindings.
var (
	hipModuleLaunchKernel = dl.Proc{Lib: &libs.HIP, Symbol: "hipModuleLaunchKernel",
		Since: "5.2.3 or earlier"}
	hipModuleLaunchCooperativeKernel = dl.Proc{Lib: &libs.HIP,
		Symbol: "hipModuleLaunchCooperativeKernel", Since: "after 5.2.3, by 5.7.1"}
	hipGraphLaunch = dl.Proc{Lib: &libs.HIP, Symbol: "hipGraphLaunch", Since: "5.2.3 or earlier"}
)

// hipFrames are idle.
var hipFrames = sync.Pool{New: func() any { return new(Frame) }}

func (h *hipDevice) Frame() *Frame { return hipFrames.Get().(*Frame) }

func (h *hipDevice) PutFrame(p *Frame) {
	p.Reset()
	hipFrames.Put(p)
}

// Launch makes the device current, launches and restores the thread's own in one crossing into C.
func (h *hipDevice) Launch(s driver.Object, f Function, shape *Config, p *Frame) error {
	if shape.Cluster.X != 0 {
		return noClusters
	}
	w := p.call.Words()
	w[0] = f.Word
	w[1], w[2], w[3] = uintptr(shape.Grid.X), uintptr(shape.Grid.Y), uintptr(shape.Grid.Z)
	w[4], w[5], w[6] = uintptr(shape.Block.X), uintptr(shape.Block.Y), uintptr(shape.Block.Z)
	w[7], w[8], w[9], w[10] = uintptr(shape.Shared), s.Word, p.words(), 0
	proc, words := &hipModuleLaunchKernel, 11
	if shape.Cooperative {
		proc, words = &hipModuleLaunchCooperativeKernel, 10
	}
	err := h.InsideCall(&p.call, proc, words)
	runtime.KeepAlive(p)
	if err != nil {
		return hipClassed(err)
	}
	return nil
}

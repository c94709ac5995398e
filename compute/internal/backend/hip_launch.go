package backend

import (
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

// Launch refuses clusters, and launches that a capture would not record.
func (h *hipDevice) Launch(s driver.Object, f Function, shape *Config, p *Frame) error {
	if shape.Cluster.X != 0 {
		return noClusters
	}
	if err := h.mayLaunch(s, shape.Cooperative); err != nil {
		return err
	}
	return h.gpu.Launch(s, f, shape, p)
}

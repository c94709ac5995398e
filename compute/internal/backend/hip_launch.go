package backend

import (
	"fmt"

	"github.com/gpuevent/gpuevent/hip"
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

// mayLaunch refuses a launch on a stream that is captured, if the runtime would not record it.
// fact: amd-launch-not-captured, amd-cooperative-not-captured
func (h *hipDevice) mayLaunch(s driver.Object, cooperative bool) error {
	switch {
	case !cooperative && !h.info.Promises.Has(driver.CanCaptureLaunch):
		return h.unlessCaptured(s, "hipModuleLaunchKernel", "use ROCm 5.3 or later")
	case cooperative && h.info.Traits.CooperativeNotCaptured:
		return h.unlessCaptured(s, "hipModuleLaunchCooperativeKernel",
			"use ROCm 7.1 or later, or launch without Cooperative")
	}
	return nil
}

// unlessCaptured refuses a call that the runtime does not record in a capture. It would run at
// once, and the graph would lack it.
func (h *hipDevice) unlessCaptured(s driver.Object, call, remedy string) error {
	is, err := h.Capturing(s)
	if err != nil || !is {
		return err
	}
	release := "AMD's runtime"
	if v, err := hip.RuntimeVersion(); err == nil {
		release = fmt.Sprintf("HIP %d.%d", v.Major(), v.Minor())
	}
	return unsupported("%s does not capture %s: it would run at once, and the graph would lack it; %s",
		release, call, remedy)
}

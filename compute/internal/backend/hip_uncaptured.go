package backend

import (
	"fmt"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/driver"
)

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

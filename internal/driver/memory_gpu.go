package driver

import (
	"fmt"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

// Memory makes the primary context current, since the driver answers for the current one.
func (c *cudaDevice) Memory() (total, free uint64, err error) {
	if !cudrv.Has("cuMemGetInfo_v2") {
		return c.info.Memory, 0, lacksMemoryInfo("cuMemGetInfo_v2")
	}
	err = c.inside(func() error {
		f, t, err := cudrv.MemGetInfo()
		total, free = uint64(t), uint64(f)
		return cudaError("cuMemGetInfo", err)
	})
	return total, free, err
}

// Memory makes the device current, since the runtime answers for the current one.
func (h *hipDevice) Memory() (total, free uint64, err error) {
	if !hip.Has("hipMemGetInfo") {
		return h.info.Memory, 0, lacksMemoryInfo("hipMemGetInfo")
	}
	err = h.inside(func() error {
		f, t, err := hip.MemGetInfo()
		total, free = uint64(t), uint64(f)
		return hipError("hipMemGetInfo", err)
	})
	return total, free, err
}

// lacksMemoryInfo returns the error for a driver without a call for free memory.
func lacksMemoryInfo(symbol string) error {
	return &Refusal{ErrUnsupported, fmt.Sprintf(
		"this driver has no %s, so free memory is not known; update the driver", symbol)}
}

package driver

import (
	"fmt"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/dl"
)

// The functions of the HIP runtime that are called in visits.
var (
	hipGetDevice            = dl.Proc{Lib: &dl.HIP, Symbol: "hipGetDevice", Since: "5.2.3 or earlier"}
	hipSetDevice            = dl.Proc{Lib: &dl.HIP, Symbol: "hipSetDevice", Since: "5.2.3 or earlier"}
	hipEventCreateWithFlags = dl.Proc{Lib: &dl.HIP, Symbol: "hipEventCreateWithFlags",
		Since: "5.2.3 or earlier"}
	hipEventRecord = dl.Proc{Lib: &dl.HIP, Symbol: "hipEventRecord",
		Since: "5.2.3 or earlier"}
	hipEventRecordWithFlags = dl.Proc{Lib: &dl.HIP, Symbol: "hipEventRecordWithFlags",
		Since: "after 6.2, by 6.4.3"}
	hipStreamIsCapturing = dl.Proc{Lib: &dl.HIP, Symbol: "hipStreamIsCapturing",
		Since: "5.2.3 or earlier"}
	hipStreamQuery = dl.Proc{Lib: &dl.HIP, Symbol: "hipStreamQuery",
		Since: "5.2.3 or earlier"}
	hipStreamWaitEvent = dl.Proc{Lib: &dl.HIP, Symbol: "hipStreamWaitEvent",
		Since: "5.2.3 or earlier"}
)

var amd = vendor{
	lib: &dl.HIP,
	get: &hipGetDevice, set: &hipSetDevice,
	capturing: &hipStreamIsCapturing, record: &hipEventRecord,
	failed: hipError,
	result: func(code int32) error { return hip.Result(code) },
	stays: func(ours, theirs uintptr) string {
		return fmt.Sprintf("device %d is current on this thread now instead of %d; "+
			"set it with hip.SetDevice", ours, int32(theirs))
	},
}

// enter begins a visit with the device current.
func (h *hipDevice) enter(calls int) *visit { return amd.enter(uintptr(h.device), calls) }

// callInside makes one call with the device current.
func (h *hipDevice) callInside(p *dl.Proc, first, second, third uintptr) error {
	return h.enter(1).only(p, first, second, third)
}

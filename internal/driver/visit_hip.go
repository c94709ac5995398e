package driver

import (
	"fmt"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/libs"
)

// The functions of the HIP runtime that are called here rather than through the bindings: in
// visits, or with memory of our own.
var (
	hipGetDevice = dl.Proc{Lib: &libs.HIP, Symbol: "hipGetDevice",
		Since: "5.2.3 or earlier"}
	hipSetDevice = dl.Proc{Lib: &libs.HIP, Symbol: "hipSetDevice",
		Since: "5.2.3 or earlier"}
	hipEventCreateWithFlags = dl.Proc{Lib: &libs.HIP, Symbol: "hipEventCreateWithFlags",
		Since: "5.2.3 or earlier"}
	hipEventElapsedTime = dl.Proc{Lib: &libs.HIP, Symbol: "hipEventElapsedTime",
		Since: "5.2.3 or earlier"}
	hipEventRecord = dl.Proc{Lib: &libs.HIP, Symbol: "hipEventRecord",
		Since: "5.2.3 or earlier"}
	hipEventRecordWithFlags = dl.Proc{Lib: &libs.HIP, Symbol: "hipEventRecordWithFlags",
		Since: "after 6.2, by 6.4.3"}
	hipStreamIsCapturing = dl.Proc{Lib: &libs.HIP, Symbol: "hipStreamIsCapturing",
		Since: "5.2.3 or earlier"}
	hipStreamQuery = dl.Proc{Lib: &libs.HIP, Symbol: "hipStreamQuery",
		Since: "5.2.3 or earlier"}
	hipStreamWaitEvent = dl.Proc{Lib: &libs.HIP, Symbol: "hipStreamWaitEvent",
		Since: "5.2.3 or earlier"}
)

var amd = vendor{
	lib: &libs.HIP,
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
	return amd.inside(uintptr(h.device), p, first, second, third)
}

package driver

import (
	"fmt"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/libs"
)

// The functions of the CUDA driver that are called here rather than through the bindings: in
// visits, or with memory of our own.
var (
	cuCtxGetCurrent      = dl.Proc{Lib: &libs.CUDA, Symbol: "cuCtxGetCurrent", Since: "4.0"}
	cuCtxSetCurrent      = dl.Proc{Lib: &libs.CUDA, Symbol: "cuCtxSetCurrent", Since: "4.0"}
	cuEventCreate        = dl.Proc{Lib: &libs.CUDA, Symbol: "cuEventCreate", Since: "2.0"}
	cuEventElapsedTime   = dl.Proc{Lib: &libs.CUDA, Symbol: "cuEventElapsedTime", Since: "2.0"}
	cuEventElapsedTimeV2 = dl.Proc{Lib: &libs.CUDA, Symbol: "cuEventElapsedTime_v2",
		Since: "after 12.6, by 12.8"}
	cuEventRecord          = dl.Proc{Lib: &libs.CUDA, Symbol: "cuEventRecord", Since: "2.0"}
	cuEventRecordWithFlags = dl.Proc{Lib: &libs.CUDA, Symbol: "cuEventRecordWithFlags", Since: "11.1"}
	cuStreamIsCapturing    = dl.Proc{Lib: &libs.CUDA, Symbol: "cuStreamIsCapturing", Since: "10.0"}
	cuStreamQuery          = dl.Proc{Lib: &libs.CUDA, Symbol: "cuStreamQuery", Since: "2.0"}
	cuStreamWaitEvent      = dl.Proc{Lib: &libs.CUDA, Symbol: "cuStreamWaitEvent", Since: "3.2"}
)

var cuda = vendor{
	lib: &libs.CUDA,
	get: &cuCtxGetCurrent, set: &cuCtxSetCurrent,
	capturing: &cuStreamIsCapturing, record: &cuEventRecord,
	failed: cudaError,
	result: func(code int32) error { return cudrv.Result(code) },
	stays: func(ours, theirs uintptr) string {
		return fmt.Sprintf("context %#x is current on this thread now instead of %#x; "+
			"set it with cudrv.CtxSetCurrent", ours, theirs)
	},
}

// enter begins a visit with the device's context current.
func (c *cudaDevice) enter(calls int) (*visit, error) {
	ctx, err := c.retain()
	if err != nil {
		return nil, err
	}
	return cuda.enter(uintptr(ctx), calls), nil
}

// callInside makes one call with the device's context current.
func (c *cudaDevice) callInside(p *dl.Proc, first, second, third uintptr) error {
	ctx, err := c.retain()
	if err != nil {
		return err
	}
	return cuda.inside(uintptr(ctx), p, first, second, third)
}

package backend

import (
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// hipDevice is a device of the HIP runtime. Modules and memory belong to the device that was
// current when they were made.
type hipDevice struct {
	gpu
	device int32
}

func newHIP(d driver.GPU) *hipDevice {
	h := &hipDevice{gpu: gpu{GPU: d, api: &amd, info: d.Info()}, device: d.Native()}
	h.read = h.readLimits
	return h
}

var amd = api{launch: &hipModuleLaunchKernel, launchCooperative: &hipModuleLaunchCooperativeKernel,
	launchGraph: &hipGraphLaunch, failed: hipFailed, classed: hipClassed}

// hipClasses are the codes that callers distinguish.
var hipClasses = map[hip.Result]error{
	hip.ErrOutOfMemory:            ErrOutOfMemory,
	hip.ErrNotFound:               ErrNotFound,
	hip.ErrGraphExecUpdateFailure: ErrDiffers,
	hip.ErrInvalidImage:           ErrImage,
	hip.ErrNoBinaryForGpu:         ErrImage,
	hip.ErrInvalidKernelFile:      ErrImage,
	hip.ErrInvalidSource:          ErrImage,
}

// hipFailed returns the error of a call that failed; nil for nil.
func hipFailed(call string, err error) error {
	if err == nil {
		return nil
	}
	return hipClassed(driver.Failed(call, err))
}

// hipClassed adds what this package distinguishes to an error of package driver.
func hipClassed(err error) error {
	if refusal := lacks(err); refusal != nil {
		return refusal
	}
	if e, ok := err.(*driver.Error); ok && e.Class == nil {
		if code, ok := e.Code.(hip.Result); ok {
			e.Class = hipClasses[code]
		}
	}
	return err
}

// of returns another device of the same driver.
func (h *hipDevice) of(other Backend) (*hipDevice, error) {
	switch other := other.(type) {
	case *hipDevice:
		return other, nil
	case *cudaDevice:
		return nil, otherVendor(h.info, other.info)
	}
	return nil, otherVendor(h.info, &driver.Info{Label: "the other device"})
}

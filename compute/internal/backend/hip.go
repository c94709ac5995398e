package backend

import (
	"sync"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// hipDevice is a device of the HIP runtime. Modules and memory belong to the device that was
// current when they were made.
type hipDevice struct {
	driver.Insider
	device int32
	info   *driver.Info

	mu      sync.Mutex
	known   bool
	limits  Limits
	keeping bool // the pool keeps freed memory
}

func newHIP(d driver.Insider) *hipDevice {
	return &hipDevice{Insider: d, device: d.Native(), info: d.Info()}
}

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
	return hipClassed(driver.HIPError(call, err))
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

// inside makes a call with the device current.
func (h *hipDevice) inside(call string, f func() error) error {
	return h.Inside(func() error { return hipFailed(call, f()) })
}

// unsafely is inside for calls that a capture in progress on another thread would forbid, and that
// might spoil it. fact: gpu-alloc-heeds-captures
func (h *hipDevice) unsafely(call string, f func() error) (err error) {
	h.Relaxed(func() { err = h.inside(call, f) })
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

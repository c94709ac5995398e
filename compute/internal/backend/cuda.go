package backend

import (
	"sync"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// cudaDevice is a device of the CUDA driver. All that it makes belongs to the primary context.
type cudaDevice struct {
	driver.Insider
	device cudrv.Device
	info   *driver.Info

	mu      sync.Mutex
	known   bool
	limits  Limits
	keeping bool       // the pool keeps freed memory
	shared  sync.Mutex // held while a function's limit is raised
}

func newCUDA(d driver.Insider) *cudaDevice {
	return &cudaDevice{Insider: d, device: cudrv.Device(d.Native()), info: d.Info()}
}

// cudaClasses are the codes that callers distinguish.
var cudaClasses = map[cudrv.Result]error{
	cudrv.ErrOutOfMemory:            ErrOutOfMemory,
	cudrv.ErrNotFound:               ErrNotFound,
	cudrv.ErrGraphExecUpdateFailure: ErrDiffers,
	cudrv.ErrInvalidImage:           ErrImage,
	cudrv.ErrNoBinaryForGpu:         ErrImage,
	cudrv.ErrInvalidPtx:             ErrImage,
	cudrv.ErrUnsupportedPtxVersion:  ErrImage,
	cudrv.ErrInvalidSource:          ErrImage,
	cudrv.ErrJitCompilerNotFound:    ErrImage,
	cudrv.ErrJitCompilationDisabled: ErrImage,
}

// cudaFailed returns the error of a call that failed; nil for nil.
func cudaFailed(call string, err error) error {
	if err == nil {
		return nil
	}
	return cudaClassed(driver.CUDAError(call, err))
}

// cudaClassed adds what this package distinguishes to an error of package driver.
func cudaClassed(err error) error {
	if refusal := lacks(err); refusal != nil {
		return refusal
	}
	if e, ok := err.(*driver.Error); ok && e.Class == nil {
		if code, ok := e.Code.(cudrv.Result); ok {
			e.Class = cudaClasses[code]
		}
	}
	return err
}

// inside makes a call with the context current.
func (c *cudaDevice) inside(call string, f func() error) error {
	return c.Inside(func() error { return cudaFailed(call, f()) })
}

// unsafely is inside for calls that a capture in progress on another thread would forbid, and that
// might spoil it. fact: gpu-alloc-heeds-captures
func (c *cudaDevice) unsafely(call string, f func() error) (err error) {
	c.Relaxed(func() { err = c.inside(call, f) })
	return err
}

// end makes a call that ends an object, which would be lost if the context could not be entered:
// then it tries again. enter is inside or unsafely.
func (c *cudaDevice) end(enter func(string, func() error) error, call string,
	f func() error) error {
	return reached(func(was *bool) error {
		return enter(call, func() error { *was = true; return f() })
	})
}

// of returns another device of the same driver.
func (c *cudaDevice) of(other Backend) (*cudaDevice, error) {
	switch other := other.(type) {
	case *cudaDevice:
		return other, nil
	case *hipDevice:
		return nil, otherVendor(c.info, other.info)
	}
	return nil, otherVendor(c.info, &driver.Info{Label: "the other device"})
}

package backend

import (
	"sync"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// cudaDevice is a device of the CUDA driver. All that it makes belongs to the primary context.
type cudaDevice struct {
	gpu
	device cudrv.Device
	shared sync.Mutex // held while a function's limit is raised
}

func newCUDA(d driver.GPU) *cudaDevice {
	c := &cudaDevice{gpu: gpu{GPU: d, api: &nvidia, info: d.Info()}, device: cudrv.Device(d.Native())}
	c.read = c.readLimits
	return c
}

var nvidia = api{launch: &cuLaunchKernel, launchCooperative: &cuLaunchCooperativeKernel,
	launchGraph: &cuGraphLaunch, failed: cudaFailed, classed: cudaClassed}

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
	return cudaClassed(driver.Failed(call, err))
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

package backend

import (
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// Classes of failures that mean the same in all backends, for [errors.Is].
var (
	// ErrDiffers: an executable graph can't be made like another graph.
	ErrDiffers = errors.New("graphs differ")
	// ErrNotFound: an image has no kernel or variable of that name.
	ErrNotFound = errors.New("not found")
	// ErrOutOfMemory: there is not enough free memory.
	ErrOutOfMemory = errors.New("out of memory")
	// ErrImage: the driver can't load the image.
	ErrImage = errors.New("image not fit for the device")
	// ErrNoNode: the capture on a stream has not added exactly one node last.
	ErrNoNode = errors.New("no last node")
)

// instead is what to do without a function that a driver lacks.
var instead = map[string]string{
	"cuLaunchKernelEx":                 "launch without clusters",
	"cuLaunchCooperativeKernel":        "launch without Cooperative",
	"cuOccupancyMaxActiveClusters":     "launch without clusters",
	"cuMemAllocAsync":                  plain,
	"cuMemFreeAsync":                   plain,
	"cuDeviceGetDefaultMemPool":        plain,
	"cuMemPoolSetAttribute":            plain,
	"cuMemPoolTrimTo":                  plain,
	"cuMemPoolSetAccess":               plain,
	"cuGraphExecKernelNodeSetParams":   recapture,
	"cuGraphExecUpdate":                recapture,
	"hipModuleLaunchCooperativeKernel": "launch without Cooperative",
	"hipMallocAsync":                   plain,
	"hipFreeAsync":                     plain,
	"hipDeviceGetDefaultMemPool":       plain,
	"hipMemPoolSetAttribute":           plain,
	"hipMemPoolTrimTo":                 plain,
	"hipMemPoolSetAccess":              plain,
	"hipGraphExecKernelNodeSetParams":  recapture,
	"hipGraphExecUpdate":               recapture,
}

const (
	plain     = "allocate without a stream"
	recapture = "capture the graph again"
)

// lacks returns the refusal for a function that the driver lacks; nil for other errors.
func lacks(err error) error {
	var missing *dl.SymbolError
	if !errors.As(err, &missing) {
		return nil
	}
	lack, remedy := missing.Lack, ""
	if missing.Updatable {
		remedy = missing.Update
	}
	for _, add := range []string{instead[missing.Symbol]} {
		switch {
		case remedy == "":
			remedy = add
		case add != "":
			remedy += ", or " + add
		}
	}
	if remedy != "" {
		lack += "; " + remedy
	}
	return &driver.Refusal{Cause: driver.ErrUnsupported, Detail: lack}
}

// unsupported returns the refusal for what no release of a driver can do.
func unsupported(format string, args ...any) error {
	return &driver.Refusal{Cause: driver.ErrUnsupported, Detail: fmt.Sprintf(format, args...)}
}

// otherVendor returns the refusal for a pair of devices that no driver knows both of.
func otherVendor(a, b *driver.Info) error {
	return &driver.Refusal{Cause: driver.ErrDeviceMismatch, Detail: fmt.Sprintf(
		"%s and %s have different drivers; copy through the host", a.Label, b.Label)}
}

// isUnsupported reports whether the driver can't do what it was called for.
func isUnsupported(err error) bool { return errors.Is(err, driver.ErrUnsupported) }

// reached makes a call again that failed before the driver's function was called.
func reached(call func(was *bool) error) error {
	was := false
	err := call(&was)
	if err != nil && !was {
		err = call(&was)
	}
	return err
}

// FailedInCapture reports whether the end of a capture returned that the capture has failed: it was
// invalidated, or a stream was not joined. The driver then has ended it, or can't.
// fact: amd-failed-capture-stays
func FailedInCapture(err error) bool {
	for _, code := range []error{cudrv.ErrStreamCaptureInvalidated, cudrv.ErrStreamCaptureUnjoined,
		hip.ErrStreamCaptureInvalidated, hip.ErrStreamCaptureUnjoined} {
		if errors.Is(err, code) {
			return true
		}
	}
	return false
}

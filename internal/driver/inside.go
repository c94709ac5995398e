package driver

import "github.com/gpuevent/gpuevent/internal/dl"

// Insider is a device whose calls depend on what is current on the thread.
type Insider interface {
	Driver
	// Inside runs f, which must not panic, on a locked thread with the device's context or the
	// device current, and restores the thread's own.
	Inside(f func() error) error
	// InsideCall does so with one call, in one crossing into C. See [Call].
	InsideCall(x *Call, p *dl.Proc, words int) error
	// Native is the device's number in its driver: a CUdevice or the ordinal of a HIP device.
	Native() int32
}

// Inside makes the context of the device current.
func (c *cudaDevice) Inside(f func() error) error { return c.inside(f) }

// Inside makes the device current.
func (h *hipDevice) Inside(f func() error) error { return h.inside(f) }

// InsideCall makes the context of the device current.
func (c *cudaDevice) InsideCall(x *Call, p *dl.Proc, words int) error {
	ctx := c.primary.Load()
	if ctx == 0 {
		first, err := c.retainFirst()
		if err != nil {
			return err
		}
		ctx = uintptr(first)
	}
	return x.run(&cuda, ctx, p, words)
}

// InsideCall makes the device current.
func (h *hipDevice) InsideCall(x *Call, p *dl.Proc, words int) error {
	return x.run(&amd, uintptr(h.device), p, words)
}

// Native is the CUdevice.
func (c *cudaDevice) Native() int32 { return int32(c.device) }

// Native is the ordinal.
func (h *hipDevice) Native() int32 { return int32(h.device) }

// CUDAError names the call of the CUDA driver that failed, and its class; nil for nil.
func CUDAError(call string, err error) error { return cudaError(call, err) }

// HIPError names the call of the HIP runtime that failed, and its class; nil for nil.
func HIPError(call string, err error) error { return hipError(call, err) }

package computesoak

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
)

// Form Real runs on the devices that the machine has. It uses nothing of the simulator, also where
// a test has loaded that as the driver.

// ErrOpen says that a device under test can't be opened.
var ErrOpen = errors.New("the device is not available")

// ErrNoGate says that nothing can keep a device's streams busy, so that little would be pending.
var ErrNoGate = errors.New("the driver has no host functions that could keep a stream busy")

// LeftOut says what form Real does not do, and why.
func LeftOut() []string {
	return []string{
		"failing driver calls and lost devices: a driver can't be asked for them",
		"handles and memory left over: drivers don't count them; compute.UsageOf does",
	}
}

//go:embed kernels.ptx
var kernelsPTX string

//go:embed kernels.hip
var kernelsHIP string

// device opens a device under test.
func (w *world) device(name string) (*event.Device, error) {
	d, err := event.Open(name)
	switch {
	case w.Form != Real:
	case err != nil:
		err = fmt.Errorf("%s: %w: %w", name, ErrOpen, err)
	case !d.Capabilities().Has(event.CapHostFunc):
		err = fmt.Errorf("%s: %w", d, ErrNoGate)
	}
	return d, err
}

// loadReal loads the kernels on a GPU. PTX needs the driver only; AMD's source needs hipRTC, whose
// result is kept for the next time.
func (h *home) loadReal() (*compute.Module, error) {
	if h.device.Backend() == event.CUDA {
		return compute.Load(h.device, append([]byte(kernelsPTX), 0))
	}
	if h.device.Architecture() == "" { // of another vendor than AMD
		return compute.Compile(context.Background(), h.device, compute.Source{Text: kernelsHIP},
			compute.WithoutCache())
	}
	if h.code == nil {
		image, err := compute.CompileFor(context.Background(), h.device.Architecture(),
			compute.Source{Text: kernelsHIP}, compute.WithoutCache())
		if err != nil {
			return nil, err
		}
		h.code = image.Code
	}
	return compute.Load(h.device, h.code)
}

// mostShared is how much shared memory a launch on the device may ask for.
func (h *home) mostShared() int {
	a := h.device.Architecture()
	if strings.HasPrefix(a, "sm_5") || strings.HasPrefix(a, "sm_6") {
		return lessShared
	}
	return muchShared
}

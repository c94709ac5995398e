package backend

import (
	"fmt"

	"github.com/gpuevent/gpuevent/internal/driver"
)

// New returns the backend of a device. It makes no driver call.
func New(d driver.Driver) (Backend, error) {
	gpu, _ := d.(driver.GPU)
	switch name := d.Info().Backend; {
	case name == driver.CUDA && gpu != nil:
		return newCUDA(gpu), nil
	case name == driver.HIP && gpu != nil:
		return newHIP(gpu), nil
	case name == driver.Host:
		return NewHost(d), nil
	default:
		return nil, &driver.Refusal{Cause: driver.ErrUnsupported,
			Detail: fmt.Sprintf("devices of backend %s run no kernels", name)}
	}
}

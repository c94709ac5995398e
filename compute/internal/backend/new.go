package backend

import (
	"fmt"

	"github.com/gpuevent/gpuevent/internal/driver"
)

// New returns the backend of a device. It makes no driver call.
func New(d driver.Driver) (Backend, error) {
	inside, _ := d.(driver.Insider)
	switch name := d.Info().Backend; {
	case name == driver.CUDA && inside != nil:
		return newCUDA(inside), nil
	case name == driver.HIP && inside != nil:
		return newHIP(inside), nil
	case name == driver.Host:
		return NewHost(d), nil
	default:
		return nil, &driver.Refusal{Cause: driver.ErrUnsupported,
			Detail: fmt.Sprintf("devices of backend %s run no kernels", name)}
	}
}

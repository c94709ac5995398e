package event

import (
	"fmt"

	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/hooks"
)

func init() {
	hooks.NewDevice = func(d driver.Driver) any { return newDevice(d) }
	hooks.Retained = func(stream any) (any, bool) {
		retained := stream.(*Stream).keepalive()
		return retained, retained != nil
	}
	hooks.Failed = func(op string, object fmt.Stringer, device any, err error) error {
		// It may be about a copy between devices.
		return describe(op, object, about{device.(*Device), false, streamOf(object)}, err)
	}
	hooks.Report = report
}

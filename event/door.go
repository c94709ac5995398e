package event

import (
	"fmt"

	"github.com/gpuevent/gpuevent/internal/door"
	"github.com/gpuevent/gpuevent/internal/driver"
)

func init() {
	door.NewDevice = func(d driver.Driver) any { return newDevice(d) }
	door.Retained = func(stream any) (any, bool) {
		retained := stream.(*Stream).keepalive()
		return retained, retained != nil
	}
	door.Failed = func(op string, object fmt.Stringer, device any, err error) error {
		// It may be about a copy between devices.
		return describe(op, object, about{device.(*Device), false}, err)
	}
	door.Report = report
}

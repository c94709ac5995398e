package compute

import (
	"context"
	"errors"
	"strings"

	"github.com/gpuevent/gpuevent/internal/door"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// isLate reports whether the error of an ordered free may be that of earlier work on a device that
// goes on, so that the call itself had its effect. The free was not reached if another call failed.
func isLate(err error) bool {
	var d *driver.Error
	return errors.As(err, &d) && strings.HasSuffix(d.Call, "FreeAsync") &&
		driver.CodeClass(d.Code) == driver.ErrUnknown
}

// forever is the context of waits in the background.
var forever = context.Background()

// report passes a failure that no call can return to the handler of package event.
func report(err error) {
	if err != nil {
		door.Report(err)
	}
}

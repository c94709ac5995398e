package compute

import (
	"context"
	"errors"
	"strings"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/door"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// isSticky reports whether a driver returns this code from every call once it has occurred: the
// device, or the process's context on it, is lost. The numbers are the same for both vendors.
func isSticky(code error) bool {
	var n int32
	var nvidia cudrv.Result
	var amd hip.Result
	switch {
	case errors.As(code, &nvidia):
		n = int32(nvidia)
	case errors.As(code, &amd):
		n = int32(amd)
	}
	switch n {
	case 4, 214, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721:
		return true
	}
	return false
}

// isLate reports whether the error of an ordered free may be that of earlier work on a device that
// goes on, so that the call itself had its effect. The free was not reached if another call failed.
func isLate(err error) bool {
	var d *driver.Error
	return errors.As(err, &d) && strings.HasSuffix(d.Call, "FreeAsync") &&
		(errors.Is(d.Code, cudrv.ErrUnknown) || errors.Is(d.Code, hip.ErrUnknown))
}

// forever is the context of waits in the background.
var forever = context.Background()

// report passes a failure that no call can return to the handler of package event.
func report(err error) {
	if err != nil {
		door.Report(err)
	}
}

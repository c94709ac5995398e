package sim

import (
	"errors"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

// bare is the result code of a call's error, to be compared; any other error is itself.
func bare(err error) error {
	var cuda *cudrv.CallError
	var amd *hip.CallError
	switch {
	case errors.As(err, &cuda):
		return cuda.Result
	case errors.As(err, &amd):
		return amd.Result
	}
	return err
}

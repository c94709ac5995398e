//go:build !unix

package sim

import (
	"errors"
	"os"
)

func mapPage(*os.File) ([]byte, error) {
	return nil, errors.New("sim: processes share no events on this system")
}

func unmapPage([]byte) {}

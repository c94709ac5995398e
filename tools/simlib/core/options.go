//go:build cgo

package main

import (
	"os"
	"strconv"

	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// logLimit is how many of the latest calls the report has.
const logLimit = 1000

// options are those that the environment asks for.
func options() sim.Options {
	o := sim.Options{Log: reportPath() != "", LogLimit: logLimit}
	if n, err := strconv.Atoi(os.Getenv("GPUEVENT_SIM_DEVICES")); err == nil {
		if o.Devices = n; n == 0 {
			o.Devices = -1
		}
	}
	return o
}

package main

import (
	"fmt"

	"github.com/gpuevent/gpuevent/amdsmi"
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/hiprtc"
	"github.com/gpuevent/gpuevent/nccl"
	"github.com/gpuevent/gpuevent/nvml"
	"github.com/gpuevent/gpuevent/nvrtc"
	"github.com/gpuevent/gpuevent/rccl"
)

// versionOf asks a library for its release, by the counting of its headers; "" if it has none that
// orders releases.
var versionOf = map[string]func() (string, error){
	"cuda": func() (string, error) {
		v, err := cudrv.DriverVersion()
		return v.String(), err
	},
	"hip": func() (string, error) {
		v, err := hip.RuntimeVersion()
		return fmt.Sprintf("%d.%d", v.Major(), v.Minor()), err
	},
	"nvrtc":  func() (string, error) { return dotted(nvrtc.Version()) },
	"hiprtc": func() (string, error) { return "", hiprtc.Available() }, // all say the same
	"nvml":   func() (string, error) { return "", nil },                // counts drivers, not CUDA
	"nccl": func() (string, error) {
		v, err := nccl.LibraryVersion()
		return v.String(), err
	},
	"rccl": func() (string, error) {
		v, err := rccl.LibraryVersion()
		return v.String(), err
	},
	"amdsmi": func() (string, error) {
		v, err := amdsmi.GetLibVersion()
		return fmt.Sprintf("%d.%d", v.Major, v.Minor), err
	},
}

func dotted(major, minor int32, err error) (string, error) {
	return fmt.Sprintf("%d.%d", major, minor), err
}

// available reports why a library that is there has nothing to do.
var available = map[string]func() error{
	"cuda": cudrv.Available, "hip": hip.Available, "nvml": nvml.Available,
}

package main

import (
	"strconv"

	"github.com/gpuevent/gpuevent/hip"
)

// rocm shows the AMD side and returns the number of devices.
func rocm() int {
	heading("AMD (HIP runtime API of ROCm)")
	if err := hip.Load(); err != nil {
		missing(err)
		return 0
	}
	row("library", "%s", hip.Path())
	if v, err := hip.RuntimeVersion(); err != nil {
		problem("HIP runtime version", err)
	} else {
		row("runtime", "HIP %v", v)
	}
	if err := hip.Available(); err != nil {
		row("devices", "none: %v", err)
		return 0
	}
	n, err := hip.GetDeviceCount()
	problem("count HIP devices", err)
	for i := range n {
		hipDevice(i)
	}
	return int(n)
}

func hipDevice(ordinal int32) {
	name, err := hip.DeviceGetName(hip.Device(ordinal))
	problem("name of a HIP device", err)
	memory, err := hip.DeviceTotalMem(hip.Device(ordinal))
	problem("memory of a HIP device", err)
	architecture := "architecture unknown (ROCm 5)"
	if hip.Has("hipGetDevicePropertiesR0600") {
		properties, err := hip.GetDeviceProperties(ordinal)
		problem("properties of a HIP device", err)
		architecture = properties.GcnArchNameString()
	}
	row("hip:"+itoa(ordinal), "%s, %s, %s", name, size(uint64(memory)), architecture)
}

func itoa(i int32) string { return strconv.Itoa(int(i)) }

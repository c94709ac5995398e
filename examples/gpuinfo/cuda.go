package main

import "github.com/gpuevent/gpuevent/cudrv"

// cuda shows the NVIDIA side and returns the number of devices.
func cuda() int {
	heading("NVIDIA (CUDA driver API)")
	if err := cudrv.Load(); err != nil {
		missing(err)
		return 0
	}
	row("library", "%s", cudrv.Path())
	if v, err := cudrv.DriverVersion(); err != nil {
		problem("CUDA driver version", err)
	} else {
		row("driver", "supports CUDA up to %v", v)
	}
	if err := cudrv.Available(); err != nil {
		row("devices", "none: %v", err)
		return 0
	}
	n, err := cudrv.DeviceGetCount()
	problem("count CUDA devices", err)
	for i := range n {
		cudaDevice(i)
	}
	return int(n)
}

func cudaDevice(ordinal int32) {
	device, err := cudrv.DeviceGet(ordinal)
	if err != nil {
		problem("open CUDA device", err)
		return
	}
	name, err := cudrv.DeviceGetName(device)
	problem("name of a CUDA device", err)
	memory, err := cudrv.DeviceTotalMem(device)
	problem("memory of a CUDA device", err)
	major, err := cudrv.DeviceGetAttribute(cudrv.DeviceAttributeComputeCapabilityMajor, device)
	problem("architecture of a CUDA device", err)
	minor, err := cudrv.DeviceGetAttribute(cudrv.DeviceAttributeComputeCapabilityMinor, device)
	problem("architecture of a CUDA device", err)
	row("cuda:"+itoa(ordinal), "%s, %s, sm_%d%d", name, size(uint64(memory)), major, minor)
}

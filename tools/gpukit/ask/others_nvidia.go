package main

import (
	"fmt"

	"github.com/gpuevent/gpuevent/nvml"
	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

func othersOnNVIDIA() (all []report.Other, err error) {
	if err := nvml.Init(); err != nil {
		return nil, err
	}
	defer func() { _ = nvml.Shutdown() }()
	n, err := nvml.DeviceGetCount()
	if err != nil {
		return nil, err
	}
	for i := range n {
		device, err := nvml.DeviceGetHandleByIndex(i)
		if err != nil {
			continue // lost, or not ours to use
		}
		place, err := nvml.DeviceGetPciInfo(device)
		if err != nil {
			continue
		}
		o := report.Other{Device: busID(place.Domain, place.Bus, place.Device)}
		pids := map[uint32]bool{}
		for _, list := range []func(nvml.Device, *uint32, *nvml.ProcessInfo) error{
			nvml.DeviceGetComputeRunningProcesses, nvml.DeviceGetGraphicsRunningProcesses} {
			infos, _ := nvml.List(func(n *uint32, first *nvml.ProcessInfo) error {
				return list(device, n, first)
			})
			for _, info := range infos {
				pids[info.Pid] = true
			}
		}
		o.Processes = len(pids)
		if m, err := nvml.DeviceGetMemoryInfo(device); err == nil {
			o.Memory = m.Used
		}
		if u, err := nvml.DeviceGetUtilizationRates(device); err == nil {
			o.Busy = min(int(u.Gpu), 100)
		}
		all = append(all, o)
	}
	return all, nil
}

// busID is a place on the bus as package event writes it.
func busID[N uint32 | uint64](domain, bus, device N) string {
	return fmt.Sprintf("%04x:%02x:%02x.0", domain, bus, device)
}

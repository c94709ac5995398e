package main

import (
	"math"

	"github.com/gpuevent/gpuevent/amdsmi"
	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

func othersOnAMD() (all []report.Other, err error) {
	if err := amdsmi.Init(amdsmi.InitAmdGpus); err != nil {
		return nil, err
	}
	defer func() { _ = amdsmi.ShutDown() }()
	sockets, err := listOf(amdsmi.GetSocketHandles)
	if err != nil {
		return nil, err
	}
	for _, socket := range sockets {
		gpus, err := listOf(func(n *uint32, first *amdsmi.ProcessorHandle) error {
			return amdsmi.GetProcessorHandles(socket, n, first)
		})
		if err != nil {
			return nil, err
		}
		for _, gpu := range gpus {
			place, err := amdsmi.GetGpuDeviceBdf(gpu)
			if err != nil {
				return nil, err
			}
			o := report.Other{Device: busID(place.DomainNumber(), place.BusNumber(), place.DeviceNumber())}
			processes, _ := listOf(func(n *uint32, first *amdsmi.ProcInfo) error {
				return amdsmi.GetGpuProcessList(gpu, n, first)
			})
			o.Processes = len(processes)
			if m, err := amdsmi.GetGpuVramUsage(gpu); err == nil && m.VramUsed != math.MaxUint32 {
				o.Memory = uint64(m.VramUsed) << 20
			}
			if a, err := amdsmi.GetGpuActivity(gpu); err == nil && a.GfxActivity <= 100 {
				o.Busy = int(a.GfxActivity)
			}
			all = append(all, o)
		}
	}
	return all, nil
}

// listOf asks for the length of a list and then for the list.
func listOf[T any](fill func(*uint32, *T) error) ([]T, error) {
	var n uint32
	if err := fill(&n, nil); err != nil || n == 0 {
		return nil, err
	}
	list := make([]T, n+n/4) // more may come before the next call
	n = uint32(len(list))
	err := fill(&n, &list[0])
	return list[:min(int(n), len(list))], err
}

package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gpuevent/gpuevent/nvml"
)

// nvmlGPUs reads NVIDIA's GPUs through NVML.
type nvmlGPUs struct{}

// nvidia opens NVML.
func nvidia() (vendor, error) {
	if err := nvml.Init(); err != nil {
		return nil, fmt.Errorf("NVIDIA: %w", err)
	}
	return nvmlGPUs{}, nil
}

func (nvmlGPUs) close() { _ = nvml.Shutdown() }

func (nvmlGPUs) read() ([]gpu, error) {
	n, err := nvml.DeviceGetCount()
	if err != nil {
		return nil, err
	}
	var gpus []gpu
	for i := range n {
		device, err := nvml.DeviceGetHandleByIndex(i)
		switch {
		case errors.Is(err, nvml.ErrNoPermission), errors.Is(err, nvml.ErrGpuIsLost):
			gpus = append(gpus, gpu{err.Error(), absent, absent, absent, absent, absent, absent, nil})
			continue
		case err != nil:
			return nil, err
		}
		gpus = append(gpus, nvmlGPU(device))
	}
	return gpus, nil
}

// nvmlGPU reads one device. What it does not support is absent.
func nvmlGPU(device nvml.Device) gpu {
	g := gpu{utilization: absent, memoryUsed: absent, memoryTotal: absent, temperature: absent}
	g.name, _ = nvml.DeviceGetName(device)
	if u, err := nvml.DeviceGetUtilizationRates(device); err == nil {
		g.utilization = int64(u.Gpu)
	}
	if m, err := nvml.DeviceGetMemoryInfo(device); err == nil {
		g.memoryUsed, g.memoryTotal = int64(m.Used), int64(m.Total)
	}
	if t, err := temperature(device); err == nil {
		g.temperature = int64(t)
	}
	g.power = number(nvml.DeviceGetPowerUsage(device))
	g.powerLimit = number(nvml.DeviceGetEnforcedPowerLimit(device))
	g.processes = processes(device)
	return g
}

// number is a reading, or absent.
func number(v uint32, err error) int64 {
	if err != nil {
		return absent
	}
	return int64(v)
}

// temperature asks in the way that the driver knows.
func temperature(device nvml.Device) (int32, error) {
	t := nvml.NewTemperatureV1()
	t.SensorType = nvml.TemperatureGpu
	err := nvml.DeviceGetTemperatureV(device, &t)
	if errors.Is(err, nvml.ErrSymbolNotFound) {
		//lint:ignore SA1019 the only one in drivers before R570
		old, err := nvml.DeviceGetTemperature(device, nvml.TemperatureGpu)
		return int32(old), err
	}
	return t.Temperature, err
}

// processes lists the processes that compute or draw on a device, those with the most memory first.
func processes(device nvml.Device) []process {
	var all []process
	for _, list := range []func(nvml.Device, *uint32, *nvml.ProcessInfo) error{
		nvml.DeviceGetComputeRunningProcesses, nvml.DeviceGetGraphicsRunningProcesses} {
		infos, err := nvml.List(func(n *uint32, first *nvml.ProcessInfo) error {
			return list(device, n, first)
		})
		if err != nil {
			continue
		}
		for _, info := range infos {
			if slices.ContainsFunc(all, func(p process) bool { return p.pid == info.Pid }) {
				continue // it does both
			}
			p := process{pid: info.Pid, memory: absent}
			if info.UsedGpuMemory <= math.MaxInt64 { // all ones if it is not known
				p.memory = int64(info.UsedGpuMemory)
			}
			p.name, _ = nvml.SystemGetProcessName(info.Pid)
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b process) int { return cmp.Compare(b.memory, a.memory) })
	return all
}

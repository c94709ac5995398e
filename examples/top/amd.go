package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gpuevent/gpuevent/amdsmi"
)

// amdGPUs reads AMD's GPUs through AMD SMI.
type amdGPUs struct{ handles []amdsmi.ProcessorHandle }

// amd opens AMD SMI and finds the GPUs. Their handles are valid until it is closed.
func amd() (vendor, error) {
	if err := amdsmi.Init(amdsmi.InitAmdGpus); err != nil {
		return nil, fmt.Errorf("AMD: %w", err)
	}
	g := &amdGPUs{}
	sockets, err := listOf(amdsmi.GetSocketHandles)
	for i := 0; i < len(sockets) && err == nil; i++ {
		var found []amdsmi.ProcessorHandle
		found, err = listOf(func(n *uint32, first *amdsmi.ProcessorHandle) error {
			return amdsmi.GetProcessorHandles(sockets[i], n, first)
		})
		g.handles = append(g.handles, found...)
	}
	if err == nil && len(g.handles) == 0 {
		err = errors.New("AMD SMI finds no GPU")
	}
	if err != nil {
		g.close()
		return nil, fmt.Errorf("AMD: %w", err)
	}
	return g, nil
}

// listOf asks for the length of a list and then for the list.
func listOf[T any](fill func(*uint32, *T) error) ([]T, error) {
	var n uint32
	if err := fill(&n, nil); err != nil || n == 0 {
		return nil, err
	}
	list := make([]T, n+n/4) // some room: more may come before the next call
	n = uint32(len(list))
	err := fill(&n, &list[0])
	return list[:min(int(n), len(list))], err
}

func (*amdGPUs) close() { _ = amdsmi.ShutDown() }

func (g *amdGPUs) read() ([]gpu, error) {
	var gpus []gpu
	for _, h := range g.handles {
		gpus = append(gpus, amdGPU(h))
	}
	return gpus, nil
}

// amdGPU reads one GPU. What it does not support is absent.
func amdGPU(h amdsmi.ProcessorHandle) gpu {
	g := gpu{utilization: absent, memoryUsed: absent, memoryTotal: absent, temperature: absent,
		power: absent, powerLimit: absent}
	if chip, err := amdsmi.GetGpuAsicInfo(h); err == nil {
		g.name = chip.MarketNameString()
	}
	if use, err := amdsmi.GetGpuActivity(h); err == nil {
		g.utilization = known(uint64(use.GfxActivity), 1)
	}
	if m, err := amdsmi.GetGpuVramUsage(h); err == nil {
		g.memoryUsed, g.memoryTotal = known(uint64(m.VramUsed), 1<<20), known(uint64(m.VramTotal), 1<<20)
	}
	for _, sensor := range []amdsmi.TemperatureType{amdsmi.TemperatureTypeHotspot,
		amdsmi.TemperatureTypeEdge} {
		t, err := amdsmi.GetTempMetric(h, sensor, amdsmi.TempCurrent)
		if err == nil {
			g.temperature = t
			break
		}
	}
	if p, err := amdsmi.GetPowerInfo(h); err == nil {
		g.power = known(p.SocketPower, 1000)
	}
	if c, err := amdsmi.GetPowerCapInfo(h, 0); err == nil {
		if g.powerLimit = known(c.PowerCap, 1); g.powerLimit != absent {
			g.powerLimit /= 1000 // from microwatts
		}
	}
	g.processes = amdProcesses(h)
	return g
}

// known is a number times a factor, or absent where all of its bits are set.
func known(n, factor uint64) int64 {
	if n == math.MaxUint16 || n == math.MaxUint32 || n > math.MaxInt64/factor {
		return absent
	}
	return int64(n * factor)
}

// amdProcesses lists the processes that use a GPU, those with the most memory first.
func amdProcesses(h amdsmi.ProcessorHandle) []process {
	infos, err := listOf(func(n *uint32, first *amdsmi.ProcInfo) error {
		return amdsmi.GetGpuProcessList(h, n, first)
	})
	if err != nil {
		return nil
	}
	var all []process
	for i := range infos {
		p := &infos[i]
		all = append(all, process{uint32(p.Pid), known(p.MemoryUsage.VramMem, 1), p.NameString()})
	}
	slices.SortStableFunc(all, func(a, b process) int { return cmp.Compare(b.memory, a.memory) })
	return all
}

package main

import (
	"os"
	"strings"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// devices are those of the machine, the host last.
func devices() (all []report.Listed) {
	for _, d := range event.Devices() {
		x := report.Device{Name: d.String(), Backend: string(d.Backend()), Model: d.Name(),
			Architecture: d.Architecture()}
		switch d.Backend() {
		case event.CUDA:
			if v, err := cudrv.DriverVersion(); err == nil {
				x.Driver = report.Driver{API: "CUDA " + v.String(), Kernel: nvidiaKernel()}
			}
			if h, err := cudrv.DeviceGet(int32(d.Ordinal())); err == nil {
				n, _ := cudrv.DeviceTotalMem(h)
				x.Memory = uint64(n)
			}
		case event.HIP:
			if v, err := hip.RuntimeVersion(); err == nil {
				x.Driver = report.Driver{API: "HIP " + v.String(), Kernel: amdKernel()}
			}
			n, _ := hip.DeviceTotalMem(hip.Device(d.Ordinal()))
			x.Memory = uint64(n)
		}
		if x.Model == "" {
			x.Model = "unnamed"
		}
		x.Simulated = strings.HasPrefix(x.Model, "Simulated ")
		all = append(all, report.Listed{Device: x, Bus: d.PCIBusID()})
	}
	return all
}

// nvidiaKernel is the version of NVIDIA's kernel module; "" if there is none.
func nvidiaKernel() string { return firstLine("/sys/module/nvidia/version") }

// amdKernel is that of AMD's, where it does not come with the kernel itself.
func amdKernel() string { return firstLine("/sys/module/amdgpu/version") }

func firstLine(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}

package event

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/gpuevent/gpuevent/hip"
)

// openHIP finds the devices of the HIP runtime.
func openHIP() ([]*Device, error) {
	n, err := hip.GetDeviceCount()
	if err != nil {
		return nil, hipError("hipGetDeviceCount", err)
	}
	if n == 0 {
		return nil, hip.ErrNoDevice
	}
	var ds []*Device
	for i := range n {
		h := &hipDevice{device: hip.Device(i)}
		if err := h.describe(int(i)); err != nil {
			return nil, fmt.Errorf("describe device hip:%d: %w", i, err)
		}
		ds = append(ds, newDevice(h, streamHandle{}))
	}
	return ds, nil
}

// describe fills in what is known once and for all.
func (h *hipDevice) describe(ordinal int) (err error) {
	h.backend, h.ordinal, h.label = HIP, ordinal, fmt.Sprintf("hip[%d]", ordinal)
	if h.name, err = hip.DeviceGetName(h.device); err != nil {
		return hipError("hipDeviceGetName", err)
	}
	memory, err := hip.DeviceTotalMem(h.device)
	if err != nil {
		return hipError("hipDeviceTotalMem", err)
	}
	h.memory = uint64(memory)
	if h.pci, err = hip.DeviceGetPCIBusId(int32(ordinal)); err != nil {
		return hipError("hipDeviceGetPCIBusId", err)
	}
	if uuid, err := hip.DeviceGetUuid(h.device); err == nil { // an old runtime may not tell
		h.uuid = uuid.Bytes
	}
	h.architecture = hipArchitecture(int32(ordinal))
	h.capabilities = CapTiming | CapCapture
	if hip.Has("hipLaunchHostFunc") {
		h.capabilities |= CapHostFunc
	}
	values, err := hip.DeviceGetAttribute(hip.DeviceAttributeCanUseStreamWaitValue, int32(ordinal))
	if err == nil && values != 0 && hip.Has("hipStreamWaitValue64") { // an old runtime may not know the attribute
		h.capabilities |= CapWaitValue
	}
	if runtime.GOOS == "linux" && hip.Has("hipIpcGetEventHandle") {
		h.capabilities |= CapIPC
	}
	return nil
}

// hipArchitecture returns "gfx90a" of "gfx90a:sramecc+:xnack-"; "" on ROCm 5, which has an older layout of the properties.
func hipArchitecture(ordinal int32) string {
	p, err := hip.GetDeviceProperties(ordinal)
	if err != nil {
		return ""
	}
	name, _, _ := strings.Cut(p.GcnArchNameString(), ":")
	return name
}

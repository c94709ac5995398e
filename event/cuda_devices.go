package event

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/gpuevent/gpuevent/cudrv"
)

// openCUDA finds the devices of the CUDA driver. It wakes none of them up.
func openCUDA() ([]*Device, error) {
	if err := cudrv.Init(0); err != nil {
		return nil, cudaError("cuInit", err)
	}
	n, err := cudrv.DeviceGetCount()
	if err != nil {
		return nil, cudaError("cuDeviceGetCount", err)
	}
	if n == 0 {
		return nil, cudrv.ErrNoDevice
	}
	var ds []*Device
	for i := range n {
		c := &cudaDevice{}
		if err := c.describe(int(i)); err != nil {
			return nil, fmt.Errorf("describe device cuda:%d: %w", i, err)
		}
		ds = append(ds, newDevice(c, streamHandle{}))
	}
	return ds, nil
}

// describe fills in what is known once and for all.
func (c *cudaDevice) describe(ordinal int) (err error) {
	c.backend, c.ordinal, c.label = CUDA, ordinal, fmt.Sprintf("cuda[%d]", ordinal)
	if c.device, err = cudrv.DeviceGet(int32(ordinal)); err != nil {
		return cudaError("cuDeviceGet", err)
	}
	if c.name, err = cudrv.DeviceGetName(c.device); err != nil {
		return cudaError("cuDeviceGetName", err)
	}
	memory, err := cudrv.DeviceTotalMem(c.device)
	if err != nil {
		return cudaError("cuDeviceTotalMem", err)
	}
	c.memory = uint64(memory)
	if c.pci, err = cudrv.DeviceGetPCIBusId(c.device); err != nil {
		return cudaError("cuDeviceGetPCIBusId", err)
	}
	if uuid, err := cudrv.DeviceGetUuid(c.device); err == nil { // an old driver may not tell
		c.uuid = uuid.Bytes
	}
	major, err := c.attribute(cudrv.DeviceAttributeComputeCapabilityMajor, 0)
	if err != nil {
		return err
	}
	minor, err := c.attribute(cudrv.DeviceAttributeComputeCapabilityMinor, 0)
	if err != nil {
		return err
	}
	c.architecture = fmt.Sprintf("sm_%d%d", major, minor)
	c.elapsedTime = cudrv.EventElapsedTime
	if cudrv.Has("cuEventElapsedTime_v2") {
		c.elapsedTime = cudrv.EventElapsedTimeV2
	}
	c.capabilities, err = c.abilities()
	return err
}

// attribute reads an attribute, which is unknown to a driver older than it.
func (c *cudaDevice) attribute(a cudrv.DeviceAttribute, unknown int32) (int32, error) {
	v, err := cudrv.DeviceGetAttribute(a, c.device)
	if errors.Is(err, cudrv.ErrInvalidValue) {
		return unknown, nil
	}
	return v, cudaError("cuDeviceGetAttribute", err)
}

func (c *cudaDevice) abilities() (Capability, error) {
	can := CapTiming | CapCapture
	if cudrv.Has("cuLaunchHostFunc") {
		can |= CapHostFunc
	}
	if cudrv.Has("cuEventRecordWithFlags") {
		can |= CapExternal
	}
	values, err := c.attribute(cudrv.DeviceAttributeCanUse64BitStreamMemOps, 0)
	if err != nil {
		return 0, err
	}
	if values != 0 && cudrv.Has("cuStreamWaitValue64_v2") {
		can |= CapWaitValue
	}
	ipc, err := c.attribute(cudrv.DeviceAttributeIpcEventSupported, 1)
	if err != nil {
		return 0, err
	}
	if ipc != 0 && runtime.GOOS == "linux" && cudrv.Has("cuIpcGetEventHandle") {
		can |= CapIPC
	}
	return can, nil
}

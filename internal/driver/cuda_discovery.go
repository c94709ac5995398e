package driver

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/gpuevent/gpuevent/cudrv"
)

// OpenCUDA finds the devices of the CUDA driver, without making a context on any.
func OpenCUDA() ([]Driver, error) {
	if err := cudrv.Init(0); err != nil {
		return nil, Failed("cuInit", err)
	}
	n, err := cudrv.DeviceGetCount()
	if err != nil {
		return nil, Failed("cuDeviceGetCount", err)
	}
	if n == 0 {
		return nil, cudrv.ErrNoDevice
	}
	return OpenCUDADevices(0, int(n))
}

// OpenCUDADevices finds n devices of the CUDA driver, which is initialized, beginning with number
// first. They are numbered from 0, whatever their numbers in the driver.
func OpenCUDADevices(first, n int) ([]Driver, error) {
	return openDevices(&cuda, n, func(i int) (Driver, *gpu, error) {
		c := new(cudaDevice)
		c.words.alloc = c.allocWords
		return c, &c.gpu, c.describe(first + i)
	})
}

// describe fills in what never changes.
func (c *cudaDevice) describe(ordinal int) (err error) {
	i := &c.info
	i.Backend = CUDA
	device, err := cudrv.DeviceGet(int32(ordinal))
	if err != nil {
		return Failed("cuDeviceGet", err)
	}
	c.number = int32(device)
	if i.Name, err = cudrv.DeviceGetName(device); err != nil {
		return Failed("cuDeviceGetName", err)
	}
	memory, err := cudrv.DeviceTotalMem(device)
	if err != nil {
		return Failed("cuDeviceTotalMem", err)
	}
	i.Memory = uint64(memory)
	if i.PCI, err = cudrv.DeviceGetPCIBusId(device); err != nil {
		return Failed("cuDeviceGetPCIBusId", err)
	}
	if uuid, err := cudrv.DeviceGetUuid(device); err == nil { // missing in old drivers
		i.UUID = uuid.Bytes
	}
	major, err := c.attribute(cudrv.DeviceAttributeComputeCapabilityMajor, 0)
	if err != nil {
		return err
	}
	minor, err := c.attribute(cudrv.DeviceAttributeComputeCapabilityMinor, 0)
	if err != nil {
		return err
	}
	i.Architecture = fmt.Sprintf("sm_%d%d", major, minor)
	c.elapsed = eventElapsed
	if cudrv.Has(cuda.calls[eventElapsedV2].Symbol) {
		c.elapsed = eventElapsedV2
	}
	i.Promises, err = c.abilities()
	return err
}

// attribute reads an attribute. It returns unknown if the driver is too old to know it.
func (c *cudaDevice) attribute(a cudrv.DeviceAttribute, unknown int32) (int32, error) {
	v, err := cudrv.DeviceGetAttribute(a, cudrv.Device(c.number))
	if errors.Is(err, cudrv.ErrInvalidValue) {
		return unknown, nil
	}
	return v, Failed("cuDeviceGetAttribute", err)
}

func (c *cudaDevice) abilities() (Can, error) {
	can := CanTime | CanCapture | CanCaptureLaunch
	if cudrv.Has("cuLaunchHostFunc") {
		can |= CanHostFunc
	}
	if cudrv.Has("cuEventRecordWithFlags") {
		can |= CanRecordExternal
	}
	values, err := c.attribute(cudrv.DeviceAttributeCanUse64BitStreamMemOps, 0)
	if err != nil {
		return 0, err
	}
	if values != 0 && cudrv.Has("cuStreamWaitValue64_v2") {
		can |= CanWaitValue
	}
	ipc, err := c.attribute(cudrv.DeviceAttributeIpcEventSupported, 1)
	if err != nil {
		return 0, err
	}
	if ipc != 0 && runtime.GOOS == "linux" && cudrv.Has("cuIpcGetEventHandle") {
		can |= CanShare
	}
	return can, nil
}

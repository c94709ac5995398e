package driver

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/libs"
)

// OpenCUDA finds the devices of the CUDA driver, without making a context on any.
func OpenCUDA() ([]Driver, error) {
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
	return OpenCUDADevices(0, int(n))
}

// OpenCUDADevices finds n devices of the CUDA driver, which is initialized, beginning with number
// first. They are numbered from 0, whatever their numbers in the driver.
func OpenCUDADevices(first, n int) ([]Driver, error) {
	var ds []Driver
	for i := range n {
		c := &cudaDevice{generation: libs.CUDA.Generation()}
		if err := c.describe(first + i); err != nil {
			return nil, fmt.Errorf("describe device cuda:%d: %w", i, err)
		}
		c.info.number(i)
		c.polling = newPolling(relaxCaptureCUDA)
		c.words.alloc = c.allocWords
		ds = append(ds, c)
	}
	return ds, nil
}

func (c *cudaDevice) Info() *Info { return &c.info }

// describe fills in what never changes.
func (c *cudaDevice) describe(ordinal int) (err error) {
	i := &c.info
	i.Backend = CUDA
	if c.device, err = cudrv.DeviceGet(int32(ordinal)); err != nil {
		return cudaError("cuDeviceGet", err)
	}
	if i.Name, err = cudrv.DeviceGetName(c.device); err != nil {
		return cudaError("cuDeviceGetName", err)
	}
	memory, err := cudrv.DeviceTotalMem(c.device)
	if err != nil {
		return cudaError("cuDeviceTotalMem", err)
	}
	i.Memory = uint64(memory)
	if i.PCI, err = cudrv.DeviceGetPCIBusId(c.device); err != nil {
		return cudaError("cuDeviceGetPCIBusId", err)
	}
	if uuid, err := cudrv.DeviceGetUuid(c.device); err == nil { // missing in old drivers
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
	c.elapsedTime = &cuEventElapsedTime
	if cudrv.Has(cuEventElapsedTimeV2.Symbol) {
		c.elapsedTime = &cuEventElapsedTimeV2
	}
	i.Promises, err = c.abilities()
	return err
}

// attribute reads an attribute. It returns unknown if the driver is too old to know it.
func (c *cudaDevice) attribute(a cudrv.DeviceAttribute, unknown int32) (int32, error) {
	v, err := cudrv.DeviceGetAttribute(a, c.device)
	if errors.Is(err, cudrv.ErrInvalidValue) {
		return unknown, nil
	}
	return v, cudaError("cuDeviceGetAttribute", err)
}

func (c *cudaDevice) abilities() (Can, error) {
	can := CanTime | CanCapture
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

package nvml_test

import (
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/nvml"
)

// A program that lists the devices of the machine, and runs on one without any.
func Example() {
	if err := nvml.Init(); err != nil {
		fmt.Println("no NVIDIA GPU here:", err)
		return
	}
	defer nvml.Shutdown()
	n, err := nvml.DeviceGetCount()
	for i := uint32(0); i < n && err == nil; i++ {
		var dev nvml.Device
		if dev, err = nvml.DeviceGetHandleByIndex(i); err == nil {
			name, _ := nvml.DeviceGetName(dev)
			fmt.Println(i, name)
		}
	}
}

// How much of the last second or less kernels ran, and memory was read or written.
func ExampleDeviceGetUtilizationRates() {
	dev, err := nvml.DeviceGetHandleByIndex(0) // after Init
	if err != nil {
		fmt.Println(err)
		return
	}
	use, err := nvml.DeviceGetUtilizationRates(dev)
	if errors.Is(err, nvml.ErrNotSupported) {
		return // in MIG mode there are no such rates
	}
	fmt.Printf("GPU %d%%, memory %d%%, %v\n", use.Gpu, use.Memory, err)
}

// A struct with a version is made by its constructor.
func ExampleDeviceGetMemoryInfoV2() {
	dev, err := nvml.DeviceGetHandleByIndex(0) // after Init
	if err != nil {
		fmt.Println(err)
		return
	}
	mem := nvml.NewMemoryV2()
	if err := nvml.DeviceGetMemoryInfoV2(dev, &mem); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d of %d MiB, %d reserved\n", mem.Used>>20, mem.Total>>20, mem.Reserved>>20)
}

// Which sensor to read is a member of the struct, too.
func ExampleDeviceGetTemperatureV() {
	dev, err := nvml.DeviceGetHandleByIndex(0) // after Init
	if err != nil {
		fmt.Println(err)
		return
	}
	t := nvml.NewTemperatureV1()
	t.SensorType = nvml.TemperatureGpu
	if err := nvml.DeviceGetTemperatureV(dev, &t); err != nil {
		fmt.Println(err) // ErrSymbolNotFound with a driver that is older than CUDA 12.8
		return
	}
	fmt.Println(t.Temperature, "degrees Celsius")
}

// Power is in milliwatts.
func ExampleDeviceGetPowerUsage() {
	dev, err := nvml.DeviceGetHandleByIndex(0) // after Init
	if err != nil {
		fmt.Println(err)
		return
	}
	power, err := nvml.DeviceGetPowerUsage(dev)
	if err != nil {
		fmt.Println(err)
		return
	}
	limit, err := nvml.DeviceGetEnforcedPowerLimit(dev)
	fmt.Printf("%d W of %d W, %v\n", power/1000, limit/1000, err)
}

// The processes that compute on a device, and how much of its memory each uses.
func ExampleList() {
	dev, err := nvml.DeviceGetHandleByIndex(0) // after Init
	if err != nil {
		fmt.Println(err)
		return
	}
	procs, err := nvml.List(func(n *uint32, first *nvml.ProcessInfo) error {
		return nvml.DeviceGetComputeRunningProcesses(dev, n, first)
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range procs {
		name, _ := nvml.SystemGetProcessName(p.Pid)
		fmt.Println(p.Pid, name, p.UsedGpuMemory>>20, "MiB")
	}
}

// Several values in one call. Each says whether it was read, and of which type it is.
func ExampleDeviceGetFieldValues() {
	dev, err := nvml.DeviceGetHandleByIndex(0) // after Init
	if err != nil {
		fmt.Println(err)
		return
	}
	fields := []nvml.FieldValue{{FieldId: nvml.FiDevMemoryTemp}, {FieldId: nvml.FiDevPowerInstant}}
	if err := nvml.DeviceGetFieldValues(dev, int32(len(fields)), &fields[0]); err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range fields {
		if f.NvmlReturn == 0 && f.ValueType == nvml.ValueTypeUnsignedInt {
			fmt.Println(f.FieldId, *f.Value.UiVal())
		}
	}
}

// A code says what it means. Errors of calls wrap it: errors.Is finds it.
func ExampleResult() {
	fmt.Println(nvml.ErrGpuIsLost.Name())
	fmt.Println(nvml.ErrGpuIsLost.Explanation())
	// Output:
	// NVML_ERROR_GPU_IS_LOST
	// the device has fallen off the bus or cannot be reached any more
}

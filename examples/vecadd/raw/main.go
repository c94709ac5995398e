// Command raw is vecadd for NVIDIA alone, by the functions of NVRTC and of the driver as they are,
// to compare with ../main.go.
package main

import (
	"errors"
	"fmt"
	"log"
	"slices"
	"unsafe"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/nvrtc"
)

const text = `
extern "C" __global__ void vecadd(int n, const float *a, const float *b, float *sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}`

func main() {
	const n = 1 << 20
	x, y, want := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range want {
		x[i], y[i], want[i] = float32(i), float32(2*i), float32(3*i)
	}
	sums, err := add(x, y)
	if err != nil {
		log.Fatal(err)
	}
	if !slices.Equal(sums, want) {
		log.Fatal("the sums are wrong")
	}
	fmt.Printf("The GPU added %d numbers, and all are right.\n", n)
}

// add uses the first GPU, with its primary context.
func add(x, y []float32) (sums []float32, err error) {
	if err := cudrv.Init(0); err != nil {
		return nil, err
	}
	device, err := cudrv.DeviceGet(0)
	if err != nil {
		return nil, err
	}
	image, err := compile(device)
	if err != nil {
		return nil, err
	}
	ctx, err := cudrv.DevicePrimaryCtxRetain(device)
	if err != nil {
		return nil, err
	}
	err = ctx.Do(func() error {
		sums, err = addIn(image, x, y)
		return err
	})
	return sums, errors.Join(err, cudrv.DevicePrimaryCtxRelease(device))
}

// addIn works in the current context.
func addIn(image []byte, x, y []float32) (sums []float32, err error) {
	module, err := cudrv.ModuleLoadData(unsafe.Pointer(&image[0]))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, cudrv.ModuleUnload(module)) }()
	f, err := cudrv.ModuleGetFunction(module, "vecadd")
	if err != nil {
		return nil, err
	}
	bytes := uintptr(len(x)) * unsafe.Sizeof(x[0])
	var memory [3]cudrv.Deviceptr
	for i := range memory {
		if memory[i], err = cudrv.MemAlloc(bytes); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, cudrv.MemFree(memory[i])) }()
	}
	if err := cudrv.MemcpyHtoD(memory[0], unsafe.Pointer(&x[0]), bytes); err != nil {
		return nil, err
	}
	if err := cudrv.MemcpyHtoD(memory[1], unsafe.Pointer(&y[0]), bytes); err != nil {
		return nil, err
	}
	params := cudrv.NewParams().Int32(int32(len(x))).
		Deviceptr(memory[0]).Deviceptr(memory[1]).Deviceptr(memory[2])
	defer params.Free()
	blocks := uint32((len(x) + 255) / 256)
	err = cudrv.LaunchKernel(f, blocks, 1, 1, 256, 1, 1, 0, 0, params.Pointers(), nil)
	if err != nil {
		return nil, err
	}
	sums = make([]float32, len(x))
	err = cudrv.MemcpyDtoH(unsafe.Pointer(&sums[0]), memory[2], bytes) // waits for the kernel
	return sums, err
}

// compile compiles for a device.
func compile(device cudrv.Device) (image []byte, err error) {
	major, err := cudrv.DeviceGetAttribute(cudrv.DeviceAttributeComputeCapabilityMajor, device)
	if err != nil {
		return nil, err
	}
	minor, err := cudrv.DeviceGetAttribute(cudrv.DeviceAttributeComputeCapabilityMinor, device)
	if err != nil {
		return nil, err
	}
	prog, err := nvrtc.CreateProgram(text, "vecadd.cu", 0, nil, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, nvrtc.DestroyProgram(&prog)) }()
	n, options, err := nvrtc.Strings(fmt.Sprintf("--gpu-architecture=sm_%d%d", major, minor))
	if err != nil {
		return nil, err
	}
	if err := nvrtc.CompileProgram(prog, n, options); err != nil {
		messages, later := nvrtc.Log(prog)
		return nil, errors.Join(fmt.Errorf("%w\n%s", err, messages), later)
	}
	return nvrtc.Output(prog, nvrtc.GetCUBINSize, nvrtc.GetCUBIN)
}

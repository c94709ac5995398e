package bench

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
)

// kernels are the measured ones, loaded by package compute and, except on the host, by raw calls.
type kernels struct {
	module               *compute.Module
	empty0, empty4, spin *compute.Kernel

	code                              []byte // AMD's runtime reads it until the end
	rawModule                         uintptr
	rawEmpty0, rawEmpty4, rawSpinning uintptr
}

// goKernels are the kernels on the host device. On GPUs they tell what a kernel takes.
var goKernels = map[string]compute.HostKernel{
	"empty0": func(*compute.Block) {},
	"empty4": func(_ *compute.Block, _, _ []float32, _ int32, _ float32) {},
	"busy":   func(_ *compute.Block, ns uint64) { time.Sleep(time.Duration(ns)) },
}

//go:embed kernels.ptx
var kernelsPTX string

//go:embed kernels.hip
var kernelsHIP string

// patience bounds a compilation, and what is waited for.
const patience = 30 * time.Second

// loadKernels loads them on a device. PTX needs the driver only; AMD's source needs hipRTC.
func loadKernels(d *event.Device, x raw) (k *kernels, err error) {
	k = &kernels{}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	switch d.Backend() {
	case event.CUDA:
		k.code = append([]byte(kernelsPTX), 0)
		k.module, err = compute.Load(d, k.code)
	case event.HIP:
		var image *compute.Image
		source := compute.Source{Text: kernelsHIP}
		if d.Architecture() == "" { // of another vendor; its image is not known
			x = nil
			k.module, err = compute.Compile(ctx, d, source, compute.WithoutCache())
			break
		}
		image, err = compute.CompileFor(ctx, d.Architecture(), source, compute.WithoutCache())
		if err == nil {
			k.code = image.Code
			k.module, err = compute.Load(d, k.code)
		}
	default:
		k.module, err = compute.Compile(ctx, d, compute.Source{Host: goKernels})
	}
	if err != nil {
		return nil, err
	}
	for name, f := range map[string]**compute.Kernel{"empty0": &k.empty0, "empty4": &k.empty4,
		"busy": &k.spin} {
		if *f, err = k.module.Kernel(name); err != nil {
			return nil, err
		}
	}
	if x == nil {
		return k, nil
	}
	if k.rawModule, err = x.load(k.code); err != nil {
		return nil, fmt.Errorf("raw module: %w", err)
	}
	for name, f := range map[string]*uintptr{"empty0": &k.rawEmpty0, "empty4": &k.rawEmpty4,
		"busy": &k.rawSpinning} {
		if *f, err = x.function(k.rawModule, name); err != nil {
			return nil, fmt.Errorf("raw function %s: %w", name, err)
		}
	}
	return k, nil
}

package main

import (
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/tools/callbench/report"
)

// launchRows are launches of kernels: without parameters, and with four, whose values stand in
// variables of the caller's. Package compute's launch is in the event column.
func (r *rig) launchRows() []row {
	launch := symbol("cuLaunchKernel")
	var registered func(f uintptr, gx, gy, gz, bx, by, bz, shared uint32, stream uintptr,
		params, extra unsafe.Pointer) int32
	purego.RegisterFunc(&registered, launch)

	none := []way{
		{report.C, loopLaunch},
		goWay(report.Cgo, func() error {
			return cgoLaunch(kernel, 1, 2, 3, 4, 5, 6, 7, launchStream)
		}),
		goWay(report.Quiet, func() error {
			return quietLaunch(kernel, 1, 2, 3, 4, 5, 6, 7, launchStream)
		}),
		goWay(report.SyscallN, func() error {
			r, _, _ := purego.SyscallN(launch, kernel, 1, 2, 3, 4, 5, 6, 7, launchStream, 0, 0)
			return codeOf(int32(r))
		}),
		goWay(report.RegisterFunc, func() error {
			return codeOf(registered(kernel, 1, 2, 3, 4, 5, 6, 7, launchStream, nil, nil))
		}),
		goWay(report.Raw, func() error {
			return cudrv.LaunchKernel(kernel, 1, 2, 3, 4, 5, 6, 7, launchStream, nil, nil)
		}),
	}

	syscallN := goWay(report.SyscallN, func() error {
		a, b, count, factor := arguments()
		params := [4]unsafe.Pointer{unsafe.Pointer(&a), unsafe.Pointer(&b), unsafe.Pointer(&count),
			unsafe.Pointer(&factor)}
		r, _, _ := purego.SyscallN(launch, kernel, 1, 2, 3, 4, 5, 6, 7, launchStream,
			uintptr(unsafe.Pointer(&params)), 0)
		return codeOf(int32(r))
	})
	register := goWay(report.RegisterFunc, func() error {
		a, b, count, factor := arguments()
		params := [4]unsafe.Pointer{unsafe.Pointer(&a), unsafe.Pointer(&b), unsafe.Pointer(&count),
			unsafe.Pointer(&factor)}
		return codeOf(registered(kernel, 1, 2, 3, 4, 5, 6, 7, launchStream,
			unsafe.Pointer(&params), nil))
	})
	raw := goWay(report.Raw, func() error {
		a, b, count, factor := arguments()
		params := [4]unsafe.Pointer{unsafe.Pointer(&a), unsafe.Pointer(&b), unsafe.Pointer(&count),
			unsafe.Pointer(&factor)}
		return cudrv.LaunchKernel(kernel, 1, 2, 3, 4, 5, 6, 7, launchStream, &params[0], nil)
	})
	four := []way{
		{report.C, loopLaunch4},
		goWay(report.Cgo, func() error {
			a, b, count, factor := arguments()
			return cgoLaunch4(kernel, launchStream, a, b, count, factor)
		}),
		goWay(report.Quiet, func() error {
			a, b, count, factor := arguments()
			return quietLaunch4(kernel, launchStream, a, b, count, factor)
		}),
		syscallN, register, raw,
	}
	params := goWay(report.Raw, func() error {
		a, b, count, factor := arguments()
		p := cudrv.NewParams().Uint64(a).Uint64(b).Int32(count).Float32(factor)
		err := cudrv.LaunchKernel(kernel, 1, 2, 3, 4, 5, 6, 7, launchStream, p.Pointers(), nil)
		p.Free()
		return err
	})
	anyKernel := []way{
		{report.C, loopLaunch4},
		goWay(report.Cgo, func() error {
			a, b, count, factor := arguments()
			return cgoLaunchAny(kernel, launchStream, []unsafe.Pointer{unsafe.Pointer(&a),
				unsafe.Pointer(&b), unsafe.Pointer(&count), unsafe.Pointer(&factor)})
		}),
		goWay(report.Quiet, func() error {
			a, b, count, factor := arguments()
			return quietLaunchAny(kernel, launchStream, []unsafe.Pointer{unsafe.Pointer(&a),
				unsafe.Pointer(&b), unsafe.Pointer(&count), unsafe.Pointer(&factor)})
		}),
		syscallN, register, params,
	}
	once := tally{callLaunch: 1}
	return []row{
		{api: cuda, name: "launch, no parameters",
			prepare: at(false, false), calls: once, ways: none},
		{api: cuda, name: "launch, 4 parameters; cgo: for this kernel",
			prepare: at(false, false), calls: once, ways: four},
		{api: cuda, name: "launch, 4 parameters; cgo: for any kernel",
			prepare: at(false, false), calls: once, ways: with(anyKernel, r.computeLaunch()),
			target: &report.Target{NS: 150, Over: report.Raw}},
		{api: cuda, name: "launch, 4 parameters, context current; cgo: for any kernel",
			prepare: at(false, true), calls: once, ways: with(anyKernel, r.computeLaunch()),
			target: &report.Target{NS: 150, Over: report.Raw}},
	}
}

// computeLaunch is package compute's launch of the same kernel, in the event column.
func (r *rig) computeLaunch() way {
	return goWay(report.Event, func() error {
		_, _, count, factor := arguments()
		return r.kernel.Launch(r.stream, compute.Config{Grid: compute.Dim{X: 1, Y: 2, Z: 3},
			Block: compute.Dim{X: 4, Y: 5, Z: 6}, Shared: 7}, r.a, r.b, count, factor)
	})
}

// arguments are the values that the driver expects.
//
//go:noinline
func arguments() (a, b uint64, count int32, factor float32) { return 0xa0, 0xb0, 1000, 2.5 }

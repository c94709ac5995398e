package sim

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/kernel"
)

func defineCUDALaunches(a *api) {
	defLaunch(a, "cuLaunchKernel", "4.0", wantsThread, true)
	defLaunch(a, "cuLaunchCooperativeKernel", "9.0", wantsThread, false)
	def4(a, "cuLaunchKernelEx", "11.8", wantsThread,
		func(f *face, c *cudrv.LaunchConfig, fn uintptr, params, extra unsafe.Pointer) code {
			if c == nil {
				return invalidValue
			}
			r := configured(c)
			r.params, r.extra = params, extra
			return f.launch("cuLaunchKernelEx", fn, uintptr(c.HStream), r)
		})
	def5(a, "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", "7.0", wantsThread,
		func(f *face, out *int32, fn uintptr, block int32, dynamic uintptr, flags uint32) code {
			return f.occupancy("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", out, fn, block,
				dynamic, flags)
		})
	def4(a, "cuOccupancyMaxActiveBlocksPerMultiprocessor", "6.5", wantsThread,
		func(f *face, out *int32, fn uintptr, block int32, dynamic uintptr) code {
			return f.occupancy("cuOccupancyMaxActiveBlocksPerMultiprocessor", out, fn, block, dynamic, 0)
		})
	def6(a, "cuOccupancyMaxPotentialBlockSize", "6.5", wantsThread,
		func(f *face, grid, block *int32, fn, sharedOf, dynamic uintptr, limit int32) code {
			return f.potentialBlock("cuOccupancyMaxPotentialBlockSize", grid, block, fn, sharedOf,
				dynamic, limit, 0)
		})
	def7(a, "cuOccupancyMaxPotentialBlockSizeWithFlags", "7.0", wantsThread,
		func(f *face, grid, block *int32, fn, sharedOf, dynamic uintptr, limit int32,
			flags uint32) code {
			return f.potentialBlock("cuOccupancyMaxPotentialBlockSizeWithFlags", grid, block, fn,
				sharedOf, dynamic, limit, flags)
		})
	def3(a, "cuOccupancyMaxActiveClusters", "11.8", wantsThread,
		func(f *face, out *int32, fn uintptr, c *cudrv.LaunchConfig) code {
			if c == nil {
				return invalidValue
			}
			return f.activeClusters("cuOccupancyMaxActiveClusters", out, fn, configured(c))
		})
}

// defLaunch defines f(function, grid, block, shared, stream, params), with an array of extras
// behind it or cooperative.
func defLaunch(a *api, name, since string, traits trait, extra bool) {
	params := 10
	if extra {
		params++
	}
	fn := a.define(name, since, params, traits)
	fn.impl = func(fr *frame) uintptr {
		e := fn.enter(fr)
		if e.run {
			r := &launchRequest{
				grid:        kernel.Dim{X: arg[uint32](fr, 1), Y: arg[uint32](fr, 2), Z: arg[uint32](fr, 3)},
				block:       kernel.Dim{X: arg[uint32](fr, 4), Y: arg[uint32](fr, 5), Z: arg[uint32](fr, 6)},
				shared:      uintptr(arg[uint32](fr, 7)),
				cooperative: !extra,
				params:      arg[unsafe.Pointer](fr, 9),
			}
			if extra {
				r.extra = arg[unsafe.Pointer](fr, 10)
			}
			e.result = e.face.launch(name, arg[uintptr](fr, 0), arg[uintptr](fr, 8), r)
		}
		return e.leave()
	}
}

// configured reads the shape of a launch and those attributes that have an effect here.
func configured(c *cudrv.LaunchConfig) *launchRequest {
	r := &launchRequest{
		grid:   kernel.Dim{X: c.GridDimX, Y: c.GridDimY, Z: c.GridDimZ},
		block:  kernel.Dim{X: c.BlockDimX, Y: c.BlockDimY, Z: c.BlockDimZ},
		shared: uintptr(c.SharedMemBytes),
	}
	if c.Attrs == nil {
		return r
	}
	attributes := unsafe.Slice(c.Attrs, c.NumAttrs)
	for i := range attributes {
		value := &attributes[i].Value
		switch attributes[i].Id {
		case cudrv.LaunchAttributeClusterDimension:
			d := value.ClusterDim()
			r.cluster = kernel.Dim{X: d.X, Y: d.Y, Z: d.Z}
		case cudrv.LaunchAttributeCooperative:
			r.cooperative = *value.Cooperative() != 0
		}
	}
	return r
}

// sharedFor asks the user's C function how much dynamic shared memory a block of a size needs.
func sharedFor(fn uintptr, block int32) uintptr {
	r := ccall.Regs{Fn: fn}
	r.A[0] = uintptr(block)
	return uintptr(r.Call())
}

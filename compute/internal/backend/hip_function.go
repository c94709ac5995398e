package backend

import (
	"errors"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/image"
)

// Params calls a function that is declared for kernels of libraries; the runtime takes functions of
// modules for the same.
func (h *hipDevice) Params(f Function) (params []image.Param, ok bool, err error) {
	err = h.inside("hipKernelGetParamInfo", func() error {
		for i := range uintptr(maxParams) {
			offset, size, err := hip.KernelGetParamInfo(hip.Kernel(f.Word), i)
			if errors.Is(err, hip.ErrInvalidValue) {
				return nil
			}
			if err != nil {
				return err
			}
			params = append(params, image.Param{Offset: uint32(offset), Size: uint32(size)})
		}
		return nil
	})
	return paramsOrNone(params, err)
}

func (h *hipDevice) Attributes(f Function) (a Attributes, err error) {
	a.BinaryTarget = -1
	err = h.inside("hipFuncGetAttribute", func() error {
		for _, read := range []struct {
			to   *int
			what hip.DrvFuncAttribute
		}{
			{&a.Registers, hip.DrvFuncAttributeNumRegs},
			{&a.Shared, hip.DrvFuncAttributeSharedSizeBytes},
			{&a.Local, hip.DrvFuncAttributeLocalSizeBytes},
			{&a.Constant, hip.DrvFuncAttributeConstSizeBytes},
			{&a.MaxThreads, hip.DrvFuncAttributeMaxThreadsPerBlock},
			{&a.SharedMost, hip.DrvFuncAttributeMaxDynamicSharedSizeBytes},
		} {
			v, err := hip.FuncGetAttribute(read.what, hip.Function(f.Word))
			switch *read.to = int(v); {
			case errors.Is(err, hip.ErrInvalidValue), errors.Is(err, hip.ErrNotSupported):
				*read.to = -1 // fact: chip-function-attributes-unsupported
			case err != nil:
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Attributes{}, err
	}
	return a, nil
}

// AllowShared has nothing to do: a function may use all that a block can have.
func (h *hipDevice) AllowShared(Function, int) error { return nil }

// Ready has nothing to do: a module is loaded with all its functions.
func (h *hipDevice) Ready(Function) error { return nil }

func (h *hipDevice) Occupancy(f Function, threads, shared int) (blocks int, err error) {
	err = h.inside("hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", func() error {
		n, err := hip.ModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(hip.Function(f.Word),
			int32(threads), uintptr(shared), hip.OccupancyDefault)
		blocks = int(n)
		return err
	})
	return blocks, err
}

func (h *hipDevice) Suggest(f Function, shared, limit int) (blocks, threads int, err error) {
	err = h.inside("hipModuleOccupancyMaxPotentialBlockSizeWithFlags", func() error {
		grid, block, err := hip.ModuleOccupancyMaxPotentialBlockSizeWithFlags(hip.Function(f.Word),
			uintptr(shared), int32(limit), hip.OccupancyDefault)
		blocks, threads = int(grid), int(block)
		return err
	})
	return blocks, threads, err
}

// noClusters is the refusal of launches with clusters.
var noClusters = unsupported("clusters are launched on NVIDIA devices only; launch without them")

func (h *hipDevice) Clusters(Function, *Config) (int, error) { return 0, noClusters }

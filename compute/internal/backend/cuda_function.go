package backend

import (
	"errors"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/image"
)

// maxParams bounds the search for the end of a function's parameters, of which there is no count.
const maxParams = 32 << 10

// Params asks for one parameter after another until the driver says that there is none.
func (c *cudaDevice) Params(f Function) (params []image.Param, ok bool, err error) {
	err = c.inside("cuFuncGetParamInfo", func() error {
		for i := range uintptr(maxParams) {
			offset, size, err := cudrv.FuncGetParamInfo(cudrv.Function(f.Word), i)
			if errors.Is(err, cudrv.ErrInvalidValue) {
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

// paramsOrNone turns the error of a driver that can't tell parameters into a result.
func paramsOrNone(params []image.Param, err error) ([]image.Param, bool, error) {
	switch {
	case isUnsupported(err):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	}
	return params, true, nil
}

func (c *cudaDevice) Attributes(f Function) (a Attributes, err error) {
	err = c.inside("cuFuncGetAttribute", func() error {
		for _, read := range []struct {
			to   *int
			what cudrv.FunctionAttribute
		}{
			{&a.Registers, cudrv.FuncAttributeNumRegs},
			{&a.Shared, cudrv.FuncAttributeSharedSizeBytes},
			{&a.Local, cudrv.FuncAttributeLocalSizeBytes},
			{&a.Constant, cudrv.FuncAttributeConstSizeBytes},
			{&a.MaxThreads, cudrv.FuncAttributeMaxThreadsPerBlock},
			{&a.SharedMost, cudrv.FuncAttributeMaxDynamicSharedSizeBytes},
			{&a.BinaryTarget, cudrv.FuncAttributeBinaryVersion},
		} {
			v, err := cudrv.FuncGetAttribute(read.what, cudrv.Function(f.Word))
			switch *read.to = int(v); {
			case errors.Is(err, cudrv.ErrInvalidValue): // an old driver
				*read.to = -1
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

// AllowShared never lowers the limit, which all who launch the function share.
func (c *cudaDevice) AllowShared(f Function, bytes int) error {
	c.shared.Lock()
	defer c.shared.Unlock()
	const limit = cudrv.FuncAttributeMaxDynamicSharedSizeBytes
	return c.Enter(func() error {
		now, err := cudrv.FuncGetAttribute(limit, cudrv.Function(f.Word))
		if err != nil {
			return cudaFailed("cuFuncGetAttribute", err)
		}
		if int(now) >= bytes {
			return nil
		}
		return cudaFailed("cuFuncSetAttribute",
			cudrv.FuncSetAttribute(cudrv.Function(f.Word), limit, int32(bytes)))
	})
}

// Ready reads an attribute if the driver has no function to load one: that loads it as well.
func (c *cudaDevice) Ready(f Function) error {
	return c.Enter(func() error {
		err := cudaFailed("cuFuncLoad", cudrv.FuncLoad(cudrv.Function(f.Word)))
		if !isUnsupported(err) {
			return err
		}
		_, err = cudrv.FuncGetAttribute(cudrv.FuncAttributeNumRegs, cudrv.Function(f.Word))
		return cudaFailed("cuFuncGetAttribute", err)
	})
}

func (c *cudaDevice) Occupancy(f Function, threads, shared int) (blocks int, err error) {
	err = c.inside("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", func() error {
		n, err := cudrv.OccupancyMaxActiveBlocksPerMultiprocessorWithFlags(cudrv.Function(f.Word),
			int32(threads), uintptr(shared), cudrv.OccupancyDefault)
		blocks = int(n)
		return err
	})
	return blocks, err
}

func (c *cudaDevice) Suggest(f Function, shared, limit int) (blocks, threads int, err error) {
	err = c.inside("cuOccupancyMaxPotentialBlockSizeWithFlags", func() error {
		grid, block, err := cudrv.OccupancyMaxPotentialBlockSizeWithFlags(cudrv.Function(f.Word),
			nil, uintptr(shared), int32(limit), cudrv.OccupancyDefault)
		blocks, threads = int(grid), int(block)
		return err
	})
	return blocks, threads, err
}

func (c *cudaDevice) Clusters(f Function, shape *Config) (clusters int, err error) {
	var ex cudaLaunch
	config := ex.set(0, shape)
	err = c.inside("cuOccupancyMaxActiveClusters", func() error {
		n, err := cudrv.OccupancyMaxActiveClusters(cudrv.Function(f.Word), config)
		clusters = int(n)
		return err
	})
	return clusters, err
}

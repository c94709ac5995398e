package backend

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// Instantiate has memory that the graph allocates and does not free be freed by its next launch,
// which would fail otherwise.
func (c *cudaDevice) Instantiate(g Graph) (x Exec, err error) {
	err = c.Enter(func() error {
		var flags cudrv.GraphInstantiateFlags
		allocates, err := cudaAllocates(cudrv.Graph(g.Word))
		if err != nil {
			return err
		}
		if allocates {
			flags |= cudrv.GraphInstantiateFlagAutoFreeOnLaunch
		}
		exec, err := cudrv.GraphInstantiateWithFlags(cudrv.Graph(g.Word), flags)
		if errors.Is(err, cudrv.ErrSymbolNotFound) && !allocates { // before 11.4
			exec, _, err = cudrv.GraphInstantiate(cudrv.Graph(g.Word), nil, 0)
		}
		x.Word = uintptr(exec)
		return cudaFailed("cuGraphInstantiateWithFlags", err)
	})
	if err != nil && x.Word != 0 {
		err = driver.Undone(err, func() error { return c.DestroyExec(x) })
		x = Exec{}
	}
	return x, err
}

// cudaAllocates reports whether a graph has nodes that allocate memory.
func cudaAllocates(g cudrv.Graph) (bool, error) {
	var n uintptr
	if err := cudrv.GraphGetNodes(g, nil, &n); err != nil || n == 0 {
		return false, cudaFailed("cuGraphGetNodes", err)
	}
	nodes := make([]cudrv.GraphNode, n)
	if err := cudrv.GraphGetNodes(g, &nodes[0], &n); err != nil {
		return false, cudaFailed("cuGraphGetNodes", err)
	}
	for _, node := range nodes[:min(n, uintptr(len(nodes)))] {
		kind, err := cudrv.GraphNodeGetType(node)
		if err != nil {
			return false, cudaFailed("cuGraphNodeGetType", err)
		}
		if kind == cudrv.GraphNodeTypeMemAlloc {
			return true, nil
		}
	}
	return false, nil
}

// SetKernel leaves clusters and cooperation as they were captured: they are not parameters, but
// attributes of the node.
func (c *cudaDevice) SetKernel(x Exec, n Node, f Function, shape *Config, p *Frame) error {
	defer runtime.KeepAlive(p)
	return c.Enter(func() error {
		exec, node := cudrv.GraphExec(x.Word), cudrv.GraphNode(n.Word)
		err := cudrv.GraphExecKernelNodeSetParamsV2(exec, node, &cudrv.KernelNodeParamsV2{
			Func:     cudrv.Function(f.Word),
			GridDimX: shape.Grid.X, GridDimY: shape.Grid.Y, GridDimZ: shape.Grid.Z,
			BlockDimX: shape.Block.X, BlockDimY: shape.Block.Y, BlockDimZ: shape.Block.Z,
			SharedMemBytes: shape.Shared,
			KernelParams:   p.Pointers(),
		})
		if errors.Is(err, cudrv.ErrSymbolNotFound) { // before 12.0
			err = cudrv.GraphExecKernelNodeSetParams(exec, node, &cudrv.KernelNodeParams{
				Func:     cudrv.Function(f.Word),
				GridDimX: shape.Grid.X, GridDimY: shape.Grid.Y, GridDimZ: shape.Grid.Z,
				BlockDimX: shape.Block.X, BlockDimY: shape.Block.Y, BlockDimZ: shape.Block.Z,
				SharedMemBytes: shape.Shared,
				KernelParams:   p.Pointers(),
			})
		}
		return cudaFailed("cuGraphExecKernelNodeSetParams", err)
	})
}

// Update leaves x as it is if the graphs differ. fact: cuda-graph-exec-update
func (c *cudaDevice) Update(x Exec, g Graph) error {
	return c.Enter(func() error {
		exec, graph := cudrv.GraphExec(x.Word), cudrv.Graph(g.Word)
		info, err := cudrv.GraphExecUpdateV2(exec, graph)
		reason := info.Result
		if errors.Is(err, cudrv.ErrSymbolNotFound) { // before 12.0
			_, reason, err = cudrv.GraphExecUpdate(exec, graph)
		}
		return because(cudaFailed("cuGraphExecUpdate", err), reason)
	})
}

// because adds to a failed update what differs.
func because(err error, reason fmt.Stringer) error {
	if e, ok := err.(*driver.Error); ok && e.Class == ErrDiffers {
		e.Detail = fmt.Sprintf("the result of the update is %v", reason)
	}
	return err
}

func (c *cudaDevice) DestroyGraph(g Graph) error {
	return c.end(c.inside, "cuGraphDestroy", func() error {
		return cudrv.GraphDestroy(cudrv.Graph(g.Word))
	})
}

func (c *cudaDevice) DestroyExec(x Exec) error {
	return c.end(c.inside, "cuGraphExecDestroy", func() error {
		return cudrv.GraphExecDestroy(cudrv.GraphExec(x.Word))
	})
}

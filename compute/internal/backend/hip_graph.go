package backend

import (
	"runtime"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// Instantiate has memory that the graph allocates and does not free be freed by its next launch, as
// for CUDA.
func (h *hipDevice) Instantiate(g Graph) (x Exec, err error) {
	err = h.Enter(func() error {
		var flags hip.GraphInstantiateFlags
		allocates, err := hipAllocates(hip.Graph(g.Word))
		if err != nil {
			return err
		}
		if allocates {
			flags |= hip.GraphInstantiateFlagAutoFreeOnLaunch
		}
		exec, err := hip.GraphInstantiateWithFlags(hip.Graph(g.Word), flags)
		x.Word = uintptr(exec)
		return hipFailed("hipGraphInstantiateWithFlags", err)
	})
	if err != nil && x.Word != 0 {
		err = driver.Undone(err, func() error { return h.DestroyExec(x) })
		x = Exec{}
	}
	return x, err
}

// hipAllocates reports whether a graph has nodes that allocate memory.
func hipAllocates(g hip.Graph) (bool, error) {
	var n uintptr
	if err := hip.GraphGetNodes(g, nil, &n); err != nil || n == 0 {
		return false, hipFailed("hipGraphGetNodes", err)
	}
	nodes := make([]hip.GraphNode, n)
	if err := hip.GraphGetNodes(g, &nodes[0], &n); err != nil {
		return false, hipFailed("hipGraphGetNodes", err)
	}
	for _, node := range nodes[:min(n, uintptr(len(nodes)))] {
		kind, err := hip.GraphNodeGetType(node)
		if err != nil {
			return false, hipFailed("hipGraphNodeGetType", err)
		}
		if kind == hip.GraphNodeTypeMemAlloc {
			return true, nil
		}
	}
	return false, nil
}

// LaunchGraph refuses a stream that is captured: finding that out takes a second crossing into C.
// fact: amd-graph-not-captured
func (h *hipDevice) LaunchGraph(s driver.Object, x Exec) error {
	if h.info.Traits.GraphNotCaptured {
		err := h.unlessCaptured(s, "hipGraphLaunch",
			"no release of ROCm does; capture the graph's work itself")
		if err != nil {
			return err
		}
	}
	return h.gpu.LaunchGraph(s, x)
}

// SetKernel passes the function where C declares a host function's address: the runtime takes one
// that it does not know for a function of a module.
func (h *hipDevice) SetKernel(x Exec, n Node, f Function, shape *Config, p *Frame) error {
	defer runtime.KeepAlive(p)
	return h.inside("hipGraphExecKernelNodeSetParams", func() error {
		return hip.GraphExecKernelNodeSetParams(hip.GraphExec(x.Word), hip.GraphNode(n.Word),
			&hip.KernelNodeParams{
				Func:           ccall.Pointer(f.Word),
				GridDim:        hip.Dim3(shape.Grid),
				BlockDim:       hip.Dim3(shape.Block),
				SharedMemBytes: shape.Shared,
				KernelParams:   p.Pointers(),
			})
	})
}

func (h *hipDevice) Update(x Exec, g Graph) error {
	return h.Enter(func() error {
		_, reason, err := hip.GraphExecUpdate(hip.GraphExec(x.Word), hip.Graph(g.Word))
		return because(hipFailed("hipGraphExecUpdate", err), reason)
	})
}

func (h *hipDevice) DestroyGraph(g Graph) error {
	return h.end(h.inside, "hipGraphDestroy", func() error {
		return hip.GraphDestroy(hip.Graph(g.Word))
	})
}

func (h *hipDevice) DestroyExec(x Exec) error {
	return h.end(h.inside, "hipGraphExecDestroy", func() error {
		return hip.GraphExecDestroy(hip.GraphExec(x.Word))
	})
}

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
	err = h.Inside(func() error {
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
		err = undone(err, func() error { return h.DestroyExec(x) })
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

// LaunchGraph makes one crossing into C, as Launch does.
func (h *hipDevice) LaunchGraph(s driver.Object, x Exec) error {
	p := h.Frame()
	defer h.PutFrame(p)
	w := p.call.Words()
	w[0], w[1] = x.Word, s.Word
	if err := h.InsideCall(&p.call, &hipGraphLaunch, 2); err != nil {
		return hipClassed(err)
	}
	return nil
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
	return h.Inside(func() error {
		_, reason, err := hip.GraphExecUpdate(hip.GraphExec(x.Word), hip.Graph(g.Word))
		return because(hipFailed("hipGraphExecUpdate", err), reason)
	})
}

func (h *hipDevice) DestroyGraph(g Graph) error {
	return h.inside("hipGraphDestroy", func() error {
		return hip.GraphDestroy(hip.Graph(g.Word))
	})
}

func (h *hipDevice) DestroyExec(x Exec) error {
	return h.inside("hipGraphExecDestroy", func() error {
		return hip.GraphExecDestroy(hip.GraphExec(x.Word))
	})
}

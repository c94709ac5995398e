package sim

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/kernel"
)

func defineHIPGraphs(a *api) {
	def2(a, "hipGraphNodeGetType", "5.2.3", 0, func(f *face, n uintptr, out *nodeType) code {
		return f.graphNodeType("hipGraphNodeGetType", n, out)
	})
	def2(a, "hipGraphKernelNodeGetParams", "5.2.3", 0,
		func(f *face, n uintptr, out *hip.KernelNodeParams) code {
			_, l, fault := f.kernelNode("hipGraphKernelNodeGetParams", n)
			switch {
			case fault != success:
				return fault
			case out == nil:
				return invalidValue
			}
			*out = l.hipNode()
			return success
		})
	def3(a, "hipGraphExecKernelNodeSetParams", "5.2.3", 0,
		func(f *face, x, n uintptr, p *hip.KernelNodeParams) code {
			if p == nil {
				return invalidValue
			}
			fn := *(*uintptr)(unsafe.Pointer(&p.Func)) // which is no pointer
			return f.execSetKernel("hipGraphExecKernelNodeSetParams", x, n, fn, &launchRequest{
				grid:   kernel.Dim(p.GridDim),
				block:  kernel.Dim(p.BlockDim),
				shared: uintptr(p.SharedMemBytes),
				params: unsafe.Pointer(p.KernelParams), extra: unsafe.Pointer(p.Extra)})
		})
	def4(a, "hipGraphExecUpdate", "5.2.3", 0,
		func(f *face, x, g uintptr, node *uintptr, result *updateResult) code {
			return f.execUpdateOut("hipGraphExecUpdate", x, g, node, result)
		})
	def6(a, "hipStreamGetCaptureInfo_v2", "5.2.3", 0, func(f *face, s uintptr,
		status *captureStatus, id *uint64, g *uintptr, nodes **uintptr, n *uintptr) code {
		return f.captureGraph("hipStreamGetCaptureInfo_v2", s, status, id, g, nodes, n)
	})
	def4(a, "hipStreamUpdateCaptureDependencies", "5.2.3", 0,
		func(f *face, s uintptr, nodes *uintptr, n uintptr, flags uint32) code {
			return f.updateDependencies("hipStreamUpdateCaptureDependencies", s, nodes, n, flags)
		})
}

// hipNode returns the launch as a graph's node tells it.
func (l *kernelLaunch) hipNode() hip.KernelNodeParams {
	p := hip.KernelNodeParams{GridDim: hip.Dim3(l.grid), BlockDim: hip.Dim3(l.block),
		SharedMemBytes: uint32(l.shared)}
	*(*uintptr)(unsafe.Pointer(&p.Func)) = l.entry.handle // which is no pointer
	if len(l.pointers) > 0 {
		p.KernelParams = &l.pointers[0]
	}
	return p
}

package sim

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/kernel"
)

func defineCUDAGraphs(a *api) {
	defineGraphs(a, "cu", wantsThread, graphSince{first: "10.0", update: "10.2", events: "11.1",
		upload: "11.1", memory: "11.4", dot: "11.3", enabled: "11.6"})
	def3(a, "cuGraphInstantiateWithParams", "12.0", wantsThread,
		func(f *face, out *uintptr, g uintptr, p *cudrv.GraphInstantiateParams) code {
			if p == nil {
				return invalidValue
			}
			c := f.graphInstantiate("cuGraphInstantiateWithParams", out, g, p.Flags)
			p.HErrNodeOut, p.ResultOut = 0, cudrv.GraphInstantiateSuccess
			if c != success {
				p.ResultOut = cudrv.GraphInstantiateError
			}
			return c
		})
	def2(a, "cuGraphKernelNodeGetParams", "10.0", wantsThread,
		func(f *face, n uintptr, out *cudrv.KernelNodeParams) code {
			_, l, fault := f.kernelNode("cuGraphKernelNodeGetParams", n)
			switch {
			case fault != success:
				return fault
			case out == nil:
				return invalidValue
			}
			*out = l.node()
			return success
		})
	def2(a, "cuGraphKernelNodeGetParams_v2", "12.0", wantsThread,
		func(f *face, n uintptr, out *cudrv.KernelNodeParamsV2) code {
			_, l, fault := f.kernelNode("cuGraphKernelNodeGetParams_v2", n)
			switch {
			case fault != success:
				return fault
			case out == nil:
				return invalidValue
			}
			f.kernelParams(out, l)
			return success
		})
	def3(a, "cuGraphExecKernelNodeSetParams", "10.1", wantsThread,
		func(f *face, x, n uintptr, p *cudrv.KernelNodeParams) code {
			return f.cudaSetParams("cuGraphExecKernelNodeSetParams", x, n, p)
		})
	def3(a, "cuGraphExecKernelNodeSetParams_v2", "12.0", wantsThread,
		func(f *face, x, n uintptr, p *cudrv.KernelNodeParamsV2) code {
			return f.cudaSetParams("cuGraphExecKernelNodeSetParams_v2", x, n,
				(*cudrv.KernelNodeParams)(unsafe.Pointer(p)))
		})
	def3(a, "cuGraphExecUpdate_v2", "12.0", wantsThread,
		func(f *face, x, g uintptr, out *cudrv.GraphExecUpdateResultInfo) code {
			if out == nil {
				return invalidValue
			}
			var node uintptr
			var result updateResult
			c := f.execUpdateOut("cuGraphExecUpdate_v2", x, g, &node, &result)
			*out = cudrv.GraphExecUpdateResultInfo{Result: cudrv.GraphExecUpdateResult(result),
				ErrorNode: cudrv.GraphNode(node)}
			return c
		})
	def6(a, "cuStreamGetCaptureInfo_v2", "11.3", wantsThread, func(f *face, s uintptr,
		status *captureStatus, id *uint64, g *uintptr, nodes **uintptr, n *uintptr) code {
		return f.captureGraph("cuStreamGetCaptureInfo_v2", s, status, id, g, nodes, n)
	})
	def7(a, "cuStreamGetCaptureInfo_v3", "12.3", wantsThread, func(f *face, s uintptr,
		status *captureStatus, id *uint64, g *uintptr, nodes **uintptr, edges **edgeData,
		n *uintptr) code {
		return f.captureEdges("cuStreamGetCaptureInfo_v3", s, status, id, g, nodes, edges, n)
	})
	def4(a, "cuStreamUpdateCaptureDependencies", "11.3", wantsThread,
		func(f *face, s uintptr, nodes *uintptr, n uintptr, flags uint32) code {
			return f.updateDependencies("cuStreamUpdateCaptureDependencies", s, nodes, n, flags)
		})
	def5(a, "cuStreamUpdateCaptureDependencies_v2", "12.3", wantsThread,
		func(f *face, s uintptr, nodes *uintptr, edges *edgeData, n uintptr, flags uint32) code {
			if !plainEdges(edges, n) {
				return notSupported
			}
			return f.updateDependencies("cuStreamUpdateCaptureDependencies_v2", s, nodes, n, flags)
		})
}

// kernelParams writes the parameters of a launch, with the library's kernel if there is one.
func (f *face) kernelParams(out *cudrv.KernelNodeParamsV2, l *kernelLaunch) {
	*(*cudrv.KernelNodeParams)(unsafe.Pointer(out)) = l.node()
	out.Kern, out.Ctx = 0, 0
	if o := f.handles.find(l.asked); l.asked != 0 && o != nil && o.kernel != nil {
		out.Func, out.Kern = 0, cudrv.Kernel(l.asked)
	}
}

// node returns the launch as a graph's node tells it. The arrays belong to the launch.
func (l *kernelLaunch) node() cudrv.KernelNodeParams {
	p := cudrv.KernelNodeParams{Func: cudrv.Function(l.entry.handle),
		GridDimX: l.grid.X, GridDimY: l.grid.Y, GridDimZ: l.grid.Z,
		BlockDimX: l.block.X, BlockDimY: l.block.Y, BlockDimZ: l.block.Z,
		SharedMemBytes: uint32(l.shared)}
	if len(l.pointers) > 0 {
		p.KernelParams = &l.pointers[0]
	}
	return p
}

func (f *face) cudaSetParams(call string, x, n uintptr, p *cudrv.KernelNodeParams) code {
	if p == nil {
		return invalidValue
	}
	fn := uintptr(p.Func)
	if fn == 0 && call == "cuGraphExecKernelNodeSetParams_v2" {
		fn = uintptr((*cudrv.KernelNodeParamsV2)(unsafe.Pointer(p)).Kern)
	}
	return f.execSetKernel(call, x, n, fn, kernelRequest(p))
}

func kernelRequest(p *cudrv.KernelNodeParams) *launchRequest {
	return &launchRequest{
		grid:   kernel.Dim{X: p.GridDimX, Y: p.GridDimY, Z: p.GridDimZ},
		block:  kernel.Dim{X: p.BlockDimX, Y: p.BlockDimY, Z: p.BlockDimZ},
		shared: uintptr(p.SharedMemBytes),
		params: unsafe.Pointer(p.KernelParams), extra: unsafe.Pointer(p.Extra)}
}

func (f *face) execUpdateOut(call string, x, g uintptr, node *uintptr, result *updateResult) code {
	if node == nil || result == nil {
		return invalidValue
	}
	wrong, why, c := f.execUpdate(call, x, g)
	*node, *result = 0, why
	if wrong != nil {
		f.captureMu.Lock()
		defer f.captureMu.Unlock()
		*node = f.nodeHandle(wrong)
	}
	return c
}

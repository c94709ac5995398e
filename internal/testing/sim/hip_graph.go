package sim

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/kernel"
)

func defineHIPGraphs(a *api) {
	defineGraphs(a, "hip", 0, graphSince{first: "5.2.3", update: "5.2.3", events: "5.2.3",
		upload: "5.7.1", memory: "5.7.1", dot: "5.7.1", enabled: "5.7.1"})
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
			fn, r := hipKernelRequest(p)
			return f.execSetKernel("hipGraphExecKernelNodeSetParams", x, n, fn, r)
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

// hipKernelRequest reads the parameters of a kernel node.
func hipKernelRequest(p *hip.KernelNodeParams) (fn uintptr, r *launchRequest) {
	fn = *(*uintptr)(unsafe.Pointer(&p.Func)) // which is no pointer
	return fn, &launchRequest{
		grid:   kernel.Dim(p.GridDim),
		block:  kernel.Dim(p.BlockDim),
		shared: uintptr(p.SharedMemBytes),
		params: unsafe.Pointer(p.KernelParams), extra: unsafe.Pointer(p.Extra)}
}

package sim

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/cudrv"
)

// defAdd defines a function that adds a node to a graph, with parameters of type P.
func defAdd[P any](a *api, name, since string, traits trait,
	build func(f *face, call string, p *P) (*node, code)) {
	def5(a, name, since, traits,
		func(f *face, out *uintptr, g uintptr, after *uintptr, n uintptr, p *P) code {
			return f.addToGraph(name, out, g, dependencies{after, n}, func() (*node, code) {
				if p == nil {
					return nil, invalidValue
				}
				return build(f, name, p)
			})
		})
}

func defineCUDAGraphBuilding(a *api) {
	for _, name := range []string{"cuGraphAddKernelNode", "cuGraphAddKernelNode_v2"} {
		since, v2 := "10.0", false
		if name == "cuGraphAddKernelNode_v2" {
			since, v2 = "12.0", true
		}
		defAdd(a, name, since, wantsThread,
			func(f *face, call string, p *cudrv.KernelNodeParams) (*node, code) {
				return f.cudaKernelNode(call, p, v2)
			})
	}
	def6(a, "cuGraphAddMemcpyNode", "10.0", wantsThread, func(f *face, out *uintptr, g uintptr,
		after *uintptr, n uintptr, p *cudrv.Memcpy3DParams, ctx uintptr) code {
		return f.addToGraph("cuGraphAddMemcpyNode", out, g, dependencies{after, n},
			func() (*node, code) { return f.cudaCopyNode("cuGraphAddMemcpyNode", p, ctx) })
	})
	def6(a, "cuGraphAddMemsetNode", "10.0", wantsThread, func(f *face, out *uintptr, g uintptr,
		after *uintptr, n uintptr, p *cudrv.MemsetNodeParams, ctx uintptr) code {
		return f.addToGraph("cuGraphAddMemsetNode", out, g, dependencies{after, n},
			func() (*node, code) { return f.cudaFillNode("cuGraphAddMemsetNode", p, ctx) })
	})
	defAdd(a, "cuGraphAddHostNode", "10.0", wantsThread,
		func(f *face, call string, p *cudrv.HostNodeParams) (*node, code) {
			spec, fault := f.hostSpec(&hostNode{p.Fn, p.UserData})
			return specNode(hostNodeType, spec, nil, fault)
		})

	defAdd(a, "cuGraphAddMemAllocNode", "11.4", wantsThread, (*face).cudaAllocNode)
	def5(a, "cuGraphConditionalHandleCreate", "12.3", wantsThread,
		func(f *face, out *uint64, g, ctx uintptr, value, flags uint32) code {
			return f.newChoice("cuGraphConditionalHandleCreate", out, g, ctx, value, flags)
		})
	def5(a, "cuGraphAddNode", "12.2", wantsThread, func(f *face, out *uintptr, g uintptr,
		after *uintptr, n uintptr, p *cudrv.GraphNodeParams) code {
		return f.cudaAddNode("cuGraphAddNode", out, g, dependencies{after, n}, p)
	})
	for name, since := range map[string]string{
		"cuGraphAddNode_v2": "12.3", "cuGraphAddNode_v3": "13.4",
	} {
		def6(a, name, since, wantsThread, func(f *face, out *uintptr, g uintptr, after *uintptr,
			edges *edgeData, n uintptr, p *cudrv.GraphNodeParams) code {
			if !plainEdges(edges, n) {
				return notSupported
			}
			return f.cudaAddNode(name, out, g, dependencies{after, n}, p)
		})
	}
	def6(a, "cuStreamBeginCaptureToGraph", "12.3", wantsThread, func(f *face, s, g uintptr,
		after *uintptr, edges *edgeData, n uintptr, mode captureMode) code {
		return f.captureToGraph("cuStreamBeginCaptureToGraph", s, g, dependencies{after, n}, edges, mode)
	})
}

// specNode returns a node with this work, if there is no fault.
func specNode(what nodeType, spec nodeSpec, c *context, fault code) (*node, code) {
	if fault != success {
		return nil, fault
	}
	n := newNode(what, spec)
	n.context = c
	return n, success
}

// contextOr resolves the handle of a context; null is the current one.
func (f *face) contextOr(h uintptr) (*context, code) {
	if h == 0 {
		return f.here()
	}
	if c := f.findContext(h); c != nil {
		return c, success
	}
	return nil, invalidContext
}

func (f *face) cudaKernelNode(call string, p *cudrv.KernelNodeParams, v2 bool) (*node, code) {
	if p == nil {
		return nil, invalidValue
	}
	spec, c, fault := f.cudaKernelSpec(call, p, v2)
	return specNode(kernelNodeType, spec, c, fault)
}

// cudaKernelSpec reads the parameters of a kernel node. Those of version 2 can name a kernel of a
// library in place of a function.
func (f *face) cudaKernelSpec(call string, p *cudrv.KernelNodeParams, v2 bool) (nodeSpec, *context,
	code) {
	fn := uintptr(p.Func)
	if v2 && fn == 0 {
		fn = uintptr((*cudrv.KernelNodeParamsV2)(unsafe.Pointer(p)).Kern)
	}
	return f.kernelSpec(call, fn, kernelRequest(p))
}

func (f *face) cudaCopyNode(call string, p *cudrv.Memcpy3DParams, ctx uintptr) (*node, code) {
	if p == nil {
		return nil, invalidValue
	}
	spec, c, fault := f.cudaCopySpec(call, p, ctx)
	return specNode(memcpyNodeType, spec, c, fault)
}

func (f *face) cudaCopySpec(call string, p *cudrv.Memcpy3DParams, ctx uintptr) (nodeSpec, *context,
	code) {
	c, fault := f.contextOr(ctx)
	if fault != success {
		return nodeSpec{}, nil, fault
	}
	asked := *p
	side := func(kind cudrv.Memorytype, host unsafe.Pointer, device cudrv.Deviceptr) (s copySide) {
		switch kind {
		case cudrv.MemorytypeHost:
			s.address = uintptr(host)
		case cudrv.MemorytypeDevice:
			s.address, s.known = uintptr(device), true
		case cudrv.MemorytypeUnified:
			s.address = uintptr(device)
		case cudrv.MemorytypeArray:
			fault = notSupported
		default:
			fault = invalidValue
		}
		return s
	}
	n := &copyNode{width: p.WidthInBytes, height: p.Height, depth: p.Depth, asked: &asked}
	n.to = side(p.DstMemoryType, p.DstHost, p.DstDevice)
	n.to.x, n.to.y, n.to.z = p.DstXInBytes, p.DstY, p.DstZ
	n.to.pitch, n.to.height = p.DstPitch, p.DstHeight
	n.from = side(p.SrcMemoryType, p.SrcHost, p.SrcDevice)
	n.from.x, n.from.y, n.from.z = p.SrcXInBytes, p.SrcY, p.SrcZ
	n.from.pitch, n.from.height = p.SrcPitch, p.SrcHeight
	if fault != success {
		return nodeSpec{}, nil, fault
	}
	spec, fault := f.copySpec(call, c, n)
	return spec, c, fault
}

func (f *face) cudaFillNode(call string, p *cudrv.MemsetNodeParams, ctx uintptr) (*node, code) {
	if p == nil {
		return nil, invalidValue
	}
	spec, c, fault := f.cudaFillSpec(call, p, ctx)
	return specNode(memsetNodeType, spec, c, fault)
}

func (f *face) cudaFillSpec(call string, p *cudrv.MemsetNodeParams, ctx uintptr) (nodeSpec,
	*context, code) {
	c, fault := f.contextOr(ctx)
	if fault != success {
		return nodeSpec{}, nil, fault
	}
	spec, fault := f.fillSpec(call, c, &fillNode{address: uintptr(p.Dst), pitch: p.Pitch,
		value: p.Value, size: uintptr(p.ElementSize), elements: p.Width, lines: p.Height})
	return spec, c, fault
}

// cudaAllocNode reads the parameters of an allocation and writes the address. Its memory is a
// device's or managed.
func (f *face) cudaAllocNode(call string, p *cudrv.MemAllocNodeParams) (*node, code) {
	props := &p.PoolProps
	ordinal, managed := *props.Location.Id(), props.AllocType == cudrv.MemAllocationTypeManaged
	switch {
	case p.Bytesize == 0, props.HandleTypes != 0, p.AccessDescCount > 0 && p.AccessDescs == nil:
		return nil, invalidValue
	case props.AllocType != cudrv.MemAllocationTypePinned && !managed,
		props.Location.Type != cudrv.MemLocationTypeDevice:
		return nil, notSupported
	}
	d, fault := f.device(ordinal)
	if fault != success {
		return nil, invalidValue
	}
	c, fault := f.here()
	if fault != success {
		return nil, fault
	}
	n := f.newAlloc(c, d, p.Bytesize, managed)
	p.Dptr = cudrv.Deviceptr(n.memory.block.at)
	asked := *p
	if p.AccessDescCount > 0 {
		list := append([]cudrv.MemAccessDesc(nil), unsafe.Slice(p.AccessDescs, p.AccessDescCount)...)
		asked.AccessDescs = &list[0]
	}
	spec := *n.spec.Load()
	spec.params = &allocNode{address: n.memory.block.at, size: p.Bytesize, asked: &asked}
	n.spec.Store(&spec)
	return n, success
}

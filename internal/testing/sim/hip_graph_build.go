package sim

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/hip"
)

func defineHIPGraphBuilding(a *api) {
	defAdd(a, "hipGraphAddKernelNode", "5.2.3", 0,
		func(f *face, call string, p *hip.KernelNodeParams) (*node, code) {
			fn, r := hipKernelRequest(p)
			spec, c, fault := f.kernelSpec(call, fn, r)
			return specNode(kernelNodeType, spec, c, fault)
		})
	defAdd(a, "hipGraphAddMemcpyNode", "5.2.3", 0,
		func(f *face, call string, p *hip.Memcpy3DParms) (*node, code) {
			spec, c, fault := f.hipCopySpec(call, p)
			return specNode(memcpyNodeType, spec, c, fault)
		})
	fn := a.define("hipGraphAddMemcpyNode1D", "5.2.3", 8, 0)
	fn.impl = func(fr *frame) uintptr {
		e := fn.enter(fr)
		if f := e.face; e.run {
			d := dependencies{arg[*uintptr](fr, 2), arg[uintptr](fr, 3)}
			p := hipCopy1D(arg[uintptr](fr, 4), arg[uintptr](fr, 5), arg[uintptr](fr, 6),
				arg[uint32](fr, 7))
			e.result = f.addToGraph(fn.name, arg[*uintptr](fr, 0), arg[uintptr](fr, 1), d,
				func() (*node, code) {
					spec, c, fault := f.hipCopySpec(fn.name, p)
					return specNode(memcpyNodeType, spec, c, fault)
				})
		}
		return e.leave()
	}
	defAdd(a, "hipGraphAddMemsetNode", "5.2.3", 0,
		func(f *face, call string, p *hip.MemsetParams) (*node, code) {
			spec, c, fault := f.hipFillSpec(call, p)
			return specNode(memsetNodeType, spec, c, fault)
		})
	defAdd(a, "hipGraphAddHostNode", "5.2.3", 0,
		func(f *face, _ string, p *hip.HostNodeParams) (*node, code) {
			spec, fault := f.hostSpec(&hostNode{p.Fn, p.UserData})
			return specNode(hostNodeType, spec, nil, fault)
		})

	defAdd(a, "hipGraphAddMemAllocNode", "5.7.1", 0, (*face).hipAllocNode)
}

// hipCopy1D returns the parameters of a copy in one dimension.
func hipCopy1D(to, from, size uintptr, kind uint32) *hip.Memcpy3DParms {
	p := &hip.Memcpy3DParms{Kind: hip.MemcpyKind(kind)}
	p.DstPtr.Ptr, p.SrcPtr.Ptr = pointerTo(to), pointerTo(from)
	p.Extent = hip.Extent{Width: size, Height: 1, Depth: 1}
	return p
}

// hipCopySpec reads the parameters of a copy. Unlike CUDA's, they have one kind for both sides.
func (f *face) hipCopySpec(call string, p *hip.Memcpy3DParms) (nodeSpec, *context, code) {
	c, fault := f.here()
	kind := uint32(p.Kind)
	switch {
	case fault != success:
		return nodeSpec{}, nil, fault
	case p.SrcArray != 0 || p.DstArray != 0:
		return nodeSpec{}, nil, notSupported
	case kind > copyDefault && kind != copyDeviceNoKernel:
		return nodeSpec{}, nil, invalidDirection
	}
	asked := *p
	side := func(at hip.PitchedPtr, pos hip.Pos) copySide {
		return copySide{address: uintptr(at.Ptr), x: pos.X, y: pos.Y, z: pos.Z, pitch: at.Pitch,
			height: at.Ysize}
	}
	n := &copyNode{to: side(p.DstPtr, p.DstPos), from: side(p.SrcPtr, p.SrcPos),
		width: p.Extent.Width, height: p.Extent.Height, depth: p.Extent.Depth, asked: &asked}
	if kind != copyHostToHost && kind != copyDefault && !f.anyKnown(n.to.address, n.from.address) {
		n.to.known, n.from.known = true, true
	}
	spec, fault := f.copySpec(call, c, n)
	return spec, c, fault
}

func (f *face) hipFillSpec(call string, p *hip.MemsetParams) (nodeSpec, *context, code) {
	c, fault := f.here()
	if fault != success {
		return nodeSpec{}, nil, fault
	}
	spec, fault := f.fillSpec(call, c, &fillNode{address: uintptr(p.Dst), pitch: p.Pitch,
		value: p.Value, size: uintptr(p.ElementSize), elements: p.Width, lines: p.Height})
	return spec, c, fault
}

// hipAllocNode reads the parameters of an allocation on a device and writes the address.
func (f *face) hipAllocNode(_ string, p *hip.MemAllocNodeParams) (*node, code) {
	props := &p.PoolProps
	switch {
	case p.Bytesize == 0:
		return nil, invalidValue
	case props.AllocType != hip.MemAllocationTypePinned,
		props.Location.Type != hip.MemLocationTypeDevice:
		return nil, notSupported
	}
	d, fault := f.device(props.Location.Id)
	if fault != success {
		return nil, invalidValue
	}
	n := f.newAlloc(d.primary, d, p.Bytesize, false)
	p.Dptr = unsafe.Pointer(pointerTo(n.memory.block.at))
	asked := *p
	if p.AccessDescCount > 0 && p.AccessDescs != nil {
		list := append([]hip.MemAccessDesc(nil), unsafe.Slice(p.AccessDescs, p.AccessDescCount)...)
		asked.AccessDescs = &list[0]
	}
	spec := *n.spec.Load()
	spec.params = &allocNode{address: n.memory.block.at, size: p.Bytesize, asked: &asked}
	n.spec.Store(&spec)
	return n, success
}

func defineHIPGraphQueries(a *api) {

	def3(a, "hipGraphInstantiateWithParams", "6.2", 0,
		func(f *face, out *uintptr, g uintptr, p *hip.GraphInstantiateParams) code {
			if p == nil {
				return invalidValue
			}
			c := f.graphInstantiate("hipGraphInstantiateWithParams", out, g, p.Flags)
			p.ErrNodeOut, p.ResultOut = 0, hip.GraphInstantiateSuccess
			if c != success {
				p.ResultOut = hip.GraphInstantiateError
			}
			return c
		})
}

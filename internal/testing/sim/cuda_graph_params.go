package sim

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/cudrv"
)

func defineCUDAGraphParams(a *api) {
	defineCUDANodeGetters(a)
	defineCUDANodeSetters(a)
	def5(a, "cuGraphInstantiate_v2", "11.0", wantsThread,
		func(f *face, out *uintptr, g uintptr, wrong *uintptr, _ *byte, _ uintptr) code {
			return f.instantiateOut("cuGraphInstantiate_v2", out, g, wrong)
		})
	for name, since := range map[string]string{
		"cuGraphNodeSetParams": "12.2", "cuGraphNodeSetParams_v2": "13.4",
	} {
		def2(a, name, since, wantsThread, func(f *face, n uintptr, p *cudrv.GraphNodeParams) code {
			return f.setGeneric(name, f.setSpec, n, p)
		})
	}
	def3(a, "cuGraphExecNodeSetParams", "12.2", wantsThread,
		func(f *face, x, n uintptr, p *cudrv.GraphNodeParams) code {
			if p != nil && p.Type == cudrv.GraphNodeTypeGraph {
				return f.execSetChild("cuGraphExecNodeSetParams", x, n, uintptr(p.Graph().Graph))
			}
			return f.setGeneric("cuGraphExecNodeSetParams", f.in(x), n, p)
		})
	def2(a, "cuGraphNodeGetParams", "13.2", wantsThread,
		func(f *face, n uintptr, p *cudrv.GraphNodeParams) code {
			return f.getGeneric("cuGraphNodeGetParams", n, p)
		})
}

func (f *face) instantiateOut(call string, out *uintptr, g uintptr, wrong *uintptr) code {
	if wrong != nil {
		*wrong = 0
	}
	return f.graphInstantiate(call, out, g, 0)
}

// defGet defines f(node, parameters) for nodes of a type, whose parameters the simulator has as T.
func defGet[T, P any](a *api, name, since string, traits trait, convert func(*T) P) {
	def2(a, name, since, traits, func(f *face, n uintptr, out *P) code {
		p, fault := paramsOfNode[T](f, name, n)
		switch {
		case fault != success:
			return fault
		case out == nil:
			return invalidValue
		}
		*out = convert(p)
		return success
	})
}

func defineCUDANodeGetters(a *api) {
	defGet(a, "cuGraphMemcpyNodeGetParams", "10.0", wantsThread, cudaCopyParams)
	defGet(a, "cuGraphMemsetNodeGetParams", "10.0", wantsThread, cudaFillParams)
	defGet(a, "cuGraphHostNodeGetParams", "10.0", wantsThread, cudaHostParams)
	defGet(a, "cuGraphMemAllocNodeGetParams", "11.4", wantsThread, cudaAllocParams)
	def2(a, "cuGraphMemFreeNodeGetParams", "11.4", wantsThread, func(f *face, n uintptr,
		out *uintptr) code {
		at, fault := f.nodeOf("cuGraphMemFreeNodeGetParams", n, freeNodeType)
		switch {
		case fault != success:
			return fault
		case out == nil:
			return invalidValue
		}
		*out = at.memory.block.at
		return success
	})
	def2(a, "cuGraphChildGraphNodeGetGraph", "10.0", wantsThread,
		func(f *face, n uintptr, out *uintptr) code {
			return f.childGraph("cuGraphChildGraphNodeGetGraph", n, out)
		})
	for name, what := range map[string]nodeType{
		"cuGraphEventRecordNodeGetEvent": recordNodeType,
		"cuGraphEventWaitNodeGetEvent":   waitNodeType,
	} {
		def2(a, name, "11.1", wantsThread, func(f *face, n uintptr, out *uintptr) code {
			at, fault := f.nodeOf(name, n, what)
			switch {
			case fault != success:
				return fault
			case out == nil:
				return invalidValue
			}
			*out = at.spec.Load().event.handle
			return success
		})
	}
}

func cudaCopyParams(p *copyNode) (q cudrv.Memcpy3DParams) {
	if asked, ok := p.asked.(*cudrv.Memcpy3DParams); ok {
		return *asked
	}
	return q
}

func cudaFillParams(p *fillNode) cudrv.MemsetNodeParams {
	return cudrv.MemsetNodeParams{Dst: cudrv.Deviceptr(p.address), Pitch: p.pitch, Value: p.value,
		ElementSize: uint32(p.size), Width: p.elements, Height: p.lines}
}

func cudaHostParams(p *hostNode) cudrv.HostNodeParams {
	return cudrv.HostNodeParams{Fn: p.fn, UserData: p.data}
}

func cudaAllocParams(p *allocNode) (q cudrv.MemAllocNodeParams) {
	if asked, ok := p.asked.(*cudrv.MemAllocNodeParams); ok {
		return *asked
	}
	q.PoolProps.AllocType = cudrv.MemAllocationTypePinned
	q.PoolProps.Location.Type = cudrv.MemLocationTypeDevice
	q.Bytesize, q.Dptr = p.size, cudrv.Deviceptr(p.address)
	return q
}

// withoutContext drops the context of a node's new work, which stays in that of the node.
func withoutContext(spec nodeSpec, _ *context, fault code) (nodeSpec, code) { return spec, fault }

func defineCUDANodeSetters(a *api) {
	for _, name := range []string{"cuGraphKernelNodeSetParams", "cuGraphKernelNodeSetParams_v2"} {
		since, v2 := "10.0", false
		if name == "cuGraphKernelNodeSetParams_v2" {
			since, v2 = "12.0", true
		}
		def2(a, name, since, wantsThread, func(f *face, n uintptr, p *cudrv.KernelNodeParams) code {
			if p == nil {
				return invalidValue
			}
			return f.setSpec(name, n, kernelNodeType, func() (nodeSpec, code) {
				return withoutContext(f.cudaKernelSpec(name, p, v2))
			})
		})
	}
	def2(a, "cuGraphMemcpyNodeSetParams", "10.0", wantsThread,
		func(f *face, n uintptr, p *cudrv.Memcpy3DParams) code {
			return f.setCopy("cuGraphMemcpyNodeSetParams", f.setSpec, n, p, 0)
		})
	def4(a, "cuGraphExecMemcpyNodeSetParams", "10.2", wantsThread,
		func(f *face, x, n uintptr, p *cudrv.Memcpy3DParams, ctx uintptr) code {
			return f.setCopy("cuGraphExecMemcpyNodeSetParams", f.in(x), n, p, ctx)
		})
	def2(a, "cuGraphMemsetNodeSetParams", "10.0", wantsThread,
		func(f *face, n uintptr, p *cudrv.MemsetNodeParams) code {
			return f.setFill("cuGraphMemsetNodeSetParams", f.setSpec, n, p, 0)
		})
	def4(a, "cuGraphExecMemsetNodeSetParams", "10.2", wantsThread,
		func(f *face, x, n uintptr, p *cudrv.MemsetNodeParams, ctx uintptr) code {
			return f.setFill("cuGraphExecMemsetNodeSetParams", f.in(x), n, p, ctx)
		})
	def2(a, "cuGraphHostNodeSetParams", "10.0", wantsThread,
		func(f *face, n uintptr, p *cudrv.HostNodeParams) code {
			return f.setHost("cuGraphHostNodeSetParams", f.setSpec, n, p)
		})
	def3(a, "cuGraphExecHostNodeSetParams", "10.2", wantsThread,
		func(f *face, x, n uintptr, p *cudrv.HostNodeParams) code {
			return f.setHost("cuGraphExecHostNodeSetParams", f.in(x), n, p)
		})
	def3(a, "cuGraphExecChildGraphNodeSetParams", "11.1", wantsThread,
		func(f *face, x, n, child uintptr) code {
			return f.execSetChild("cuGraphExecChildGraphNodeSetParams", x, n, child)
		})
	for _, k := range []struct {
		record bool
		name   string
	}{{true, "Record"}, {false, "Wait"}} {
		set := "cuGraphEvent" + k.name + "NodeSetEvent"
		def2(a, set, "11.1", wantsThread, func(f *face, n, e uintptr) code {
			return f.setEvent(set, f.setSpec, n, e, k.record)
		})
		execSet := "cuGraphExecEvent" + k.name + "NodeSetEvent"
		def3(a, execSet, "11.1", wantsThread, func(f *face, x, n, e uintptr) code {
			return f.setEvent(execSet, f.in(x), n, e, k.record)
		})
	}
}

// setter gives a node of a type other work: [face.setSpec], or what [face.in] returns.
type setter func(call string, n uintptr, what nodeType, spec func() (nodeSpec, code)) code

// in returns what gives the node of an executable graph other work that was made from one given.
func (f *face) in(x uintptr) setter {
	return func(call string, n uintptr, what nodeType, spec func() (nodeSpec, code)) code {
		return f.execSetSpec(call, x, n, what, spec)
	}
}

func (f *face) setCopy(call string, set setter, n uintptr, p *cudrv.Memcpy3DParams,
	ctx uintptr) code {
	if p == nil {
		return invalidValue
	}
	return set(call, n, memcpyNodeType, func() (nodeSpec, code) {
		return withoutContext(f.cudaCopySpec(call, p, ctx))
	})
}

func (f *face) setFill(call string, set setter, n uintptr, p *cudrv.MemsetNodeParams,
	ctx uintptr) code {
	if p == nil {
		return invalidValue
	}
	return set(call, n, memsetNodeType, func() (nodeSpec, code) {
		return withoutContext(f.cudaFillSpec(call, p, ctx))
	})
}

func (f *face) setHost(call string, set setter, n uintptr, p *cudrv.HostNodeParams) code {
	if p == nil {
		return invalidValue
	}
	return set(call, n, hostNodeType, func() (nodeSpec, code) {
		return f.hostSpec(&hostNode{p.Fn, p.UserData})
	})
}

func (f *face) setEvent(call string, set setter, n, e uintptr, record bool) code {
	what, spec := waitNodeType, waitSpec
	if record {
		what, spec = recordNodeType, recordSpec
	}
	return set(call, n, what, func() (nodeSpec, code) {
		return withoutContext(f.eventSpec(call, e, spec))
	})
}

// cudaAddNode adds a node of any type.
func (f *face) cudaAddNode(call string, out *uintptr, g uintptr, d dependencies,
	p *cudrv.GraphNodeParams) code {
	if p == nil {
		return invalidValue
	}
	return f.addToGraph(call, out, g, d, func() (*node, code) {
		switch p.Type {
		case cudrv.GraphNodeTypeEmpty:
			return emptyNode(), success
		case cudrv.GraphNodeTypeKernel:
			return f.cudaKernelNode(call, (*cudrv.KernelNodeParams)(unsafe.Pointer(p.Kernel())), true)
		case cudrv.GraphNodeTypeMemcpy:
			return f.cudaCopyNode(call, &p.Memcpy().CopyParams, uintptr(p.Memcpy().CopyCtx))
		case cudrv.GraphNodeTypeMemset:
			m := p.Memset()
			return f.cudaFillNode(call, (*cudrv.MemsetNodeParams)(unsafe.Pointer(m)), uintptr(m.Ctx))
		case cudrv.GraphNodeTypeHost:
			spec, fault := f.hostSpec(&hostNode{p.Host().Fn, p.Host().UserData})
			return specNode(hostNodeType, spec, nil, fault)
		case cudrv.GraphNodeTypeGraph:
			move := p.Graph().Ownership == cudrv.GraphChildGraphOwnershipMove
			return f.newChild(call, uintptr(p.Graph().Graph), move)
		case cudrv.GraphNodeTypeEventRecord:
			spec, c, fault := f.eventSpec(call, uintptr(p.EventRecord().Event), recordSpec)
			return specNode(recordNodeType, spec, c, fault)
		case cudrv.GraphNodeTypeWaitEvent:
			spec, c, fault := f.eventSpec(call, uintptr(p.EventWait().Event), waitSpec)
			return specNode(waitNodeType, spec, c, fault)
		case cudrv.GraphNodeTypeMemAlloc:
			return f.cudaAllocNode(call, (*cudrv.MemAllocNodeParams)(unsafe.Pointer(p.Alloc())))
		case cudrv.GraphNodeTypeMemFree:
			return f.newFree(call, uintptr(p.Free().Dptr))
		case cudrv.GraphNodeTypeConditional:
			return f.cudaConditional(call, g, p.Conditional())
		}
		return nil, notSupported
	})
}

func (f *face) cudaConditional(call string, g uintptr, p *cudrv.ConditionalNodeParams) (*node,
	code) {
	c, fault := f.contextOr(uintptr(p.Ctx))
	if fault != success {
		return nil, fault
	}
	n, fault := f.newConditional(call, g, uint64(p.Handle), conditionalType(p.Type), p.Size, c)
	if fault == success {
		p.PhGraphOut = (*cudrv.Graph)(unsafe.Pointer(n.bodyArray()))
	}
	return n, fault
}

// setGeneric gives a node other work of its type. The types are those that can change.
func (f *face) setGeneric(call string, set setter, n uintptr, p *cudrv.GraphNodeParams) code {
	if p == nil {
		return invalidValue
	}
	switch p.Type {
	case cudrv.GraphNodeTypeKernel:
		return set(call, n, kernelNodeType, func() (nodeSpec, code) {
			return withoutContext(f.cudaKernelSpec(call,
				(*cudrv.KernelNodeParams)(unsafe.Pointer(p.Kernel())), true))
		})
	case cudrv.GraphNodeTypeMemcpy:
		return f.setCopy(call, set, n, &p.Memcpy().CopyParams, uintptr(p.Memcpy().CopyCtx))
	case cudrv.GraphNodeTypeMemset:
		m := p.Memset()
		return f.setFill(call, set, n, (*cudrv.MemsetNodeParams)(unsafe.Pointer(m)), uintptr(m.Ctx))
	case cudrv.GraphNodeTypeHost:
		return f.setHost(call, set, n, (*cudrv.HostNodeParams)(unsafe.Pointer(p.Host())))
	case cudrv.GraphNodeTypeEventRecord:
		return f.setEvent(call, set, n, uintptr(p.EventRecord().Event), true)
	case cudrv.GraphNodeTypeWaitEvent:
		return f.setEvent(call, set, n, uintptr(p.EventWait().Event), false)
	}
	return notSupported
}

// getGeneric returns the parameters of a node of any type.
func (f *face) getGeneric(call string, h uintptr, p *cudrv.GraphNodeParams) code {
	n, fault := f.node(call, h)
	switch {
	case fault != success:
		return fault
	case p == nil:
		return invalidValue
	}
	*p = cudrv.GraphNodeParams{Type: cudrv.GraphNodeType(n.what)}
	spec := n.spec.Load()
	switch n.what {
	case kernelNodeType:
		f.kernelParams((*cudrv.KernelNodeParamsV2)(unsafe.Pointer(p.Kernel())), spec.kernel)
	case memcpyNodeType:
		if q, ok := spec.params.(*copyNode); ok {
			p.Memcpy().CopyParams, p.Memcpy().CopyCtx = cudaCopyParams(q), cudrv.Context(n.context.handle)
		}
	case memsetNodeType:
		if q, ok := spec.params.(*fillNode); ok {
			*(*cudrv.MemsetNodeParams)(unsafe.Pointer(p.Memset())) = cudaFillParams(q)
			p.Memset().Ctx = cudrv.Context(n.context.handle)
		}
	case hostNodeType:
		if q, ok := spec.params.(*hostNode); ok {
			p.Host().Fn, p.Host().UserData = q.fn, q.data
		}
	case childNodeType:
		var child uintptr
		if fault := f.childGraph(call, h, &child); fault != success {
			return fault
		}
		p.Graph().Graph = cudrv.Graph(child)
	case recordNodeType:
		p.EventRecord().Event = cudrv.Event(spec.event.handle)
	case waitNodeType:
		p.EventWait().Event = cudrv.Event(spec.event.handle)
	case allocNodeType:
		q := cudaAllocParams(spec.params.(*allocNode))
		*(*cudrv.MemAllocNodeParams)(unsafe.Pointer(p.Alloc())) = q
	case freeNodeType:
		p.Free().Dptr = cudrv.Deviceptr(n.memory.block.at)
	case conditionalNodeType:
		q := p.Conditional()
		q.Handle, q.Type = cudrv.GraphConditionalHandle(n.choice.handle),
			cudrv.GraphConditionalNodeType(n.choice.what)
		q.Size, q.PhGraphOut = uint32(len(n.bodies)), (*cudrv.Graph)(unsafe.Pointer(n.bodyArray()))
	}
	return success
}

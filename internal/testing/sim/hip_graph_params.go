package sim

import (
	"github.com/gpuevent/gpuevent/hip"
)

func defineHIPGraphParams(a *api) {
	defGet(a, "hipGraphMemcpyNodeGetParams", "5.2.3", 0, hipCopyParams)
	defGet(a, "hipGraphMemsetNodeGetParams", "5.2.3", 0, hipFillParams)
	defGet(a, "hipGraphHostNodeGetParams", "5.2.3", 0, func(p *hostNode) hip.HostNodeParams {
		return hip.HostNodeParams{Fn: p.fn, UserData: p.data}
	})
	defGet(a, "hipGraphMemAllocNodeGetParams", "5.7.1", 0, hipAllocParams)
	def2(a, "hipGraphMemFreeNodeGetParams", "5.7.1", 0, func(f *face, n uintptr, out *uintptr) code {
		at, fault := f.nodeOf("hipGraphMemFreeNodeGetParams", n, freeNodeType)
		switch {
		case fault != success:
			return fault
		case out == nil:
			return invalidValue
		}
		*out = at.memory.block.at
		return success
	})
	def2(a, "hipGraphChildGraphNodeGetGraph", "5.2.3", 0, func(f *face, n uintptr, out *uintptr) code {
		return f.childGraph("hipGraphChildGraphNodeGetGraph", n, out)
	})
	def3(a, "hipGraphExecChildGraphNodeSetParams", "5.2.3", 0,
		func(f *face, x, n, child uintptr) code {
			return f.execSetChild("hipGraphExecChildGraphNodeSetParams", x, n, child)
		})
	def2(a, "hipGraphKernelNodeSetParams", "5.2.3", 0,
		func(f *face, n uintptr, p *hip.KernelNodeParams) code {
			if p == nil {
				return invalidValue
			}
			fn, r := hipKernelRequest(p)
			return f.setSpec("hipGraphKernelNodeSetParams", n, kernelNodeType, func() (nodeSpec, code) {
				return withoutContext(f.kernelSpec("hipGraphKernelNodeSetParams", fn, r))
			})
		})
	defHIPSet(a, "MemcpyNodeSetParams", memcpyNodeType,
		func(f *face, call string, p *hip.Memcpy3DParms) (nodeSpec, code) {
			return withoutContext(f.hipCopySpec(call, p))
		})
	defHIPSet(a, "MemsetNodeSetParams", memsetNodeType,
		func(f *face, call string, p *hip.MemsetParams) (nodeSpec, code) {
			return withoutContext(f.hipFillSpec(call, p))
		})
	defHIPSet(a, "HostNodeSetParams", hostNodeType,
		func(f *face, _ string, p *hip.HostNodeParams) (nodeSpec, code) {
			return f.hostSpec(&hostNode{p.Fn, p.UserData})
		})
	def5(a, "hipGraphMemcpyNodeSetParams1D", "5.2.3", 0,
		func(f *face, n, to, from, size uintptr, kind uint32) code {
			call := "hipGraphMemcpyNodeSetParams1D"
			return f.setSpec(call, n, memcpyNodeType, func() (nodeSpec, code) {
				return withoutContext(f.hipCopySpec(call, hipCopy1D(to, from, size, kind)))
			})
		})
	def6(a, "hipGraphExecMemcpyNodeSetParams1D", "5.2.3", 0,
		func(f *face, x, n, to, from, size uintptr, kind uint32) code {
			call := "hipGraphExecMemcpyNodeSetParams1D"
			return f.execSetSpec(call, x, n, memcpyNodeType, func() (nodeSpec, code) {
				return withoutContext(f.hipCopySpec(call, hipCopy1D(to, from, size, kind)))
			})
		})
	for _, k := range []struct {
		name string
		what nodeType
		spec func(*event) nodeSpec
	}{{"Record", recordNodeType, recordSpec}, {"Wait", waitNodeType, waitSpec}} {
		get := "hipGraphEvent" + k.name + "NodeGetEvent"
		def2(a, get, "5.2.3", 0, func(f *face, n uintptr, out *uintptr) code {
			at, fault := f.nodeOf(get, n, k.what)
			switch {
			case fault != success:
				return fault
			case out == nil:
				return invalidValue
			}
			*out = at.spec.Load().event.handle
			return success
		})
		set := "hipGraphEvent" + k.name + "NodeSetEvent"
		def2(a, set, "5.2.3", 0, func(f *face, n, e uintptr) code {
			return f.setSpec(set, n, k.what, func() (nodeSpec, code) {
				return withoutContext(f.eventSpec(set, e, k.spec))
			})
		})
		execSet := "hipGraphExecEvent" + k.name + "NodeSetEvent"
		def3(a, execSet, "5.2.3", 0, func(f *face, x, n, e uintptr) code {
			return f.execSetSpec(execSet, x, n, k.what, func() (nodeSpec, code) {
				return withoutContext(f.eventSpec(execSet, e, k.spec))
			})
		})
	}
}

// defHIPSet defines the two functions that set a node's parameters: hipGraphX for the node, and
// hipGraphExecX for that of an executable graph.
func defHIPSet[P any](a *api, name string, what nodeType,
	spec func(f *face, call string, p *P) (nodeSpec, code)) {
	set, execSet := "hipGraph"+name, "hipGraphExec"+name
	def2(a, set, "5.2.3", 0, func(f *face, n uintptr, p *P) code {
		if p == nil {
			return invalidValue
		}
		return f.setSpec(set, n, what, func() (nodeSpec, code) { return spec(f, set, p) })
	})
	def3(a, execSet, "5.2.3", 0, func(f *face, x, n uintptr, p *P) code {
		if p == nil {
			return invalidValue
		}
		return f.execSetSpec(execSet, x, n, what, func() (nodeSpec, code) {
			return spec(f, execSet, p)
		})
	})
}

func hipCopyParams(p *copyNode) (q hip.Memcpy3DParms) {
	if asked, ok := p.asked.(*hip.Memcpy3DParms); ok {
		return *asked
	}
	return q
}

func hipFillParams(p *fillNode) hip.MemsetParams {
	return hip.MemsetParams{Dst: pointerTo(p.address), Pitch: p.pitch, Value: p.value,
		ElementSize: uint32(p.size), Width: p.elements, Height: p.lines}
}

func hipAllocParams(p *allocNode) (q hip.MemAllocNodeParams) {
	if asked, ok := p.asked.(*hip.MemAllocNodeParams); ok {
		return *asked
	}
	q.PoolProps.AllocType = hip.MemAllocationTypePinned
	q.PoolProps.Location.Type = hip.MemLocationTypeDevice
	q.Bytesize, q.Dptr = p.size, pointerTo(p.address)
	return q
}

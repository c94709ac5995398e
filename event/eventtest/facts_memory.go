package eventtest

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

var memoryFacts = []fact{
	{"cuda-empty-pool-allocation", func(p *probe) {
		s := cudrv.Stream(p.stream())
		at, err := cudrv.MemAllocAsync(0, s)
		p.code("allocation of nothing from a pool", err, successCode)
		if err == nil && at != 0 {
			_ = cudrv.MemFreeAsync(at, s)
		}
	}},
	{"cuda-host-alloc-flags", func(p *probe) {
		at, err := cudrv.MemHostAlloc(64, 1<<30)
		p.code("allocation with an undefined flag", err, invalidValueCode)
		if err == nil {
			_ = cudrv.MemFreeHost(at)
		}
	}},
	{"cuda-null-kernel-name", func(p *probe) {
		_, err := cudrv.KernelGetName(0)
		p.code("name of a null kernel", err, invalidValueCode)
	}},
	{"amd-null-graph", func(p *probe) {
		p.code("destroying a null graph", hip.GraphDestroy(0), invalidValueCode)
		p.code("a null executable one", hip.GraphExecDestroy(0), invalidValueCode)
	}},
	{"amd-address-range-pointer", func(p *probe) {
		x := new(int)
		_, _, err := hip.MemGetAddressRange(hip.Deviceptr(uintptr(unsafe.Pointer(x))))
		p.code("range of unknown memory", err, 17)
	}},
	{"cuda-fill-aligned", func(p *probe) {
		at := p.cudaMemory(64)
		s := cudrv.Stream(p.stream())
		p.code("fill of an odd address with words", cudrv.MemsetD32Async(at+2, 0, 1, s),
			invalidValueCode)
		p.code("of an even one with halves", cudrv.MemsetD16Async(at+2, 0, 1, s), successCode)
	}},
	{"cuda-synchronous-copy-in-capture", func(p *probe) {
		at := p.cudaMemory(64)
		c := p.capture(p.blockingStream(), relaxed)
		p.code("fill while a blocking stream captures", cudrv.MemsetD8(at, 0, 64), implicitCode)
		p.code("end of the capture", c.finish(), invalidatedCode)
		c = p.capture(p.stream(), global)
		p.code("while another one does", cudrv.MemsetD8(at, 0, 64), unsupportedCode)
		p.code("end of that capture", c.finish(), invalidatedCode)
	}},
	{"cuda-register-overlap", func(p *probe) {
		b := make([]byte, 1<<16)
		at := unsafe.Pointer(&b[0])
		p.needs("register memory", cudrv.MemHostRegister(at, 1<<16, 0))
		p.later(func() { _ = cudrv.MemHostUnregister(at) })
		p.code("a second time", cudrv.MemHostRegister(at, 1<<16, 0), registeredCode)
	}},
	{"amd-allocation-heeds-captures", func(p *probe) {
		p.hipMemory(64)
		c := p.capture(p.stream(), global)
		p.inMode(relaxed, func() {
			at, err := hip.Malloc(64)
			p.code("allocation in a relaxed thread", err, successCode)
			if err == nil {
				p.code("and its free", hip.Free(at), successCode)
			}
		})
		p.inMode(global, func() {
			_, err := hip.Malloc(64)
			p.code("allocation in a global one", err, unsupportedCode)
		})
		_ = c.finish()
	}},
	{"amd-memory-calls-spoil-captures", func(p *probe) {
		at := hip.Deviceptr(uintptr(p.hipMemory(64)))
		c := p.capture(p.stream(), relaxed)
		p.code("fill during a relaxed capture", hip.MemsetD8(at, 0, 64), implicitCode)
		p.code("end of the capture", c.finish(), invalidatedCode)
	}},
	{"amd-malloc-async-not-captured", func(p *probe) {
		s := p.stream()
		c := p.capture(s, relaxed)
		at, err := hip.MallocAsync(64, hip.Stream(s))
		p.code("allocation on a captured stream", err, successCode)
		graph, err := p.endCapture(s)
		p.needs("end the capture", err)
		c.ended = true
		p.later(func() { _ = p.destroyGraph(graph) })
		n := uintptr(0)
		p.needs("count the nodes", hip.GraphGetNodes(hip.Graph(graph), nil, &n))
		p.note(n == 0, "nodes: %d", n)
		if n == 0 {
			p.later(func() { _ = hip.Free(at) })
		}
	}},
	{"amd-async-memory-heeds-captures", func(p *probe) {
		other := p.stream()
		at, err := hip.MallocAsync(64, hip.Stream(other))
		p.needs("allocate asynchronously", err)
		p.later(func() { _ = hip.Free(at) })
		c := p.capture(p.blockingStream(), relaxed)
		another, err := hip.MallocAsync(64, hip.Stream(other))
		p.code("allocation elsewhere while a blocking stream captures", err, unsupportedCode)
		if err == nil {
			p.later(func() { _ = hip.Free(another) })
		}
		p.code("end of the capture", c.finish(), successCode)
	}},
	{"amd-old-memory-types", func(p *probe) {
		a, err := hip.PointerGetAttributes(p.hipMemory(64))
		p.code("question about memory of the device", err, successCode)
		p.note(a.Type == 1, "type %d", a.Type)
	}},
	{"chip-pools-unsupported", func(p *probe) {
		_, err := hip.DeviceGetDefaultMemPool(0)
		p.code("default pool of the device", err, notSupportedCode)
	}},
}

func (p *probe) cudaMemory(size uintptr) cudrv.Deviceptr {
	at, err := cudrv.MemAlloc(size)
	p.needs("allocate memory", err)
	p.later(func() { _ = cudrv.MemFree(at) })
	return at
}

func (p *probe) hipMemory(size uintptr) unsafe.Pointer {
	at, err := hip.Malloc(size)
	p.needs("allocate memory", err)
	p.later(func() { _ = hip.Free(at) })
	return at
}

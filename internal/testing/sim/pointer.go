package sim

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/hip"
)

// Attributes of an address.
const (
	pointerContext    = 1
	pointerType       = 2
	pointerDevice     = 3
	pointerHost       = 4
	pointerManaged    = 8
	pointerOrdinal    = 9
	pointerRangeStart = 11
	pointerRangeSize  = 12
	pointerMapped     = 13
)

// Types of memory: CUDA's, and HIP's since version 6.
const (
	memoryOfHost   = 1
	memoryOfDevice = 2
)

func (f *face) pointerAttribute(data unsafe.Pointer, attribute int32, address uintptr) code {
	f.memory.mu.Lock()
	b := f.memory.live.of(address)
	f.memory.mu.Unlock()
	if data == nil || b == nil || b.freeing {
		return invalidValue
	}
	return f.attributeOf(b, data, attribute, address)
}

func (f *face) attributeOf(b *block, data unsafe.Pointer, attribute int32, address uintptr) code {
	put32 := func(v int32) code { *(*int32)(data) = v; return success }
	put := func(v uintptr) code { *(*uintptr)(data) = v; return success }
	switch attribute {
	case pointerContext:
		if f.hip() {
			return notSupported
		}
		return put(b.context.handle)
	case pointerType:
		return put32(f.memoryType(b))
	case pointerHost:
		if b.kind == deviceBlock {
			return invalidValue
		}
		return put(address)
	case pointerDevice:
		return put(address)
	case pointerManaged:
		if b.managed != nil {
			return put32(1)
		}
		return put32(0)
	case pointerOrdinal:
		return put32(int32(b.owner().ordinal))
	case pointerRangeStart:
		return put(b.at)
	case pointerRangeSize:
		return put(b.size)
	case pointerMapped:
		return put32(1)
	}
	return invalidValue
}

func (f *face) memoryType(b *block) int32 {
	t := int32(memoryOfHost)
	if b.kind == deviceBlock || b.kind == managedBlock {
		t = memoryOfDevice
	}
	if f.plays(amdOldMemoryTypes) {
		t--
	}
	return t
}

// pointerAttributes writes several. Those of memory that the driver does not know are 0.
func (f *face) pointerAttributes(n uint32, attributes *int32, data *unsafe.Pointer,
	address uintptr) code {
	if n == 0 || attributes == nil || data == nil {
		return invalidValue
	}
	to := unsafe.Slice(data, n)
	for i, attribute := range unsafe.Slice(attributes, n) {
		if to[i] == nil {
			return invalidValue
		}
		if f.pointerAttribute(to[i], attribute, address) == success {
			continue
		}
		switch attribute {
		case pointerContext, pointerDevice, pointerHost, pointerRangeStart, pointerRangeSize:
			*(*uintptr)(to[i]) = 0
		default:
			*(*int32)(to[i]) = 0
		}
	}
	return success
}

// hipPointerAttributes fills HIP's struct.
func (f *face) hipPointerAttributes(out *hip.PointerAttributes, address uintptr) code {
	if out == nil || address == 0 {
		return invalidValue
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	*out = hip.PointerAttributes{}
	b := f.memory.live.of(address)
	if b == nil || b.freeing {
		if f.plays(amdOldMemoryTypes) {
			return invalidValue
		}
		return success
	}
	out.Type = hip.MemoryType(f.memoryType(b))
	out.Device = int32(b.owner().ordinal)
	out.DevicePointer = pointerTo(address)
	if b.kind != deviceBlock {
		out.HostPointer = out.DevicePointer
	}
	out.AllocationFlags = b.flags
	return success
}

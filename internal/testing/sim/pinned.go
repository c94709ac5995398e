package sim

import "unsafe"

// hostAllocFlags are all flags of cuMemHostAlloc.
const hostAllocFlags = 7

// hostAlloc allocates memory of the host that devices see.
func (f *face) hostAlloc(out *uintptr, size uintptr, flags uint32) code {
	if !f.hip() && flags > hostAllocFlags {
		return invalidValue
	}
	if fault := f.mayManageMemory(); fault != success {
		return fault
	}
	return f.allocHost(out, size, flags, hostBlock)
}

func (f *face) allocHost(out *uintptr, size uintptr, flags uint32, kind blockKind) code {
	c, fault := f.here()
	switch {
	case out == nil:
		return invalidValue
	case size == 0:
		return f.allocateNothing(out)
	case size > f.m.options.Memory:
		return outOfMemory
	case fault != success:
		return fault
	}
	data := newMemory(size)
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	*out = f.add(&block{at: uintptr(unsafe.Pointer(&data[0])), size: size, kind: kind,
		context: c, flags: flags, data: data, reached: true})
	return success
}

// hostRegister makes memory of the process known to the driver.
func (f *face) hostRegister(p unsafe.Pointer, size uintptr, flags uint32) code {
	c, fault := f.here()
	switch {
	case p == nil || size == 0 || flags > 15:
		return invalidValue
	case fault != success:
		return fault
	}
	if fault := f.mayManageMemory(); fault != success {
		return fault
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	if isDeviceAddress(uintptr(p)) {
		return invalidValue
	}
	if f.memory.live.overlap(uintptr(p), size) != nil {
		return hostRegistered
	}
	f.add(&block{at: uintptr(p), size: size, kind: registeredBlock, context: c, flags: flags,
		data: unsafe.Slice((*byte)(p), size), reached: true})
	return success
}

// hostUnregister ends a registration. The memory stays the process's.
func (f *face) hostUnregister(call string, p unsafe.Pointer) code {
	if p == nil {
		return invalidValue
	}
	if fault := f.mayManageMemory(); fault != success {
		return fault
	}
	b := f.claim(call, uintptr(p), func(b *block) bool { return b.kind == registeredBlock })
	if b == nil {
		return hostNotRegistered
	}
	late := f.beforeFree(b)
	f.release(call, b)
	return late
}

func (f *face) devicePointer(out *uintptr, address uintptr) code {
	if out == nil || f.bytes(address, 1) == nil {
		return invalidValue
	}
	*out = address
	return success
}

func (f *face) hostFlags(out *uint32, address uintptr) code {
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	b := f.memory.live.of(address)
	if out == nil || b == nil || b.kind == deviceBlock || b.kind == managedBlock {
		return invalidValue
	}
	*out = b.flags
	return success
}

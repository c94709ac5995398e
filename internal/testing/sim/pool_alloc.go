package sim

import "unsafe"

// low is where the low half of a number is.
func low(n *uint64) *int32 { return (*int32)(unsafe.Pointer(n)) }

// allocAsync allocates from a pool, or from the default one of the stream's device. The address is
// valid at once, for calls; the memory can be used by work behind the allocation.
func (f *face) allocAsync(call string, out *uintptr, size uintptr, from *pool, h uintptr) code {
	s, fault := f.stream(call, h)
	switch {
	case out == nil:
		return invalidValue
	case fault != success:
		return fault
	case size == 0:
		*out = 0
		return success
	case f.plays(chipPoolsUnsupported): // the runtime ignores the stream
		return f.alloc(out, size)
	}
	p := from
	if p == nil {
		p = f.defaultPool(s.context.device)
	}
	if s.capture.Load() != nil && !f.plays(amdMallocAsyncNotCaptured) {
		return f.captureAlloc(s, out, size, p.device)
	}
	if fault := f.legacyMayWork(s); fault != success {
		return fault
	}
	if from == nil {
		if fault := f.mayManageAsync(call, s); fault != success {
			return fault
		}
	}
	f.memory.mu.Lock()
	if !p.take(size) {
		f.memory.mu.Unlock()
		return outOfMemory
	}
	b := newBlock(size, p.device, s.context, p.managed)
	b.pool, b.allocator, b.allocatorTold = p, s, s.toldNow()
	*out = f.add(b)
	f.memory.mu.Unlock()
	fault = s.whenReached(func() {
		f.memory.mu.Lock()
		b.reached = true
		f.memory.mu.Unlock()
	})
	if fault != success {
		f.release(call, b)
	}
	return fault
}

func (f *face) allocFromPool(call string, out *uintptr, size, pool, h uintptr) code {
	if f.plays(chipPoolsUnsupported) { // the runtime ignores the pool
		return f.allocAsync(call, out, size, nil, h)
	}
	p, fault := f.pool(call, pool)
	if fault != success {
		return fault
	}
	return f.allocAsync(call, out, size, p, h)
}

// freeAsync frees memory of a pool when its stream comes to it. No later call may name the memory.
func (f *face) freeAsync(call string, address, h uintptr) code {
	s, fault := f.stream(call, h)
	switch {
	case fault != success:
		return fault
	case f.plays(chipPoolsUnsupported):
		return f.free(call, address, deviceBlock)
	case address == 0: // what an allocation of nothing returned
		return invalidValue
	}
	if s.capture.Load() != nil && !f.plays(amdMallocAsyncNotCaptured) {
		return f.captureFree(call, s, address)
	}
	if fault := f.legacyMayWork(s); fault != success {
		return fault
	}
	if fault := f.mayManageAsync(call, s); fault != success {
		return fault
	}
	if f.plays(amdFreeAsyncAnything) && f.plainBlock(address) {
		return f.free(call, address, deviceBlock)
	}
	b := f.claim(call, address, func(b *block) bool { return b.pool != nil || b.node.made })
	if b == nil {
		return invalidValue
	}
	if b.pool != nil {
		f.memory.mu.Lock()
		why := b.freedBy(s)
		f.memory.mu.Unlock()
		if why != "" {
			f.note(Crash{call, address, why}, false)
		}
	}
	return s.whenReached(func() { f.release(call, b) })
}

// plainBlock reports whether an address has memory that does not belong to a pool or a graph.
func (f *face) plainBlock(address uintptr) bool {
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	b := f.memory.live.of(address)
	return b != nil && b.pool == nil && !b.node.made
}

// whenReached calls fn when the stream comes to the place, or fails before that.
func (s *stream) whenReached(fn func()) code {
	if err := s.queue.Delay(0); err != nil { // adds the order with the legacy stream
		fn()
		return codeOf(err)
	}
	p, err := s.queue.Mark()
	if err != nil {
		fn()
		return codeOf(err)
	}
	p.OnDone(func(error) { fn() })
	return success
}

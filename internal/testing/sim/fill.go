package sim

// fill makes a stream write count times the size low bytes of value.
func (f *face) fill(call string, address uintptr, value uint32, size, count, h uintptr,
	sync bool) code {
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	if sync {
		if fault := f.mayCopyNow(s); fault != success {
			return fault
		}
	}
	switch {
	case count == 0:
		return success
	case count > ^uintptr(0)/size, address == 0,
		address%size != 0 && f.plays(cudaFillAligned):
		return invalidValue
	}
	b := f.known(call, address, size*count)
	if b == nil {
		return invalidValue
	}
	f.uses(call, s, address)
	if b.kind != deviceBlock {
		s.tells()
	}
	fault = f.typed(memsetNodeType, s, do(func() error {
		at, err := f.lease(call, s.context, address, size*count)
		if err != nil {
			return err
		}
		defer f.endLease(at)
		repeat(at.bytes, value, size)
		return nil
	}))
	waits := b.kind != deviceBlock || f.plays(amdFillWaits) ||
		address != b.at && f.plays(amdInnerFillWaits)
	if fault == success && sync && waits {
		return codeOf(s.queue.Sync())
	}
	return fault
}

// repeat fills memory with the size low bytes of value.
func repeat(b []byte, value uint32, size uintptr) {
	for i := range size {
		b[i] = byte(value >> (8 * i))
	}
	for done := int(size); done < len(b); done *= 2 {
		copy(b[done:], b[:done])
	}
}

package sim

// fill makes a stream write count times the size low bytes of value.
func (f *face) fill(call string, address uintptr, value uint32, size, count, h uintptr) code {
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	b := f.bytes(address, size*count)
	if b == nil {
		return invalidValue
	}
	return f.typed(memsetNodeType, s, do(func() error {
		for i := range b {
			b[i] = byte(value >> (8 * (uintptr(i) % size)))
		}
		return nil
	}))
}

package sim

func (f *face) devicePointer(out *uintptr, address uintptr) code {
	if out == nil || f.bytes(address, 1) == nil {
		return invalidValue
	}
	*out = address
	return success
}

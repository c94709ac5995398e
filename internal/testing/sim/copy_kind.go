package sim

// Kinds of HIP's copies.
const (
	copyHostToHost     = 0
	copyHostToDevice   = 1
	copyDefault        = 4
	copyDeviceNoKernel = 1024
)

// copyKind copies by HIP's rules: memory that the runtime does not know counts as the host's,
// whatever the kind is. Only a copy from the host to itself must say so.
func (f *face) copyKind(call string, to, from, size uintptr, kind uint32, h uintptr,
	sync bool) code {
	if kind > copyDefault && kind != copyDeviceNoKernel {
		return invalidDirection
	}
	r := copyAny
	if kind != copyHostToHost && kind != copyDefault && size > 0 &&
		!f.anyKnown(to, from) { // both are the host's
		r = copyWithin
	}
	return f.copyMemory(call, to, from, size, h, r, sync)
}

func (f *face) anyKnown(addresses ...uintptr) bool {
	for _, address := range addresses {
		if f.bytes(address, 1) != nil {
			return true
		}
	}
	return false
}

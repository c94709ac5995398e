package image

// offloadedSection is where clang puts the code for GPUs in an object file for the host.
const offloadedSection = ".hip_fatbin"

// Offloaded returns the bundle of code for GPUs in an ELF file for a host processor, as clang
// writes it for HIP. It is nil if b is no such file, or has none. It shares memory with b.
func Offloaded(b []byte) []byte {
	if !hasPrefix(b, elfMagic) || KindOf(b) != Unknown {
		return nil
	}
	f, err := readELF(b)
	if err != nil {
		return nil
	}
	for i := range f.sections {
		if f.sections[i].name != offloadedSection {
			continue
		}
		part, err := f.bytes(&f.sections[i])
		if k := KindOf(part); err == nil && (k == Bundle || k == CompressedBundle) {
			return part
		}
	}
	return nil
}

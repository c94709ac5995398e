package image

import (
	"bytes"
	"strings"
)

// Global is a variable in the GPU's memory that the host can find by its name.
type Global struct {
	Name string // in C++ the mangled one
	Size uint64 // in bytes
}

// Global returns the variable of a name.
func (im *Image) Global(name string) (Global, bool) {
	for _, g := range im.Globals {
		if g.Name == name {
			return g, true
		}
	}
	return Global{}, false
}

// globals are the variables among symbols.
func globals(symbols []symbol) (list []Global) {
	for i := range symbols {
		if s := &symbols[i]; s.variable() {
			list = append(list, Global{s.name, s.size})
		}
	}
	return list
}

// variable reports whether a symbol is a variable of the source. That a symbol is local says
// nothing: NVRTC makes all variables local, and its guide finds them with cuModuleGetGlobal.
// Compilers add variables of their own: NVIDIA's begin with .nv or $, AMD's are descriptors of
// kernels and an identity.
func (s *symbol) variable() bool {
	return s.object() && s.section != 0 && s.size != 0 && s.name != "" &&
		!strings.ContainsAny(s.name[:1], ".$") && !strings.HasSuffix(s.name, ".kd") &&
		!strings.HasPrefix(s.name, "__hip_cuid_")
}

// Values returns the bytes that the variables of a cubin or a code object begin with, by name.
// Variables that begin with zeroes are missing. The bytes share no memory with b.
func Values(b []byte) map[string][]byte {
	kind := uint32(sectionSymbols)
	switch KindOf(b) {
	case Cubin:
	case CodeObject:
		kind = sectionDynamic
	default:
		return nil
	}
	f, err := readELF(b)
	if err != nil {
		return nil
	}
	symbols, err := f.symbols(kind)
	if err != nil {
		return nil
	}
	values, left := map[string][]byte{}, uint64(len(b)) // variables may lie over each other
	for i := range symbols {
		s := &symbols[i]
		if !s.variable() || s.size > left {
			continue
		}
		if v := f.value(s); v != nil {
			left -= s.size
			values[strings.Clone(s.name)] = v
		}
	}
	return values
}

// value returns a copy of the data of a symbol; nil if the file has none.
func (f *elf) value(s *symbol) []byte {
	if int(s.section) >= len(f.sections) {
		return nil
	}
	in := &f.sections[s.section]
	data, err := f.bytes(in)
	at, n := s.value-in.address, uint64(len(data))
	if err != nil || s.value < in.address || at > n || s.size > n-at {
		return nil
	}
	return bytes.Clone(data[at:][:s.size])
}

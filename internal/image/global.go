package image

import "strings"

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

// globals are the variables among symbols. That a symbol is local says nothing: NVRTC makes all
// variables local, and its guide finds them with cuModuleGetGlobal. Compilers add variables of
// their own: NVIDIA's begin with .nv or $, AMD's are descriptors of kernels and an identity.
func globals(symbols []symbol) (list []Global) {
	for i := range symbols {
		s := &symbols[i]
		if !s.object() || s.section == 0 || s.size == 0 || s.name == "" ||
			strings.ContainsAny(s.name[:1], ".$") || strings.HasSuffix(s.name, ".kd") ||
			strings.HasPrefix(s.name, "__hip_cuid_") {
			continue
		}
		list = append(list, Global{s.name, s.size})
	}
	return list
}

// Package images makes GPU images for tests and for the simulated compilers: of the formats that
// drivers load, with kernels that have a name and parameters but no code.
package images

// Kernel is a kernel without code.
type Kernel struct {
	Name       string
	Params     []Param
	MaxThreads uint32 // of a block; 0 if the source does not bound it
	Shared     uint32 // bytes of static shared memory; not in PTX
	Registers  uint32 // of a thread; not in PTX
}

// Param is a parameter.
type Param struct {
	Offset, Size, Align uint32
	Pointer             bool
}

// Pack returns parameters of these sizes at the offsets that C gives them, each as aligned as it is
// large. A size of 0 stands for a pointer.
func Pack(sizes ...uint32) []Param {
	var all []Param
	end := uint32(0)
	for _, size := range sizes {
		p := Param{Size: size, Align: size}
		if size == 0 {
			p = Param{Size: 8, Align: 8, Pointer: true}
		}
		end = (end + p.Align - 1) &^ (p.Align - 1)
		p.Offset = end
		end += p.Size
		all = append(all, p)
	}
	return all
}

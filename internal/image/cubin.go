package image

import (
	"encoding/binary"
	"fmt"
	"strings"
)

const (
	cubinABI       = 8    // of CUDA 13, and of 12 for sm_100 on; before it was 7
	symbolEntry    = 0x10 // a bit of a symbol that is a kernel
	reservedShared = 1024 // bytes of a block's shared memory that CUDA takes
	reservedFrom   = 90   // from sm_90 on, sections .nv.shared have them
)

func (im *Image) readCubin(b []byte) error {
	f, err := readELF(b)
	if err != nil {
		return err
	}
	sm, suffix := cubinTarget(f)
	im.Targets = []string{fmt.Sprintf("sm_%d%s", sm, suffix)}
	symbols, err := f.symbols(sectionSymbols)
	if err != nil {
		return err
	}
	im.Globals = globals(symbols)
	places := map[string]int{}
	for i := range symbols {
		s := &symbols[i]
		if s.function() && s.other&symbolEntry != 0 && s.section != 0 && s.name != "" {
			if _, twice := places[s.name]; !twice {
				places[s.name] = len(im.Kernels)
				im.Kernels = append(im.Kernels,
					Kernel{Name: s.name, Resources: &Resources{WaveSize: 32}})
			}
		}
	}
	c := cubin{f, symbols, im.Kernels, places, sm, len(b)}
	return c.readInfo()
}

// cubinTarget returns the GPU that machine code is for. Since CUDA 13 the suffix is lost: code for
// sm_90a has the header of code for sm_90.
func cubinTarget(f *elf) (sm uint32, suffix string) {
	if f.abi >= cubinABI {
		if f.flags&0x8 != 0 {
			suffix = "a"
		}
		return f.flags >> 8 & 0xff, suffix
	}
	if f.flags&0x800 != 0 {
		suffix = "a"
	}
	return f.flags & 0xff, suffix
}

// cubin fills in the kernels from the sections that describe them.
type cubin struct {
	*elf
	symbols []symbol
	kernels []Kernel
	places  map[string]int // of kernels, by name
	sm      uint32
	budget  int // bytes of sections that may still be read: sections may lie over each other
}

func (c *cubin) readInfo() error {
	for i := range c.sections {
		s := &c.sections[i]
		if name, ok := strings.CutPrefix(s.name, ".nv.shared."); ok && s.kind == sectionNoBits {
			if k := c.kernel(name); k != nil {
				k.Resources.Shared = c.shared(s.size)
			}
		}
		if s.kind != sectionCUDA || !strings.HasPrefix(s.name, ".nv.info") {
			continue
		}
		b, err := c.bytes(s)
		if err != nil {
			return err
		}
		if c.budget -= len(b); c.budget < 0 {
			return malformed("its sections lie over each other")
		}
		name, ofKernel := strings.CutPrefix(s.name, ".nv.info.")
		switch k := c.kernel(name); {
		case s.name == ".nv.info":
			err = records(b, c.ofAll)
		case ofKernel && k != nil:
			err = readKernelInfo(k, b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *cubin) kernel(name string) *Kernel {
	if i, ok := c.places[name]; ok {
		return &c.kernels[i]
	}
	return nil
}

// shared is what a kernel's own variables take of its section of shared memory.
func (c *cubin) shared(size uint64) uint32 {
	if c.sm >= reservedFrom {
		size -= min(size, reservedShared)
	}
	return uint32(min(size, 1<<32-1))
}

// ofAll takes a record about all kernels: a symbol and a number.
func (c *cubin) ofAll(r record) {
	if len(r.payload) < 8 {
		return
	}
	le := binary.LittleEndian
	i, value := le.Uint32(r.payload), le.Uint32(r.payload[4:])
	if uint64(i) >= uint64(len(c.symbols)) {
		return
	}
	if k := c.kernel(c.symbols[i].name); k != nil {
		switch r.attribute {
		case attributeRegisters:
			k.Resources.Registers = value
		case attributeFrame:
			k.Resources.Local = value
		}
	}
}

package image

import "fmt"

const (
	noteOwner    = "AMDGPU"
	noteMetadata = 32
	abiAMDV3     = 1 // of the header; version 2 has text, 4 and newer have three states of features
)

func (im *Image) readCodeObject(b []byte) error {
	f, err := readELF(b)
	if err != nil {
		return err
	}
	note, err := f.note(noteOwner, noteMetadata)
	if err != nil {
		return err
	}
	symbols, err := f.symbols(sectionDynamic)
	if err != nil {
		return err
	}
	im.Globals = globals(symbols)
	target := amdTarget(f)
	if note == nil {
		im.Unread = "it has no metadata, or that of code object version 2"
		if target != "" {
			im.Targets = []string{target}
		}
		return nil
	}
	noted, kernels, err := readMetadata(note)
	if err != nil {
		return err
	}
	if target == "" {
		target = noted
	}
	if target == "" {
		return malformed("it does not say which GPU it is for: flags %#x", f.flags)
	}
	im.Targets, im.Kernels = []string{target}, kernels
	return nil
}

// amdTarget returns the target in the header of a code object; "" if the processor is newer than
// this package.
func amdTarget(f *elf) string {
	name, ok := processors[byte(f.flags)]
	if !ok {
		return ""
	}
	if f.abi <= abiAMDV3 { // a bit for each feature that is on
		return name + feature("sramecc", f.flags>>9&1*3) + feature("xnack", f.flags>>8&1*3)
	}
	return name + feature("sramecc", f.flags>>10&3) + feature("xnack", f.flags>>8&3)
}

// feature is a part of a target; a feature that does not matter is left out.
func feature(name string, state uint32) string {
	switch state {
	case 2:
		return fmt.Sprintf(":%s-", name)
	case 3:
		return fmt.Sprintf(":%s+", name)
	}
	return ""
}

// processors are the values of EF_AMDGPU_MACH. Source: LLVM's AMDGPUUsage, "AMDGPU ELF Header
// e_flags".
var processors = map[byte]string{0x20: "gfx600", 0x21: "gfx601", 0x22: "gfx700", 0x23: "gfx701",
	0x24: "gfx702", 0x25: "gfx703", 0x26: "gfx704", 0x28: "gfx801", 0x29: "gfx802", 0x2a: "gfx803",
	0x2b: "gfx810", 0x2c: "gfx900", 0x2d: "gfx902", 0x2e: "gfx904", 0x2f: "gfx906", 0x30: "gfx908",
	0x31: "gfx909", 0x32: "gfx90c", 0x33: "gfx1010", 0x34: "gfx1011", 0x35: "gfx1012",
	0x36: "gfx1030", 0x37: "gfx1031", 0x38: "gfx1032", 0x39: "gfx1033", 0x3a: "gfx602",
	0x3b: "gfx705", 0x3c: "gfx805", 0x3d: "gfx1035", 0x3e: "gfx1034", 0x3f: "gfx90a", 0x40: "gfx940",
	0x41: "gfx1100", 0x42: "gfx1013", 0x43: "gfx1150", 0x44: "gfx1103", 0x45: "gfx1036",
	0x46: "gfx1101", 0x47: "gfx1102", 0x48: "gfx1200", 0x49: "gfx1250", 0x4a: "gfx1151",
	0x4b: "gfx941", 0x4c: "gfx942", 0x4e: "gfx1201", 0x4f: "gfx950", 0x51: "gfx9-generic",
	0x52: "gfx10-1-generic", 0x53: "gfx10-3-generic", 0x54: "gfx11-generic", 0x55: "gfx1152",
	0x58: "gfx1153", 0x59: "gfx12-generic", 0x5a: "gfx1251", 0x5f: "gfx9-4-generic"}

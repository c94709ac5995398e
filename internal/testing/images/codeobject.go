package images

import (
	"encoding/binary"
	"strings"
)

// Flags of the header of a code object for gfx942.
const (
	machGFX942 = 0x4c
	sramOn     = 3 << 10
	sramOff    = 2 << 10
	xnackOn    = 3 << 8
	xnackOff   = 2 << 8
)

// CodeObject returns an AMD code object for gfx942, with the features that the target names:
// "gfx942:sramecc+:xnack-". For other processors use CodeObjectFor.
func CodeObject(target string, kernels []Kernel, variables ...Variable) []byte {
	return CodeObjectFor(machGFX942, target, kernels, variables...)
}

// CodeObjectFor returns a code object with a processor's number in its header.
func CodeObjectFor(processor uint32, target string, kernels []Kernel, variables ...Variable) []byte {
	const machine, abiHSA, version4 = 224, 64, 2
	flags := processor
	for feature, flag := range map[string]uint32{"sramecc+": sramOn, "sramecc-": sramOff,
		"xnack+": xnackOn, "xnack-": xnackOff} {
		if strings.Contains(target, ":"+feature) {
			flags |= flag
		}
	}
	f := file{machine: machine, abi: abiHSA, abiVersion: version4, flags: flags}
	f.add(section{name: ".note", kind: 7, data: note(metadata(target, kernels))})
	f.addSymbols(nil, variables)
	return f.bytes()
}

func note(desc []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 7)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(desc)))
	b = binary.LittleEndian.AppendUint32(b, 32)
	b = append(b, "AMDGPU\x00\x00"...)
	b = append(b, desc...)
	return append(b, make([]byte, -len(desc)&3)...)
}

// metadata is what the runtime reads: MessagePack.
func metadata(target string, kernels []Kernel) []byte {
	var p packer
	p.fields(2)
	p.text("amdhsa.target")
	p.text("amdgcn-amd-amdhsa--" + target)
	p.text("amdhsa.kernels")
	p.list(len(kernels))
	for _, k := range kernels {
		p.kernel(k)
	}
	return p.b
}

func (p *packer) kernel(k Kernel) {
	threads := k.MaxThreads
	if threads == 0 {
		threads = 1024
	}
	end := uint32(0)
	for _, a := range k.Params {
		end = max(end, a.Offset+a.Size)
	}
	const hidden = 4 // bytes of a parameter that the runtime fills in
	end = (end + 7) &^ 7
	p.fields(8)
	p.text(".name")
	p.text(k.Name)
	p.text(".symbol")
	p.text(k.Name + ".kd")
	p.text(".kernarg_segment_size")
	p.number(end + hidden)
	p.text(".group_segment_fixed_size")
	p.number(k.Shared)
	p.text(".vgpr_count")
	p.number(k.Registers)
	p.text(".max_flat_workgroup_size")
	p.number(threads)
	p.text(".wavefront_size")
	p.number(64)
	p.text(".args")
	p.list(len(k.Params) + 1)
	for _, a := range k.Params {
		kind := "by_value"
		if a.Pointer {
			kind = "global_buffer"
		}
		p.arg(a.Offset, a.Size, kind)
	}
	p.arg(end, hidden, "hidden_block_count_x")
}

func (p *packer) arg(offset, size uint32, kind string) {
	p.fields(3)
	p.text(".offset")
	p.number(offset)
	p.text(".size")
	p.number(size)
	p.text(".value_kind")
	p.text(kind)
}

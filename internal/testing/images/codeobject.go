package images

import (
	"strings"

	"github.com/gpuevent/gpuevent/internal/image"
)

// processors are those whose number a code object's header has here. For any other the header says
// 0 and only the metadata says which it is.
var processors = map[string]uint32{"gfx900": 0x2c, "gfx906": 0x2f, "gfx908": 0x30, "gfx90a": 0x3f,
	"gfx942": 0x4c, "gfx950": 0x4f, "gfx1030": 0x36, "gfx1100": 0x41, "gfx1201": 0x4e}

// CodeObject makes an AMD code object of version 5 for "gfx1100" or "gfx942:sramecc+:xnack-".
func CodeObject(target string, kernels ...Kernel) []byte {
	return Module{Kernels: kernels}.CodeObject(target)
}

// CodeObject makes a code object as the function of that name.
func (m Module) CodeObject(target string) []byte {
	name, _, _ := strings.Cut(target, ":")
	flags := processors[name]
	for _, f := range []struct {
		text string
		bits uint32
	}{{":sramecc-", 0x800}, {":sramecc+", 0xc00}, {":xnack-", 0x200}, {":xnack+", 0x300}} {
		if strings.Contains(target, f.text) {
			flags |= f.bits
		}
	}
	var note []byte
	note = le.AppendUint32(note, 7)
	data := metadata(target, m.Kernels)
	note = le.AppendUint32(note, uint32(len(data)))
	note = le.AppendUint32(note, 32)
	note = append(note, "AMDGPU\x00\x00"...)
	note = append(note, data...)
	for len(note)%4 != 0 {
		note = append(note, 0)
	}
	symbols := newTable()
	for _, k := range m.Kernels {
		symbols.symbol(k.Name, 0x12, 3, 4, 16)
		symbols.symbol(k.Name+".kd", 0x11, 3, 4, 64)
	}
	for _, g := range m.Globals {
		symbols.symbol(g.Name, 0x11, 3, 4, uint64(g.Size))
	}
	return elf(224, 64, 3, flags, []section{{name: ".note", kind: 7, data: note},
		{name: ".dynsym", kind: 11, link: 3, data: symbols.symbols},
		{name: ".dynstr", kind: 3, data: symbols.names},
		{name: ".text", kind: 1, data: make([]byte, 16)}})
}

// metadata describes kernels as the compiler does: in the order of the keys, with some hidden
// parameters after the kernel's own.
func metadata(target string, kernels []Kernel) []byte {
	wave := 32
	if strings.HasPrefix(target, "gfx9") {
		wave = 64
	}
	var list []any
	for _, k := range kernels {
		params, size := Layout(k.Params...)
		args := []any{}
		for _, p := range params {
			a := fields{{".offset", p.Offset}, {".size", p.Size}, {".value_kind", "by_value"}}
			if p.Kind == image.Pointer {
				a = fields{{".address_space", "global"}, {".offset", p.Offset}, {".size", p.Size},
					{".value_kind", "global_buffer"}}
			}
			args = append(args, a)
		}
		hidden := (size + 7) / 8 * 8
		for i, axis := range []string{"x", "y", "z"} {
			args = append(args, fields{{".offset", hidden + 4*uint32(i)}, {".size", 4},
				{".value_kind", "hidden_block_count_" + axis}})
		}
		f := fields{{".agpr_count", 0}, {".args", args}, {".group_segment_fixed_size", k.Shared},
			{".kernarg_segment_align", 8}, {".kernarg_segment_size", hidden + 256},
			{".language_version", []any{2, 0}}, {".max_flat_workgroup_size", k.MaxThreads},
			{".name", k.Name}, {".private_segment_fixed_size", k.Local}}
		if b := k.Block; b != [3]uint32{} {
			f = append(f, field{".reqd_workgroup_size", []any{b[0], b[1], b[2]}})
		}
		list = append(list, append(f, fields{{".sgpr_count", 8}, {".symbol", k.Name + ".kd"},
			{".uses_dynamic_stack", false}, {".vgpr_count", k.Registers}, {".wavefront_size", wave}}...))
	}
	return pack(nil, fields{{"amdhsa.kernels", list},
		{"amdhsa.target", "amdgcn-amd-amdhsa--" + target}, {"amdhsa.version", []any{1, 2}}})
}

package images

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// file is an ELF file under construction.
type file struct {
	machine         uint16
	abi, abiVersion byte
	flags           uint32
	sections        []section
}

type section struct {
	name       string
	kind       uint32
	link, info uint32
	data       []byte
}

// Variable is a variable of the device.
type Variable struct {
	Name  string
	Value []byte
}

// add adds a section and returns its number; 0 is the empty one that every file has.
func (f *file) add(s section) int {
	f.sections = append(f.sections, s)
	return len(f.sections)
}

// addSymbols adds kernels, as NVIDIA's files mark them, and variables with their values.
func (f *file) addSymbols(kernels []Kernel, variables []Variable) {
	var values []byte
	for _, v := range variables {
		values = append(values, v.Value...)
	}
	data := f.add(section{name: ".data", kind: uint32(elf.SHT_PROGBITS), data: values})
	code := f.add(section{name: ".text", kind: uint32(elf.SHT_PROGBITS), data: make([]byte, 16)})
	names := []byte{0}
	table := make([]byte, elf.Sym64Size)
	symbol := func(name string, typ elf.SymType, other byte, in int, at, size uint64) {
		table, _ = binary.Append(table, binary.LittleEndian, elf.Sym64{Name: uint32(len(names)),
			Info: byte(elf.STB_GLOBAL)<<4 | byte(typ), Other: other, Shndx: uint16(in), Value: at,
			Size: size})
		names = append(append(names, name...), 0)
	}
	for _, k := range kernels {
		const entry = 0x10
		symbol(k.Name, elf.STT_FUNC, entry, code, 0, 16)
	}
	at := uint64(0)
	for _, v := range variables {
		symbol(v.Name, elf.STT_OBJECT, 0, data, at, uint64(len(v.Value)))
		at += uint64(len(v.Value))
	}
	text := f.add(section{name: ".strtab", kind: uint32(elf.SHT_STRTAB), data: names})
	f.add(section{name: ".symtab", kind: uint32(elf.SHT_SYMTAB), link: uint32(text), info: 1,
		data: table})
}

// bytes lays the file out: header, contents, table of sections.
func (f *file) bytes() []byte {
	const header, entry = 64, 64
	names := []byte{0}
	all := append(f.sections, section{name: ".shstrtab", kind: uint32(elf.SHT_STRTAB)})
	heads := []elf.Section64{{}}
	for _, s := range all {
		heads = append(heads, elf.Section64{Name: uint32(len(names)), Type: s.kind, Link: s.link,
			Info: s.info, Addralign: 1})
		names = append(append(names, s.name...), 0)
	}
	all[len(all)-1].data = names
	var body bytes.Buffer
	for i, s := range all {
		body.Write(make([]byte, -body.Len()&7))
		h := &heads[i+1]
		h.Off, h.Size = uint64(header+body.Len()), uint64(len(s.data))
		if elf.SectionType(s.kind) == elf.SHT_SYMTAB {
			h.Entsize = elf.Sym64Size
		}
		body.Write(s.data)
	}
	body.Write(make([]byte, -body.Len()&7))
	e := elf.Header64{Type: uint16(elf.ET_DYN), Machine: f.machine, Version: 1,
		Shoff: uint64(header + body.Len()), Flags: f.flags, Ehsize: header, Shentsize: entry,
		Shnum: uint16(len(heads)), Shstrndx: uint16(len(all))}
	copy(e.Ident[:], elf.ELFMAG)
	e.Ident[elf.EI_CLASS], e.Ident[elf.EI_DATA] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB)
	e.Ident[elf.EI_VERSION], e.Ident[elf.EI_OSABI] = 1, f.abi
	e.Ident[elf.EI_ABIVERSION] = f.abiVersion
	out, _ := binary.Append(nil, binary.LittleEndian, e)
	out = append(out, body.Bytes()...)
	out, _ = binary.Append(out, binary.LittleEndian, heads)
	return out
}

package sim

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
)

// withVariable is an ELF file for a GPU, with one variable and no kernel. AMD's have variables
// among the dynamic symbols.
func withVariable(machine uint16, version byte, flags uint32, name string, value []byte) []byte {
	names := []byte("\x00.data\x00.strtab\x00.symtab\x00" + name + "\x00")
	symbols, _ := binary.Append(make([]byte, elf.Sym64Size), binary.LittleEndian, elf.Sym64{
		Name: uint32(bytes.Index(names, []byte(name+"\x00"))), Shndx: 1, Size: uint64(len(value)),
		Info: byte(elf.STB_GLOBAL)<<4 | byte(elf.STT_OBJECT)})
	table := elf.SHT_SYMTAB
	if machine == 224 {
		table = elf.SHT_DYNSYM
	}
	var body []byte
	place := func(name string, kind elf.SectionType, data []byte) elf.Section64 {
		body = append(body, make([]byte, -len(body)&7)...)
		s := elf.Section64{Name: uint32(bytes.Index(names, []byte(name+"\x00"))), Type: uint32(kind),
			Off: uint64(64 + len(body)), Size: uint64(len(data)), Addralign: 1}
		body = append(body, data...)
		return s
	}
	heads := []elf.Section64{{}, place(".data", elf.SHT_PROGBITS, value),
		place(".strtab", elf.SHT_STRTAB, names), place(".symtab", table, symbols)}
	heads[3].Link, heads[3].Info, heads[3].Entsize = 2, 1, elf.Sym64Size
	body = append(body, make([]byte, -len(body)&7)...)
	of := uint32(1)
	if machine == 190 && version == 7 {
		of = 129 // CUDA 12.9 writes its own version
	}
	e := elf.Header64{Machine: machine, Version: of, Shoff: uint64(64 + len(body)), Flags: flags,
		Ehsize: 64, Shentsize: 64, Shnum: uint16(len(heads)), Shstrndx: 2}
	copy(e.Ident[:], elf.ELFMAG+"\x02\x01\x01")
	e.Ident[elf.EI_ABIVERSION] = version
	file, _ := binary.Append(nil, binary.LittleEndian, e)
	file, _ = binary.Append(append(file, body...), binary.LittleEndian, heads)
	return file
}

func TestELFLength(t *testing.T) {
	t.Parallel()
	file := withVariable(190, 7, 90, "v", []byte{1})
	long := embedded(file, "next")
	assert.Equal(t, file, readImage(&long[0]))
	binary.LittleEndian.PutUint64(long[40:], 1<<60) // the table of sections
	assert.Equal(t, long[:64], readImage(&long[0]))
	// The table of segments may be the last thing, as NVRTC 13.5 does it.
	file = append(file, make([]byte, 2*56)...)
	binary.LittleEndian.PutUint64(file[32:], uint64(len(file)-2*56))
	binary.LittleEndian.PutUint16(file[54:], 56)
	binary.LittleEndian.PutUint16(file[56:], 2)
	long = embedded(file, "next")
	assert.Equal(t, file, readImage(&long[0]))
}

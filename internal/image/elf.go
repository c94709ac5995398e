package image

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// elf is an ELF file of 64 bits in little-endian order, which all code for GPUs is.
type elf struct {
	data     []byte
	osabi    byte
	abi      byte
	flags    uint32
	sections []section
}

// section is a header of a section. Its name shares memory with all names.
type section struct {
	name         string
	kind         uint32
	address      uint64
	offset, size uint64
	link, info   uint32
}

// Kinds of sections.
const (
	sectionSymbols = 2
	sectionNames   = 3
	sectionNotes   = 7
	sectionNoBits  = 8
	sectionDynamic = 11
	sectionCUDA    = 0x70000000 // .nv.info
)

const (
	elfHeader     = 64
	sectionHeader = 64
	symbolSize    = 24
	longestName   = 1 << 15 // bytes; names of C++ templates stay below
)

func readELF(b []byte) (*elf, error) {
	if len(b) < elfHeader {
		return nil, truncated("%d bytes are no ELF header", len(b))
	}
	if b[4] != 2 || b[5] != 1 {
		return nil, malformed("it is not of 64 bits and little-endian")
	}
	le := binary.LittleEndian
	f := &elf{data: b, osabi: b[7], abi: b[8], flags: le.Uint32(b[48:])}
	at, each, n := le.Uint64(b[40:]), uint64(le.Uint16(b[58:])), uint64(le.Uint16(b[60:]))
	names := uint32(le.Uint16(b[62:]))
	if at == 0 {
		return f, nil
	}
	if each != sectionHeader {
		return nil, malformed("headers of sections have %d bytes", each)
	}
	size := uint64(len(b))
	if at > size || size-at < sectionHeader {
		return nil, truncated("sections are listed at %d of %d bytes", at, len(b))
	}
	first := header(b[at:])
	if n == 0 { // too many for 16 bits
		n = first.size
	}
	if names == 0xffff {
		names = first.link
	}
	if n > (size-at)/sectionHeader {
		return nil, truncated("%d sections are listed at %d of %d bytes", n, at, len(b))
	}
	return f, f.readSections(b[at:at+n*sectionHeader], names)
}

// readSections reads the headers. Code that is not there yet, such as .bss, has no bytes.
func (f *elf) readSections(headers []byte, names uint32) error {
	f.sections = make([]section, len(headers)/sectionHeader)
	for i := range f.sections {
		f.sections[i] = header(headers[i*sectionHeader:])
	}
	if uint64(names) >= uint64(len(f.sections)) {
		return malformed("the names of sections are in section %d of %d", names, len(f.sections))
	}
	if kind := f.sections[names].kind; kind != sectionNames {
		return malformed("the names of sections are in section %d, of kind %d", names, kind)
	}
	raw, err := f.bytes(&f.sections[names])
	if err != nil {
		return err
	}
	table := string(raw)
	for i := range f.sections {
		at := binary.LittleEndian.Uint32(headers[i*sectionHeader:])
		f.sections[i].name = cut(table, at)
	}
	return nil
}

func header(b []byte) section {
	le := binary.LittleEndian
	return section{kind: le.Uint32(b[4:]), address: le.Uint64(b[16:]), offset: le.Uint64(b[24:]),
		size: le.Uint64(b[32:]), link: le.Uint32(b[40:]), info: le.Uint32(b[44:])}
}

// bytes returns what is in a section.
func (f *elf) bytes(s *section) ([]byte, error) {
	if s.kind == sectionNoBits {
		return nil, nil
	}
	if n := uint64(len(f.data)); s.offset > n || s.size > n-s.offset {
		return nil, truncated("section %.80q lies at %d, %d bytes long, and the file has %d",
			s.name, s.offset, s.size, len(f.data))
	}
	return f.data[s.offset : s.offset+s.size], nil
}

// symbol is an entry of a symbol table.
type symbol struct {
	name    string
	info    byte // kind and binding
	other   byte
	section uint16
	value   uint64
	size    uint64
}

func (s *symbol) object() bool   { return s.info&15 == 1 }
func (s *symbol) function() bool { return s.info&15 == 2 }

// symbols reads the first table of a kind.
func (f *elf) symbols(kind uint32) ([]symbol, error) {
	for i := range f.sections {
		s := &f.sections[i]
		if s.kind != kind {
			continue
		}
		raw, err := f.bytes(s)
		if err != nil {
			return nil, err
		}
		if uint64(s.link) >= uint64(len(f.sections)) {
			return nil, malformed("the names of symbols are in section %d of %d", s.link,
				len(f.sections))
		}
		text, err := f.bytes(&f.sections[s.link])
		if err != nil {
			return nil, err
		}
		table := string(text)
		le := binary.LittleEndian
		list := make([]symbol, len(raw)/symbolSize)
		for i := range list {
			b := raw[i*symbolSize:]
			list[i] = symbol{name: cut(table, le.Uint32(b)), info: b[4], other: b[5],
				section: le.Uint16(b[6:]), value: le.Uint64(b[8:]), size: le.Uint64(b[16:])}
		}
		return list, nil
	}
	return nil, nil
}

// cut returns the text that begins in a table of names; "" if it does not end.
func cut(table string, at uint32) string {
	if uint64(at) >= uint64(len(table)) {
		return ""
	}
	rest := table[at:min(len(table), int(at)+longestName)]
	if i := strings.IndexByte(rest, 0); i >= 0 {
		return rest[:i]
	}
	return ""
}

// note finds a note by its owner and type, in any section of notes; nil if there is none.
func (f *elf) note(owner string, kind uint32) ([]byte, error) {
	le := binary.LittleEndian
	for i := range f.sections {
		if f.sections[i].kind != sectionNotes {
			continue
		}
		b, err := f.bytes(&f.sections[i])
		if err != nil {
			return nil, err
		}
		for len(b) >= 12 {
			name, desc := uint64(le.Uint32(b)), uint64(le.Uint32(b[4:]))
			is := le.Uint32(b[8:]) == kind
			begin := 12 + (name+3)&^3
			if begin+desc > uint64(len(b)) {
				return nil, malformed("a note in section %.80q is longer than the section",
					f.sections[i].name)
			}
			if is && string(bytes.TrimRight(b[12:12+name], "\x00")) == owner {
				return b[begin : begin+desc], nil
			}
			b = b[min(uint64(len(b)), begin+(desc+3)&^3):]
		}
	}
	return nil, nil
}

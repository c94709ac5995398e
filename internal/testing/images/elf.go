package images

import "encoding/binary"

var le = binary.LittleEndian

// section is a part of an ELF file.
type section struct {
	name       string
	kind       uint32
	link, info uint32
	data       []byte
	size       uint64 // of one without data
}

// elf makes a file of sections, and one with their names after them.
func elf(machine uint16, osabi, abi byte, flags uint32, sections []section) []byte {
	names := []byte{0}
	sections = append([]section{{}}, sections...)
	sections = append(sections, section{name: ".shstrtab", kind: 3})
	at := make([]uint32, len(sections))
	for i, s := range sections {
		if s.name != "" {
			at[i] = uint32(len(names))
			names = append(append(names, s.name...), 0)
		}
	}
	sections[len(sections)-1].data = names

	out := make([]byte, 64)
	var headers []byte
	for i, s := range sections {
		for len(out)%8 != 0 {
			out = append(out, 0)
		}
		h := make([]byte, 64)
		le.PutUint32(h, at[i])
		le.PutUint32(h[4:], s.kind)
		le.PutUint64(h[24:], uint64(len(out)))
		le.PutUint64(h[32:], max(s.size, uint64(len(s.data))))
		le.PutUint32(h[40:], s.link)
		le.PutUint32(h[44:], s.info)
		le.PutUint64(h[48:], 4)
		if i == 0 {
			h = make([]byte, 64)
		}
		headers = append(headers, h...)
		out = append(out, s.data...)
	}
	copy(out, "\x7fELF\x02\x01\x01")
	out[7], out[8] = osabi, abi
	le.PutUint16(out[16:], 2)
	le.PutUint16(out[18:], machine)
	le.PutUint32(out[20:], 1)
	le.PutUint64(out[40:], uint64(len(out)))
	le.PutUint32(out[48:], flags)
	le.PutUint16(out[52:], 64)
	le.PutUint16(out[58:], 64)
	le.PutUint16(out[60:], uint16(len(sections)))
	le.PutUint16(out[62:], uint16(len(sections)-1))
	return append(out, headers...)
}

// table is a table of symbols and one of their names.
type table struct{ names, symbols []byte }

func newTable() table { return table{[]byte{0}, make([]byte, 24)} }

func (t *table) symbol(name string, info, other byte, section uint16, size uint64) {
	s := make([]byte, 24)
	le.PutUint32(s, uint32(len(t.names)))
	s[4], s[5] = info, other
	le.PutUint16(s[6:], section)
	le.PutUint64(s[16:], size)
	t.symbols = append(t.symbols, s...)
	t.names = append(append(t.names, name...), 0)
}

package sim

import (
	"bytes"
	"debug/elf"
	"strings"

	"github.com/gpuevent/gpuevent/internal/image"
)

// globalSpec is a variable of an image.
type globalSpec struct {
	name  string
	size  uintptr
	value []byte // zeroes if shorter than size
}

// globalsOf returns an image's variables with what they begin with, which is told by machine code
// only: what a text sets its variables to is not read. It returns false for an ELF file without its
// table of sections.
func globalsOf(globals []image.Global, b []byte) (found []globalSpec, whole bool) {
	var values map[string][]byte
	if strings.HasPrefix(string(b[:min(len(b), 4)]), elf.ELFMAG) {
		file, err := elf.NewFile(bytes.NewReader(b))
		if err != nil {
			return nil, false
		}
		values = valuesIn(file)
	}
	for _, g := range globals {
		if g.Size > 0 && g.Size <= longestImage {
			found = append(found, globalSpec{strings.Clone(g.Name), uintptr(g.Size), values[g.Name]})
		}
	}
	return found, true
}

// valuesIn returns the data behind the symbols of a file.
func valuesIn(file *elf.File) map[string][]byte {
	symbols, err := file.Symbols()
	if err != nil {
		symbols, _ = file.DynamicSymbols()
	}
	values := map[string][]byte{}
	for _, s := range symbols {
		if i := int(s.Section); elf.ST_TYPE(s.Info) == elf.STT_OBJECT && i < len(file.Sections) {
			values[s.Name] = valueOf(file.Sections[i], s)
		}
	}
	return values
}

// valueOf returns what a variable begins with; nil if that is zeroes.
func valueOf(section *elf.Section, s elf.Symbol) []byte {
	at := s.Value - section.Addr
	if section.Type == elf.SHT_NOBITS || s.Value < section.Addr || at > section.Size ||
		s.Size > section.Size-at || s.Size > longestImage {
		return nil
	}
	value := make([]byte, s.Size)
	if _, err := section.ReadAt(value, int64(at)); err != nil {
		return nil
	}
	return value
}

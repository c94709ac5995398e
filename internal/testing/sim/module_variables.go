package sim

import (
	"bytes"
	"debug/elf"
	"regexp"
	"strconv"
	"strings"
)

// globalSpec is a variable of an image.
type globalSpec struct {
	name  string
	size  uintptr
	value []byte // zeroes if shorter than size
}

// globalsOfELF returns the variables of a cubin or code object: symbols of data. It reports whether
// the file has its table of sections.
func globalsOfELF(b []byte) (found []globalSpec, whole bool) {
	file, err := elf.NewFile(bytes.NewReader(b))
	if err != nil {
		return nil, false
	}
	symbols, err := file.Symbols()
	if dynamic, other := file.DynamicSymbols(); err != nil && other == nil {
		symbols = dynamic
	}
	for _, s := range symbols {
		isData := elf.ST_TYPE(s.Info) == elf.STT_OBJECT && elf.ST_BIND(s.Info) == elf.STB_GLOBAL
		if !isData || s.Size == 0 || s.Size > longestImage || strings.HasSuffix(s.Name, ".kd") {
			continue
		}
		g := globalSpec{name: strings.Clone(s.Name), size: uintptr(s.Size)}
		if i := int(s.Section); i < len(file.Sections) {
			g.value = valueOf(file.Sections[i], s)
		}
		found = append(found, g)
	}
	return found, true
}

// valueOf returns what a variable begins with.
func valueOf(section *elf.Section, s elf.Symbol) []byte {
	at := s.Value - section.Addr
	if section.Type == elf.SHT_NOBITS || s.Value < section.Addr || at > section.Size ||
		s.Size > section.Size-at {
		return nil
	}
	value := make([]byte, s.Size)
	if _, err := section.ReadAt(value, int64(at)); err != nil {
		return nil
	}
	return value
}

// ptxVariable matches a variable of PTX that other modules see.
var ptxVariable = regexp.MustCompile(
	`(?m)^\s*\.visible\s+\.(?:global|const)\s+(?:\.align\s+\d+\s+)?\.[a-z](\d+)\s+([\w$%]+)((?:\[\d+\])*)`)

// globalsOfPTX returns the variables of a text, with zeroes: what a text sets them to is not read.
func globalsOfPTX(text []byte) (found []globalSpec) {
	for _, m := range ptxVariable.FindAllSubmatch(text, -1) {
		bits, err := strconv.Atoi(string(m[1]))
		size := bits / 8
		for _, n := range strings.FieldsFunc(string(m[3]), func(r rune) bool { return r == '[' || r == ']' }) {
			count, bad := strconv.Atoi(n)
			if bad != nil || count > longestImage {
				err = bad
				break
			}
			size *= count
		}
		if err == nil && size > 0 && size <= longestImage {
			found = append(found, globalSpec{name: string(m[2]), size: uintptr(size)})
		}
	}
	return found
}

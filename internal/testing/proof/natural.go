package proof

import (
	"fmt"
	"strconv"
	"strings"
)

// LayoutsOfSpec lays out every struct anew, by the rules of C, as each release declares it, and
// compares sizes, alignments and offsets with those that the spec records for each target. It needs
// no C compiler, and sees what older releases had.
func LayoutsOfSpec(s *Spec) *Report {
	r := new(Report)
	for _, t := range s.Structs {
		at := s.Newest()
		if t.Removed != "" || !t.Has(at) {
			at = s.last(t.Span)
		}
		s.relay(r, t.Name, at, t)
		for _, v := range t.Variants {
			old := t
			old.Union, old.Layouts, old.Fields = v.Union, v.Layouts, v.Fields
			s.relay(r, t.Name, v.To, old)
		}
	}
	return r
}

// last is the newest release that has an entity.
func (s *Spec) last(of Span) string {
	for i := len(s.Versions) - 1; i >= 0; i-- {
		if of.Has(s.Versions[i].Name) {
			return s.Versions[i].Name
		}
	}
	return s.Newest()
}

// relay compares one form of a struct on all targets.
func (s *Spec) relay(r *Report, name, version string, t SpecStruct) {
	for _, l := range t.Layouts {
		targets := l.Targets
		if len(targets) == 0 {
			targets = []string{"linux/amd64"}
		}
		for _, target := range targets {
			n := natural{s, version, strings.HasPrefix(target, "windows/"), target}
			n.compare(r, name, t.Fields, t.Union, l)
		}
	}
}

// natural lays out structs of one release for one target.
type natural struct {
	s       *Spec
	version string
	windows bool // long is 32 bits wide, and bit-fields are packed in another way
	target  string
}

// compare lays out a struct and those declared in it. A recorded alignment may be stricter than the
// fields ask for, where an attribute says so.
func (n natural) compare(r *Report, name string, fields []SpecField, union bool, l SpecLayout) {
	entity := fmt.Sprintf("%s in %s for %s", name, n.version, n.target)
	if len(l.Offsets) != len(fields) {
		r.bad(name, "%s has %d fields, and %d offsets", entity, len(fields), len(l.Offsets))
		return
	}
	var end, bit uintptr // bit is the first free one
	natural := uintptr(1)
	for i, f := range fields {
		size, align, err := n.field(r, name, f, l)
		if err != nil {
			r.bad(name+"."+f.Name, "%v", err)
			return
		}
		if l.Align < align { // packed
			align = l.Align
		}
		natural = max(natural, align)
		want := (bit + 7) / 8
		want = (want + align - 1) &^ (align - 1)
		if f.Bits > 0 {
			if n.windows {
				return // the oracle measures them
			}
			unit := size * 8
			if bit/unit != (bit+uintptr(f.Bits)-1)/unit {
				bit = (bit + unit - 1) / unit * unit
			}
			if union {
				bit = 0
			}
			if got := l.Offsets[i]*8 + uintptr(f.BitOffset); got != bit {
				r.bad(name+"."+f.Name, "%s: it begins at bit %d, by its type at %d", entity, got, bit)
			}
			bit += uintptr(f.Bits)
			end = max(end, (bit+7)/8)
			continue
		}
		if union {
			want = 0
		}
		if l.Offsets[i] != want {
			r.bad(name+"."+f.Name, "%s: its offset is %d, by the fields before it %d", entity,
				l.Offsets[i], want)
			return
		}
		r.Offsets++
		bit = (want + size) * 8
		end = max(end, want+size)
	}
	align := max(natural, l.Align)
	if size := (end + align - 1) &^ (align - 1); size != l.Size && len(fields) > 0 {
		r.bad(name, "%s: it has %d bytes, by its fields %d", entity, l.Size, size)
		return
	}
	r.Sizes++
}

// field is the size and alignment of a field. A struct declared in place is compared itself.
func (n natural) field(r *Report, name string, f SpecField, outer SpecLayout) (size, align uintptr,
	err error) {
	if f.Inner == nil {
		return n.size(f.Type, 0)
	}
	inner := f.Inner.Layouts[0]
	for _, l := range f.Inner.Layouts {
		for _, t := range l.Targets {
			if t == n.target {
				inner = l
			}
		}
	}
	n.compare(r, strings.TrimSuffix(name+"."+f.Name, "."), f.Inner.Fields, f.Inner.Union, inner)
	_, many, err := arrayOf(f.Type)
	if strings.Contains(f.Type, "*") {
		return 8, 8, err
	}
	return inner.Size * many, inner.Align, err
}

// arrayOf takes the lengths off a type.
func arrayOf(ctype string) (elem string, many uintptr, err error) {
	many = 1
	for strings.HasSuffix(ctype, "]") {
		i := strings.LastIndexByte(ctype, '[')
		k, err := strconv.ParseUint(ctype[i+1:len(ctype)-1], 10, 32)
		if i < 0 || err != nil {
			return "", 0, fmt.Errorf("the type %s is no array", ctype)
		}
		ctype, many = ctype[:i], many*uintptr(k)
	}
	return strings.TrimSpace(ctype), many, nil
}

// sizes are those of C's own types; long is up to the target.
var sizes = map[string]uintptr{"_Bool": 1, "char": 1, "signed char": 1, "unsigned char": 1,
	"int8_t": 1, "uint8_t": 1, "short": 2, "unsigned short": 2, "int16_t": 2, "uint16_t": 2,
	"_Float16": 2, "int": 4, "unsigned int": 4, "int32_t": 4, "uint32_t": 4, "float": 4,
	"long long": 8, "unsigned long long": 8, "int64_t": 8, "uint64_t": 8, "double": 8, "size_t": 8,
	"ptrdiff_t": 8, "intptr_t": 8, "uintptr_t": 8, "intmax_t": 8, "uintmax_t": 8}

// size is the size and alignment of a type that a field may have.
func (n natural) size(ctype string, depth int) (size, align uintptr, err error) {
	elem, many, err := arrayOf(ctype)
	if err != nil || depth > 16 {
		return 0, 0, fmt.Errorf("the size of %s is unknown: %v", ctype, err)
	}
	if strings.Contains(elem, "*") {
		return 8 * many, 8, nil
	}
	elem = strings.TrimPrefix(elem, "const ")
	if k, ok := sizes[elem]; ok {
		return k * many, k, nil
	}
	switch elem {
	case "long", "unsigned long":
		if n.windows {
			return 4 * many, 4, nil
		}
		return 8 * many, 8, nil
	case "wchar_t":
		if n.windows {
			return 2 * many, 2, nil
		}
		return 4 * many, 4, nil
	}
	size, align, err = n.named(elem, depth)
	return size * many, align, err
}

// named is the size and alignment of a type of the API.
func (n natural) named(name string, depth int) (size, align uintptr, err error) {
	for _, t := range n.s.Typedefs {
		if t.Name != name || !t.Has(n.version) {
			continue
		}
		kind, is := t.Kind, t.Type
		for _, v := range t.Variants {
			if inStretch(n.version, v.From, v.To) {
				kind, is = v.Kind, v.Type
			}
		}
		if kind == "alias" {
			return n.size(is, depth+1)
		}
		return 8, 8, nil
	}
	tag := strings.TrimPrefix(strings.TrimPrefix(name, "struct "), "union ")
	for _, t := range n.s.Structs {
		if t.Name != name && (t.Tag != tag || tag == name) || !t.Has(n.version) {
			continue
		}
		for _, v := range t.Variants {
			if inStretch(n.version, v.From, v.To) {
				t.Layouts = v.Layouts
			}
		}
		l := t.Layouts[0]
		for _, k := range t.Layouts {
			for _, target := range k.Targets {
				if target == n.target {
					l = k
				}
			}
		}
		return l.Size, l.Align, nil
	}
	for _, e := range n.s.Enums {
		if e.Name == strings.TrimPrefix(name, "enum ") || e.Tag == strings.TrimPrefix(name, "enum ") {
			if e.Wide {
				return 8, 8, nil
			}
			return 4, 4, nil
		}
	}
	if name == "struct timespec" { // two words, also where long is shorter
		return 16, 8, nil
	}
	return 0, 0, fmt.Errorf("no release has the type %s", name)
}

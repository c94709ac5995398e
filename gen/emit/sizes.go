package emit

import (
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
)

// sizes computes what C types take on linux/amd64 in any version of a model.
type sizes struct {
	spec
	structs  map[string]*model.Struct
	enums    map[string]*model.Enum
	typedefs map[string]*model.Typedef
	tags     map[string]string
}

func newSizes(from spec) *sizes {
	z := &sizes{spec: from, structs: map[string]*model.Struct{}, enums: map[string]*model.Enum{},
		typedefs: map[string]*model.Typedef{}, tags: map[string]string{}}
	for i := range from.Model.Structs {
		s := &from.Model.Structs[i]
		z.structs[s.Name] = s
		z.tags[structWord(s)+" "+s.Tag] = s.Name
	}
	for i := range from.Model.Enums {
		e := &from.Model.Enums[i]
		z.enums[e.Name] = e
		z.tags["enum "+e.Tag] = e.Name
	}
	for i := range from.Model.Typedefs {
		z.typedefs[from.Model.Typedefs[i].Name] = &from.Model.Typedefs[i]
	}
	return z
}

func structWord(s *model.Struct) string {
	if s.Union {
		return "union"
	}
	return "struct"
}

// structOf is the struct that a type is in a version, behind aliases; nil for any other type.
func (z *sizes) structOf(name, version string) *model.Struct {
	for range 32 {
		if tagged, ok := z.tags[name]; ok {
			name = tagged
		}
		if s := z.structs[name]; s != nil && s.Has(version) {
			return structAt(s, version)
		}
		t := z.typedefs[name]
		if t == nil {
			return z.structs[name]
		}
		was := t.At(version)
		if was.Kind != "alias" {
			return nil
		}
		name = string(was.Type)
	}
	return nil
}

// of returns the size and alignment of a type in a version; 0 if it is unknown.
func (z *sizes) of(t model.Type, version string) (size, align int) {
	c, err := t.Parse()
	if err != nil {
		return 0, 0
	}
	return z.ofC(c, version, 0)
}

func (z *sizes) ofC(c *model.C, version string, depth int) (size, align int) {
	switch {
	case depth > 32:
		return 0, 0
	case c.Kind == model.Pointer:
		return 8, 8
	case c.Kind == model.Array:
		size, align = z.ofC(c.Elem, version, depth+1)
		return size * int(c.Len), align
	}
	if b := baseTypes[c.Name]; b != nil {
		return b.size, b.align
	}
	if s := z.structOf(c.Name, version); s != nil {
		return s.Layouts[0].Size, s.Layouts[0].Align
	}
	name := c.Name
	if tagged, ok := z.tags[name]; ok {
		name = tagged
	}
	if e := z.enums[name]; e != nil && (e.Has(version) || z.typedefs[name] == nil) {
		n := enumSize(e)
		return n, n
	}
	if t := z.typedefs[name]; t != nil {
		was := t.At(version)
		if was.Kind != "alias" {
			return 8, 8
		}
		if to, err := was.Type.Parse(); err == nil {
			return z.ofC(to, version, depth+1)
		}
	}
	return 0, 0
}

// enumSize is the size of an enum: that of int, unless a value needs more.
func enumSize(e *model.Enum) int {
	if e.Wide {
		return 8
	}
	return 4
}

// fieldSize is the size and alignment of a field, also of one whose type is declared in place.
func (z *sizes) fieldSize(f *model.Field, version string) (size, align int) {
	if f.Inner == nil {
		size, align = z.of(f.Type, version)
		return size, max(align, f.Align)
	}
	c, err := f.Type.Parse()
	if err != nil {
		return 0, 0
	}
	l := f.Inner.Layouts[0]
	n := 1
	for ; c.Kind == model.Array; c = c.Elem {
		n *= int(c.Len)
	}
	if c.Kind == model.Pointer {
		return 8 * n, 8
	}
	return l.Size * n, l.Align
}

// leaf is a field as part of the outermost struct.
type leaf struct {
	path         string
	offset, size int
	first, bits  int // of a bit-field
	inUnion      bool
	typ          model.Type // "" for a type that is declared in place
}

func (l leaf) reserved() bool {
	return reservedName.MatchString(l.path[strings.LastIndexByte(l.path, '.')+1:])
}

// leaves lists the fields of a struct, those of structs declared in place one by one.
func (z *sizes) leaves(s *model.Struct, version string) []leaf {
	var out []leaf
	var walk func(s *model.Struct, path string, base int, inUnion bool)
	walk = func(s *model.Struct, path string, base int, inUnion bool) {
		for i := range s.Fields {
			f, at := &s.Fields[i], base+s.Layouts[0].Offsets[i]
			if f.Inner != nil && (f.Type == "struct" || f.Type == "union") {
				prefix := path
				if f.Name != "" {
					prefix += f.Name + "."
				}
				walk(f.Inner, prefix, at, inUnion || f.Inner.Union)
				continue
			}
			size, _ := z.fieldSize(f, version)
			l := leaf{path + f.Name, at, size, f.BitOffset, f.Bits, inUnion, ""}
			if f.Inner == nil {
				l.typ = f.Type
			}
			out = append(out, l)
		}
	}
	walk(s, "", 0, s.Union)
	return out
}

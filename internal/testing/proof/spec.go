package proof

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/gpuevent/gpuevent/internal/versions"
)

// Spec is what tests need of specs/<api>.json. It is read here anew, and not by the generator's
// reader, so that a mistake in that one can't hide behind itself.
type Spec struct {
	API       string
	Versions  []SpecVersion
	Functions []SpecFunction
	Enums     []SpecEnum
	Structs   []SpecStruct
	Typedefs  []SpecTypedef
	Consts    []SpecConst
	Aliases   []SpecAlias
}

// SpecVersion is one release.
type SpecVersion struct {
	Name   string
	Number int
}

// Span says in which releases an entity is.
type Span struct {
	Since, Removed string
	Absent         []struct{ From, To string }
}

// Has reports whether a release has the entity.
func (s Span) Has(version string) bool {
	if versions.Compare(version, s.Since) < 0 || s.Removed != "" &&
		versions.Compare(version, s.Removed) >= 0 {
		return false
	}
	for _, a := range s.Absent {
		if inStretch(version, a.From, a.To) {
			return false
		}
	}
	return true
}

// SpecFunction is a function with the prototypes it had.
type SpecFunction struct {
	Name string
	Span
	Ret      string
	Params   []SpecParam
	Variants []struct {
		From, To string
		Ret      string
		Params   []SpecParam
	}
}

// SpecParam is a parameter, with the names that older releases give it.
type SpecParam struct {
	Name, Type string
	Was        []struct{ Name, To string }
}

// called reports whether a release gives the parameter a name.
func (p *SpecParam) called(name string) bool {
	for _, w := range p.Was {
		if w.Name == name {
			return true
		}
	}
	return p.Name == name
}

// SpecEnum is an enum.
type SpecEnum struct {
	Name, Tag    string
	Bare, Signed bool
	Wide         bool // 64 bits; an unsigned number over 63 bits is negative in the spec
	Span
	Values []struct {
		Name  string
		Value int64
		Span
		Variants []struct {
			From, To string
			Value    int64
		}
	}
}

// SpecStruct is a struct or union, also one that is declared in place.
type SpecStruct struct {
	Name, Tag   string
	Bare, Union bool
	Span
	Layouts  []SpecLayout
	Fields   []SpecField
	Variants []struct {
		From, To string
		Union    bool
		Layouts  []SpecLayout
		Fields   []SpecField
	}
}

// SpecLayout is a struct's layout on some targets.
type SpecLayout struct {
	Targets     []string
	Size, Align uintptr
	Offsets     []uintptr
}

// SpecField is a field.
type SpecField struct {
	Name, Type      string
	Inner           *SpecStruct
	Bits, BitOffset int
}

// SpecTypedef is a handle, a callback or another name.
type SpecTypedef struct {
	Name string
	Span
	Kind, Type string
	Variants   []struct{ From, To, Kind, Type string }
}

// meant reports whether a release gives a typedef another meaning than the newest one.
func (s *Spec) meant(name, version string) bool {
	for _, t := range s.Typedefs {
		for _, v := range t.Variants {
			if t.Name == name && version != "" && inStretch(version, v.From, v.To) && v.Type != t.Type {
				return true
			}
		}
	}
	return false
}

// incomplete reports whether a name is a typedef of a struct that no header completes.
func (s *Spec) incomplete(name string) bool {
	i := slices.IndexFunc(s.Typedefs, func(t SpecTypedef) bool {
		return t.Name == name && t.Kind == "alias" && strings.HasPrefix(t.Type, "struct ")
	})
	return i >= 0 && !strings.Contains(s.Typedefs[i].Type, "*") && s.structOf(name) == ""
}

// has reports whether a release has a typedef; any has it for "".
func (s *Spec) has(name, version string) bool {
	return slices.ContainsFunc(s.Typedefs, func(t SpecTypedef) bool {
		return t.Name == name && (version == "" || t.Has(version))
	})
}

// SpecConst is a macro.
type SpecConst struct {
	Name string
	Span
	Kind, Value string
	Variants    []struct{ From, To, Kind, Value string }
}

// SpecAlias is a name that stands for another.
type SpecAlias struct {
	Name, Kind string
	Spans      []struct{ From, To, Target string }
}

// LoadSpec reads a spec file.
func LoadSpec(path string) (*Spec, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := new(Spec)
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i := range s.Enums { // an enumerator without a release of its own came with its enum
		for k := range s.Enums[i].Values {
			if v := &s.Enums[i].Values[k]; v.Since == "" {
				v.Since = s.Enums[i].Since
			}
		}
	}
	return s, nil
}

// Newest is the newest release's name.
func (s *Spec) Newest() string { return s.Versions[len(s.Versions)-1].Name }

// Number is how the API encodes a release; 0 for one that the spec lacks.
func (s *Spec) Number(version string) int {
	for _, v := range s.Versions {
		if v.Name == version {
			return v.Number
		}
	}
	return 0
}

// Turns are the releases, oldest first, that are the last with some older form: of a struct, a
// prototype, a typedef or a number. Together with the newest they have every form that there was.
func (s *Spec) Turns() []string {
	last := map[string]bool{}
	for _, f := range s.Functions {
		for _, v := range f.Variants {
			last[v.To] = true
		}
	}
	for _, e := range s.Enums {
		for _, v := range e.Values {
			for _, x := range v.Variants {
				last[x.To] = true
			}
		}
	}
	for _, t := range s.Structs {
		for _, v := range t.Variants {
			last[v.To] = true
		}
	}
	for _, t := range s.Typedefs {
		for _, v := range t.Variants {
			last[v.To] = true
		}
	}
	for _, k := range s.Consts {
		for _, v := range k.Variants {
			last[v.To] = true
		}
	}
	var out []string
	for _, v := range s.Versions {
		if last[v.Name] {
			out = append(out, v.Name)
		}
	}
	return out
}

// Shape is a type as one release declares it.
type Shape struct {
	Size, Align uintptr
	Fields      map[string]FieldShape
}

// FieldShape is a field's place: its offset, or for a bit-field its first bit and its width.
type FieldShape struct {
	Offset    uintptr
	Bit, Bits int
	of        string  // its type, until Holds is known
	Holds     uintptr // the size of a struct that it is of, by name; else 0
}

// same reports whether two shapes agree in all that both have, and in size and alignment.
func (s Shape) same(t Shape) bool {
	if s.Size != t.Size || s.Align != t.Align || len(s.Fields) != len(t.Fields) {
		return false
	}
	for path, f := range s.Fields {
		if g, ok := t.Fields[path]; !ok || f != g {
			return false
		}
	}
	return true
}

// Shapes are the structs and unions that a release has; of all releases, in their newest shape, for
// "".
func (s *Spec) Shapes(version string) map[string]Shape {
	out := map[string]Shape{}
	for _, t := range s.Structs {
		if version != "" && !t.Has(version) || version == "" && s.renamed(t.Name) {
			continue
		}
		for _, v := range t.Variants {
			if version != "" && inStretch(version, v.From, v.To) {
				t.Layouts, t.Fields, t.Union = v.Layouts, v.Fields, v.Union
			}
		}
		l := here(t.Layouts)
		shape := Shape{l.Size, l.Align, map[string]FieldShape{}}
		shape.add(t.Fields, t.Layouts, "", 0)
		out[t.Name] = shape
	}
	for _, shape := range out {
		for path, f := range shape.Fields {
			if f.of == "" {
				continue
			}
			f.Holds = out[s.structOf(f.of)].Size
			f.of = ""
			shape.Fields[path] = f
		}
	}
	return out
}

// ofUntil reports whether the layout that a struct had up to a release is that of another release.
func (s *Spec) ofUntil(name, until, version string) bool {
	if version == "" {
		return false
	}
	for _, t := range s.Structs {
		if t.Name != name {
			continue
		}
		for _, v := range t.Variants {
			if v.To == until {
				return inStretch(version, v.From, v.To)
			}
		}
	}
	return versions.Compare(version, until) <= 0
}

// renamed reports whether a struct's name has become a typedef of another one.
func (s *Spec) renamed(name string) bool {
	return slices.ContainsFunc(s.Typedefs, func(t SpecTypedef) bool {
		return t.Name == name && t.Removed == ""
	})
}

func (s Shape) add(fields []SpecField, layouts []SpecLayout, prefix string, base uintptr) {
	l := here(layouts)
	for i, f := range fields {
		path, offset := prefix, base+l.Offsets[i]
		if strings.HasSuffix(f.Type, "[0]") {
			continue // C can't tell its size
		}
		if f.Name != "" {
			path = strings.TrimPrefix(prefix+"."+f.Name, ".")
			shape := FieldShape{Offset: offset}
			if f.Inner == nil && !strings.ContainsAny(f.Type, "*[") {
				shape.of = f.Type
			}
			if f.Bits > 0 {
				shape = FieldShape{Bit: int(offset)*8 + f.BitOffset, Bits: f.Bits}
			}
			s.Fields[path] = shape
		}
		if f.Inner != nil && !strings.Contains(f.Type, "[") {
			s.add(f.Inner.Fields, f.Inner.Layouts, path, offset)
		}
	}
}

// here is the layout on this platform; on one that the spec does not name, the first, for all
// 64-bit Unix systems agree.
func here(layouts []SpecLayout) SpecLayout {
	for _, l := range layouts {
		if slices.Contains(l.Targets, runtime.GOOS+"/"+runtime.GOARCH) {
			return l
		}
	}
	return layouts[0]
}

// Numbers are the enumerators and constant macros that a release has, by name; of all releases,
// with their newest value, for "". A text is a string, integers are as [Integer] has them.
func (s *Spec) Numbers(version string) map[string]any {
	out, newest := map[string]any{}, map[string]string{}
	put := func(name string, span Span, value any) {
		if version == "" {
			last := span.Removed
			if last == "" {
				last = "~" // behind all
			}
			if old, ok := newest[name]; ok &&
				(old == "~" || last != "~" && versions.Compare(old, last) >= 0) {
				return
			}
			newest[name] = last
		} else if !span.Has(version) {
			return
		}
		out[name] = value
	}
	for _, e := range s.Enums {
		for _, v := range e.Values {
			value := v.Value
			for _, x := range v.Variants {
				if version != "" && inStretch(version, x.From, x.To) {
					value = x.Value
				}
			}
			put(v.Name, v.Span, Integer(uint64(value), !e.Wide || e.Signed))
		}
	}
	for _, c := range s.Consts {
		kind, value := c.Kind, c.Value
		for _, x := range c.Variants {
			if version != "" && inStretch(version, x.From, x.To) {
				value = x.Value
				if x.Kind != "" {
					kind = x.Kind
				}
			}
		}
		put(c.Name, c.Span, parseConst(kind, value))
	}
	return out
}

func parseConst(kind, value string) any {
	switch kind {
	case "int":
		if v, err := strconv.ParseInt(value, 0, 64); err == nil {
			return v
		}
	case "uint", "pointer":
		if v, err := strconv.ParseUint(value, 0, 64); err == nil {
			return Integer(v, false)
		}
	case "float":
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			return v
		}
	}
	return value
}

// Prototype is a function's parameters in a release, and whether they differ in type from the
// newest ones.
func (s *Spec) Prototype(f *SpecFunction, version string) (params []SpecParam, differs bool) {
	for _, v := range f.Variants {
		if version != "" && inStretch(version, v.From, v.To) {
			same := v.Ret == f.Ret && slices.EqualFunc(v.Params, f.Params,
				func(a, b SpecParam) bool { return a.Type == b.Type })
			return v.Params, !same
		}
	}
	return f.Params, false
}

// olderLayout is the size of the layout that a struct parameter of a function had when headers
// dropped the function; 0 if the layout of today has that size, too, or it is no struct.
func (s *Spec) olderLayout(f *SpecFunction, p SpecParam) uintptr {
	last := ""
	for _, v := range s.Versions {
		if f.Has(v.Name) {
			last = v.Name
		}
	}
	name := s.structOf(p.Type)
	for _, t := range s.Structs {
		for _, v := range t.Variants {
			if f.Removed != "" && t.Name == name && inStretch(last, v.From, v.To) &&
				v.Layouts[0].Size != t.Layouts[0].Size {
				return v.Layouts[0].Size
			}
		}
	}
	return 0
}

// structOf finds the struct that a parameter type is, or points to; "" if it is none.
func (s *Spec) structOf(ctype string) string { return s.structIn(ctype, "") }

// structIn is structOf as one release means it: a name that is an alias now may have been a struct.
func (s *Spec) structIn(ctype, version string) string {
	name := strings.TrimSpace(strings.Trim(
		strings.NewReplacer("const", "", "struct ", "", "union ", "").Replace(ctype), " *"))
	for range 8 {
		if i := slices.IndexFunc(s.Typedefs, func(t SpecTypedef) bool {
			return t.Name == name && t.Kind == "alias" && (version == "" || t.Has(version))
		}); i >= 0 {
			name = s.Typedefs[i].Type // also where an older release has a struct of that name
			continue
		}
		for _, t := range s.Structs {
			if t.Name == name || t.Bare && t.Tag == name {
				return t.Name
			}
		}
		return ""
	}
	return ""
}

func inStretch(version, from, to string) bool {
	return versions.Compare(version, from) >= 0 && (to == "" || versions.Compare(version, to) <= 0)
}

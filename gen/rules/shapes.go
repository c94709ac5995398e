package rules

import (
	"regexp"
	"slices"

	"github.com/gpuevent/gpuevent/gen/model"
)

// Shapes is what guesses need to know of an API's types.
type Shapes struct {
	handles map[string]bool
	aliases map[string]model.Type
	structs map[string]*model.Struct
}

// NewShapes collects the types of a model, as its newest version means them.
func NewShapes(m *model.Model) *Shapes {
	s := &Shapes{handles: map[string]bool{}, aliases: map[string]model.Type{},
		structs: map[string]*model.Struct{}}
	for i := range m.Structs {
		s.structs[m.Structs[i].Name] = &m.Structs[i]
	}
	for _, t := range m.Typedefs {
		switch t.Kind {
		case "handle":
			s.handles[t.Name] = true
		case "alias":
			s.aliases[t.Name] = t.Type
		}
	}
	for _, a := range m.Aliases {
		if n := len(a.Spans); a.Kind == "type" && n > 0 {
			s.aliases[a.Name] = model.Type(a.Spans[n-1].Target)
		}
	}
	return s
}

// Handle reports whether a C type is a handle.
func (s *Shapes) Handle(c model.Type) bool { return s.handles[string(c)] }

// final follows aliases to what a name stands for.
func (s *Shapes) final(name string) string {
	for range 32 { // a chain of aliases is short, and a model that was checked has no circle
		to, ok := s.aliases[name]
		if !ok {
			return name
		}
		name = string(to)
	}
	return name
}

// integers of all widths; a char is not a number here
var integerName = regexp.MustCompile(
	`^(unsigned )?(short|int|long|long long)$|^u?int(ptr|max|\d+)?_t$|^size_t$|^ptrdiff_t$`)

// plainNumber matches the names of typedefs that only fix a width; others say what a number is,
// such as a device.
var plainNumber = regexp.MustCompile(`(?i)u?int\d*(_t)?$|size|count|len`)

// number reports whether a type is an integer that may be a count.
func (s *Shapes) number(name string) bool {
	return integerName.MatchString(name) ||
		plainNumber.MatchString(name) && integerName.MatchString(s.final(name))
}

// mayCount reports whether a parameter may say how many elements another one points to: an integer
// that is not named after something else, or a pointer to one that is named like a count.
func (s *Shapes) mayCount(p model.Param) bool {
	t, err := p.Type.Parse()
	switch {
	case err != nil:
		return false
	case t.Kind == model.Pointer && t.Elem.Kind == model.Named:
		return countName.MatchString(p.Name) && s.number(t.Elem.Name)
	case t.Kind != model.Named:
		return false
	case countName.MatchString(p.Name):
		return integerName.MatchString(s.final(t.Name))
	}
	return s.number(t.Name) && !choiceName.MatchString(p.Name)
}

// header matches the first member of structs that the caller must fill in before the call.
var header = regexp.MustCompile(`(?i)(version|size|sType)$`)

// oneValue reports whether C writes exactly one value of a fixed size there, and reads nothing
// first. Floats and bytes are often arrays of a fixed length that the header does not tell.
func (s *Shapes) oneValue(c *model.C) bool {
	if c.Kind != model.Named {
		return c.Kind == model.Pointer
	}
	name := s.final(c.Name)
	if slices.Contains([]string{"float", "double", "signed char", "unsigned char", "int8_t",
		"uint8_t"}, name) {
		return false
	}
	st := s.structs[name]
	if st == nil {
		return true
	}
	if len(st.Fields) > 0 && header.MatchString(st.Fields[0].Name) &&
		integerName.MatchString(s.final(string(st.Fields[0].Type))) {
		return false
	}
	return st.Layouts[0].Size <= largeResult
}

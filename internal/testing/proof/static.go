package proof

import (
	"slices"
	"strings"
)

// LayoutOfSpec compares Go types with the spec, without C.
func LayoutOfSpec(api *API, s *Spec) *Report {
	r := new(Report)
	want := s.Shapes("")
	seen := map[string]bool{}
	for _, t := range api.Types {
		w, ok := want[t.C]
		if t.Until != "" {
			w, ok = s.Shapes(t.Until)[t.C]
		}
		if !ok {
			continue // a handle or an enum
		}
		if t.Until == "" {
			seen[t.C] = true
		}
		l := CType{Size: w.Size, Align: w.Align, Fields: map[string]CField{}}
		sizes := map[string]uintptr{}
		for _, f := range t.Fields {
			sizes[f.C] = f.Size // the spec does not say; it is the oracle's to check
		}
		for path, f := range w.Fields {
			l.Fields[path] = CField{f.Offset, sizes[path], f.Bit, f.Bits, 0}
		}
		r.goType(t, l, nil)
	}
	for name := range want {
		if !seen[name] {
			r.bad(name, "no Go type stands for it")
		}
	}
	return r
}

// ConstantsOfSpec compares Go constants with the spec, without C.
func ConstantsOfSpec(api *API, s *Spec) *Report {
	r := new(Report)
	want := s.Numbers("")
	for _, k := range api.Consts {
		w, ok := want[k.C]
		switch {
		case !ok:
			r.bad(k.C, "the spec has no such constant")
		case w != number(k.Value):
			r.bad(k.C, "Go: %v; spec: %v", number(k.Value), w)
		default:
			r.Constants++
		}
		delete(want, k.C)
	}
	for name := range want {
		r.bad(name, "no Go constant stands for it, or it is there twice")
	}
	return r
}

// Uncovered lists the entities of a release that the bindings lack, and counts all of them. A
// typedef that only gives another name to a type is covered by that type.
func Uncovered(api *API, s *Spec, version string) (missing []string, n int) {
	functions, types, consts := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, f := range api.Functions {
		functions[f.C] = true
	}
	for _, t := range api.Types {
		types[t.C] = true
	}
	for _, k := range api.Consts {
		consts[k.C] = true
	}
	need := func(have map[string]bool, kind, name string) {
		n++
		if !have[name] {
			missing = append(missing, kind+" "+name)
		}
	}
	for _, f := range s.Functions {
		if f.Has(version) {
			need(functions, "function", f.Name)
		}
	}
	for _, e := range s.Enums {
		if e.Has(version) && (!e.Bare || e.Tag != "") {
			need(types, "enum", e.Name)
		}
	}
	for _, t := range s.Structs {
		if t.Has(version) {
			if s.renamed(t.Name) {
				need(types, "struct", s.structOf(t.Name))
			} else {
				need(types, "struct", t.Name)
			}
		}
	}
	for _, t := range s.Typedefs {
		if t.Has(version) && !s.renames(t, types) {
			need(types, t.Kind, t.Name)
		}
	}
	for name := range s.Numbers(version) {
		need(consts, "constant", name)
	}
	slices.Sort(missing)
	return missing, n
}

// renames reports whether a typedef is just one more name: of a type that is covered itself, or of
// a type of the language. A handle to const is such a name for the handle.
func (s *Spec) renames(t SpecTypedef, covered map[string]bool) bool {
	switch t.Kind {
	case "handle":
		plain := strings.TrimPrefix(t.Type, "const ")
		return plain != t.Type && slices.ContainsFunc(s.Typedefs, func(o SpecTypedef) bool {
			return o.Type == plain && covered[o.Name]
		})
	case "alias":
		name := strings.Trim(strings.TrimPrefix(t.Type, "const "), " *")
		if _, incomplete := strings.CutPrefix(name, "struct "); incomplete || covered[name] ||
			language[name] {
			return true
		}
		i := slices.IndexFunc(s.Typedefs, func(o SpecTypedef) bool { return o.Name == name })
		return i >= 0 && s.renames(s.Typedefs[i], covered)
	}
	return false
}

// language are the types of C that typedefs of the APIs rename.
var language = map[string]bool{"int": true, "unsigned int": true, "unsigned long long": true,
	"uint32_t": true, "uint64_t": true, "void": true}

package proof

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// called matches a name that is declared, defined or called as a function.
var called = regexp.MustCompile(`\b([A-Za-z_][A-Za-z0-9_]*)\s*\(`)

// Symbols compares the functions of a release with the text of its headers, as the preprocessor
// leaves it: after macros, a header names the symbols that programs link with. Nothing of the
// generator reads that text.
func Symbols(api *API, s *Spec, version, header string) *Report {
	r := new(Report)
	declared := map[string]bool{}
	for _, m := range called.FindAllStringSubmatch(header, -1) {
		declared[m[1]] = true
	}
	span, prefix := map[string]Span{}, ""
	for i, f := range s.Functions {
		span[f.Name] = f.Span
		if i == 0 {
			prefix = f.Name
		}
		for !strings.HasPrefix(f.Name, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	for _, f := range api.Functions {
		has, known := span[f.C]
		switch {
		case !known:
			r.bad(f.C, "the spec has no such function")
		case has.Has(version) && !declared[f.C]:
			r.bad(f.C, "the header of %s does not declare it", version)
		case !has.Has(version) && declared[f.C]:
			r.bad(f.C, "the header of %s declares it, the spec has it from %s on", version, has.Since)
		case has.Has(version):
			r.Functions++
		}
	}
	texts := prototypes(header)
	for i := range s.Functions {
		if f := &s.Functions[i]; f.Has(version) && texts[f.Name] != nil {
			s.parameterNames(r, f, version, texts[f.Name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		if _, known := span[name]; known || len(prefix) < 2 || !strings.HasPrefix(name, prefix) {
			continue
		}
		if !s.otherwise(name) {
			r.bad(name, "the header of %s declares it, the spec does not have it", version)
		}
	}
	return r
}

// declaration matches a name and its parameters, up to the end of a declaration.
var declaration = regexp.MustCompile(`\b([A-Za-z_][A-Za-z0-9_]*)\s*\(([^;{}]*)\)\s*;`)

var (
	pointerName = regexp.MustCompile(`\(\s*\*\s*([A-Za-z_][A-Za-z0-9_]*)\s*\)`) // of a function
	lastName    = regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_]*)\s*(\[[^]]*\]\s*)*$`)
)

// prototypes are the names of the parameters that a header's text gives to each function.
func prototypes(header string) map[string][]string {
	out := map[string][]string{}
	for _, m := range declaration.FindAllStringSubmatch(header, -1) {
		var names []string
		for _, p := range parameters(m[2]) {
			switch name, last := pointerName.FindStringSubmatch(p), lastName.FindStringSubmatch(p); {
			case name != nil:
				names = append(names, name[1])
			case last != nil:
				names = append(names, last[1])
			default:
				names = append(names, "")
			}
		}
		out[m[1]] = names
	}
	return out
}

// parameters parts a list at the commas outside of brackets.
func parameters(list string) []string {
	var out []string
	depth, from := 0, 0
	for i, c := range list {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, list[from:i])
				from = i + 1
			}
		}
	}
	return append(out, list[from:])
}

// parameterNames finds parameters that change places: C does not mind, for their types are the
// same.
func (s *Spec) parameterNames(r *Report, f *SpecFunction, version string, names []string) {
	params, _ := s.Prototype(f, version)
	if len(params) != len(names) {
		return // the compiler counts them
	}
	for i, p := range params {
		if p.called(names[i]) {
			continue
		}
		if slices.ContainsFunc(params, func(q SpecParam) bool { return q.Name == names[i] }) {
			r.bad(f.Name+"."+p.Name, "the header of %s has %s in its place", version, names[i])
		}
	}
}

// otherwise reports whether a name with brackets behind it is something else than an exported
// function: a type, or an inline function.
func (s *Spec) otherwise(name string) bool {
	return slices.ContainsFunc(s.Aliases, func(a SpecAlias) bool { return a.Name == name }) ||
		slices.ContainsFunc(s.Typedefs, func(t SpecTypedef) bool { return t.Name == name })
}

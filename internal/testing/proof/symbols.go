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

// otherwise reports whether a name with brackets behind it is something else than an exported
// function: a type, or an inline function.
func (s *Spec) otherwise(name string) bool {
	return slices.ContainsFunc(s.Aliases, func(a SpecAlias) bool { return a.Name == name }) ||
		slices.ContainsFunc(s.Typedefs, func(t SpecTypedef) bool { return t.Name == name })
}

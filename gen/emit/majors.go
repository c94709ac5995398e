package emit

import (
	"strconv"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
)

// guardMajors is the guard of a function of an API whose major versions may lay every struct out
// anew: the majors from the first whose headers have the newest layout up to that of the newest. of
// and from are the struct that differs before a version, if one does. A function that headers
// dropped has none: a library that keeps it, keeps it for programs of those days.
func (p *calls) guardMajors(f *model.Function, of, from string) *guard {
	newest := p.last(f.Span)
	switch changed := p.Rules.Binding.Layouts.Functions[f.Name]; {
	case f.Removed != "":
		return nil
	case changed != "":
		of, from = changed, newest
	case of == "":
		if of = p.anyStruct(f, newest); of == "" {
			return nil
		}
		from = p.first(f)
	}
	return &guard{of: of, from: strconv.Itoa(p.major(from)), below: strconv.Itoa(p.major(newest) + 1)}
}

// first is the oldest version whose libraries have a function.
func (p *calls) first(f *model.Function) string {
	for _, v := range p.Model.Versions {
		if f.Has(v.Name) && !p.Rules.Binding.Missing[f.Name].Lacks(v.Name) {
			return v.Name
		}
	}
	return p.last(f.Span)
}

// anyStruct is a struct that a function takes, "" if it takes none.
func (p *calls) anyStruct(f *model.Function, version string) string {
	for _, t := range prototypeAt(f, version) {
		if name := pointee(t); p.sizes.structOf(name, version) != nil {
			return name
		}
	}
	return ""
}

func (p *calls) major(version string) int {
	text, _, _ := strings.Cut(p.libraryVersion(version), ".")
	n, _ := strconv.Atoi(text) // versions are made of numbers
	return n
}

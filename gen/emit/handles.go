package emit

import (
	"sort"

	"github.com/dave/jennifer/jen"
)

// renderHandles writes zhandles.go: handles, named numbers, and other names of types.
func (p *renderer) renderHandles(parts map[string]*jen.File) {
	longs, times := p.res.bases["long"] || p.res.bases["unsigned long"], p.res.bases["struct timespec"]
	if longs {
		p.renderLong(parts)
	}
	if len(p.handles)+len(p.typedefs) == 0 && !times {
		return
	}
	f := p.file()
	sort.Slice(p.handles, func(i, j int) bool { return p.handles[i].goName < p.handles[j].goName })
	sort.Slice(p.typedefs, func(i, j int) bool { return p.typedefs[i].goName < p.typedefs[j].goName })
	for _, h := range p.handles {
		f.Line()
		d := p.typeDoc(h.goName, h.Name)
		d.para("It is a handle, a number in Go; 0 means none. %s", p.since(h.Span))
		d.para("%s", p.deprecated(h.Span, ""))
		d.to(f)
		f.Type().Id(h.goName).Uintptr()
	}
	for _, t := range p.typedefs {
		f.Line()
		d := p.typeDoc(t.goName, t.Name)
		d.para("%s", p.since(t.Span))
		d.para("%s", p.deprecated(t.Span, ""))
		d.to(f)
		s := f.Type().Id(t.goName)
		if t.alias {
			s.Op("=")
		}
		s.Add(t.target.code())
	}
	if times {
		f.Line()
		f.Comment("// Timespec is C's struct timespec: a time since 1970 in seconds and nanoseconds.")
		f.Type().Id(tTimespec.name).Struct(jen.List(jen.Id("Sec"), jen.Id("Nsec")).Int64())
	}
	parts["zhandles.go"] = f
}

// renderLong writes what C's long is on each system.
func (p *renderer) renderLong(parts map[string]*jen.File) {
	for _, v := range []struct{ file, build, signed, unsigned string }{
		{"zlong_windows.go", "", "int32", "uint32"},
		{"zlong_other.go", "//go:build !windows", "int64", "uint64"},
	} {
		f := p.file()
		if v.build != "" {
			f.HeaderComment("")
			f.HeaderComment(v.build)
		}
		f.Comment("// Long is C's long, which is 32 bits wide on Windows and 64 elsewhere.")
		f.Type().Id("Long").Op("=").Id(v.signed)
		f.Line()
		f.Comment("// ULong is C's unsigned long, which is 32 bits wide on Windows and 64 elsewhere.")
		f.Type().Id("ULong").Op("=").Id(v.unsigned)
		parts[v.file] = f
	}
}

// typeDoc begins a type's doc comment with its C name and our words for it.
func (p *renderer) typeDoc(goName, c string) *doc {
	d := &doc{}
	if text := p.inGo(p.Rules.Docs.Types[c], true); text != "" {
		d.para("%s is %s: %s", goName, c, sentence(text))
	} else {
		d.para("%s is the C type %s.", goName, c)
	}
	return d
}

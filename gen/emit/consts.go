package emit

import (
	"fmt"
	"sort"
	"strings"

	"github.com/dave/jennifer/jen"
)

// renderConsts writes zconsts.go: the macros that are constants.
func (p *renderer) renderConsts(parts map[string]*jen.File) {
	f := p.file()
	newest := p.Model.Versions[len(p.Model.Versions)-1]
	f.Comment(
		fmt.Sprintf(
			"// HeaderVersion is the version of the newest headers that the bindings were generated from, "+
				"%s %s, as the API encodes it.",
			p.vendor(),
			p.named(newest.Name),
		),
	)
	f.Const().Id("HeaderVersion").Op("=").Lit(newest.Number)
	parts["zconsts.go"] = f
	if len(p.consts) == 0 {
		return
	}
	f.Line()
	sort.Slice(p.consts, func(i, j int) bool { return p.consts[i].goName < p.consts[j].goName })
	f.Comment("// Constants that the headers define by macros.")
	f.Const().DefsFunc(func(g *jen.Group) {
		for _, k := range p.consts {
			if d := p.deprecated(k.Span, ""); d != "" {
				g.Comment("// " + d)
			}
			s := g.Id(k.goName)
			if k.typ != nil {
				s.Add(k.typ.code())
			}
			note := k.Name
			if k.Since != p.Model.Versions[0].Name {
				note += p.sinceNote(k.Since)
			}
			for _, v := range k.Variants {
				note += fmt.Sprintf("; %s in %s", v.Value, p.stretch(v.From, v.To))
			}
			s.Op("=").Add(constValue(k.Kind, k.Value)).Comment(strings.ReplaceAll(note, "\n", " "))
		}
	})
}

func constValue(kind, value string) *jen.Statement {
	if kind == "string" {
		return jen.Lit(value)
	}
	if kind == "float" && !strings.ContainsAny(value, ".eE") {
		value += ".0" // without a point the constant would be an int
	}
	return jen.Id(strings.ToLower(value))
}

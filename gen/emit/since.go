package emit

import (
	"sort"

	"github.com/dave/jennifer/jen"
)

// renderSince writes zsince.go: which version introduced a symbol.
func (p *renderer) renderSince(parts map[string]*jen.File) {
	f := p.file()
	since := map[string]string{}
	var symbols []string
	for _, fn := range p.funcs {
		if since[fn.Name] == "" {
			symbols = append(symbols, fn.Name)
		}
		since[fn.Name] = p.began(fn.Span)
	}
	sort.Strings(symbols)
	f.Comment(
		"// introduced has the version that introduced each symbol, as [Since] returns it, sorted by " +
			"symbol.",
	)
	f.Var().
		Id("introduced").
		Op("=").
		Index(jen.Op("...")).
		Struct(jen.List(jen.Id("symbol"), jen.Id("since")).String()).
		ValuesFunc(func(g *jen.Group) {
			for _, s := range symbols {
				g.Line().Values(jen.Lit(s), jen.Lit(since[s]))
			}
			g.Line()
		})
	f.Line()
	f.Comment("// since finds a symbol in the table; \"\" if it is not there.")
	f.Func().Id("since").Params(jen.Id("symbol").String()).String().Block(
		jen.Id("i").
			Op(":=").
			Qual("sort", "Search").
			Call(jen.Len(jen.Id("introduced")), jen.Func().Params(jen.Id("i").Int()).Bool().Block(
				jen.Return(jen.Id("introduced").Index(jen.Id("i")).Dot("symbol").Op(">=").Id("symbol")))),
		jen.If(jen.Id("i").Op("<").Len(jen.Id("introduced")).Op("&&").Id("introduced").Index(jen.Id("i")).
			Dot("symbol").Op("==").Id("symbol")).
			Block(
				jen.Return(jen.Id("introduced").Index(jen.Id("i")).Dot("since"))),
		jen.Return(jen.Lit("")),
	)
	parts["zsince.go"] = f
}

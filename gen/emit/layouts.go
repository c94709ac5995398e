package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"
)

// name is the variable with a guard's range.
func (g *guard) name(p *renderer) string {
	name := p.namer.goOf[[2]string{"type", g.of}]
	if name == "" {
		name = camel(g.of)
	}
	name = "layout" + name + strings.ReplaceAll(g.from, ".", "")
	if g.below != "" {
		name += "Below" + g.below
	}
	return name
}

// guards are the guards of an API by variable.
func (p *renderer) guards() map[string]*guard {
	out := map[string]*guard{}
	for _, f := range p.funcs {
		if f.guard != nil {
			out[f.guard.name(p)] = f.guard
		}
	}
	return out
}

// renderLayouts writes zlayouts.go: the layouts that only some versions of the library have.
func (p *renderer) renderLayouts(parts map[string]*jen.File) {
	guards := p.guards()
	if len(guards) == 0 {
		return
	}
	f := p.file()
	d := &doc{}
	d.para("ErrLayout: a function of the open library takes a struct that is laid out otherwise " +
		"than the Go type. A [*LayoutError] names both and the versions; it was not called.")
	d.to(f)
	f.Var().Id("ErrLayout").Op("=").Qual(dlPath, "ErrLayout")
	f.Line()
	f.Comment("// LayoutError is the error that matches [ErrLayout], for [errors.As].")
	f.Type().Id("LayoutError").Op("=").Qual(libErrPath, "LayoutError")
	f.Line()
	f.Comment("// Layouts that older libraries lack, by struct and the first version that has them.")
	f.Var().DefsFunc(func(g *jen.Group) {
		for _, name := range slices.Sorted(keys(guards)) {
			y := guards[name]
			g.Id(name).Op("=").Qual(dlPath, "Layout").ValuesFunc(func(g *jen.Group) {
				g.Id("Struct").Op(":").Lit(y.of)
				g.Id("From").Op(":").Lit(y.from)
				if y.below != "" {
					g.Id("Below").Op(":").Lit(y.below)
				}
			})
		}
	})
	parts["zlayouts.go"] = f
}

// layoutField is the field of a function's proc that names its guard, if it has one.
func (p *renderer) layoutField(f *function) *jen.Statement {
	if f.guard == nil {
		return nil
	}
	return jen.Id("Layout").Op(":").Op("&").Id(f.guard.name(p))
}

// guardNote says which libraries a function is refused in.
func (p *renderer) guardNote(f *function) string {
	if f.guard == nil {
		return ""
	}
	what := p.namer.goOf[[2]string{"type", f.guard.of}]
	if what == "" {
		what = f.guard.of
	} else {
		what = "[" + what + "]"
	}
	where := fmt.Sprintf("older than %s", f.guard.from)
	if f.guard.below != "" {
		where += fmt.Sprintf(", and from %s on", f.guard.below)
	}
	return fmt.Sprintf("In libraries %s, which lay %s out differently, it returns [ErrLayout].", where,
		what)
}

package emit

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"
)

// renderInit writes the constructor of a struct whose members are preset.
func (p *renderer) renderInit(f *jen.File, in *initializer) {
	var names []string
	for _, v := range in.presets {
		names = append(names, v.m.goName)
	}
	f.Line()
	d := &doc{}
	d.para("%s returns a %s with the values that C expects in %s. All other fields are zero.",
		in.goName, in.typ, list(names))
	d.to(f)
	f.Func().Id(in.goName).Params().Id(in.typ).Block(
		jen.Return(jen.Id(in.typ).ValuesFunc(func(g *jen.Group) {
			for _, v := range in.presets {
				g.Line().Id(v.m.goName).Op(":").Add(presetCode(in, v))
			}
			g.Line()
		})))
}

func presetCode(in *initializer, v preset) *jen.Statement {
	value := jen.Id(v.value)
	if v.sizeof {
		size := jen.Qual("unsafe", "Sizeof").Call(jen.Id(in.typ).Values())
		if v.value != "" {
			size = size.Op("|").Add(value)
		}
		return v.m.typ.code().Call(size)
	}
	if v.m.typ.named { // a constant may have another type
		return v.m.typ.code().Call(value)
	}
	return value
}

// list joins names: "A, B and C".
func list(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

// initsOf are the constructors of a struct: its own, and those of typedefs for it.
func (p *renderer) initsOf(s *structure) []*initializer {
	var out []*initializer
	for _, in := range p.inits {
		if in.s == s {
			out = append(out, in)
		}
	}
	return out
}

// initHint names the constructors of a struct for its doc comment.
func (p *renderer) initHint(s *structure) string {
	var names []string
	for _, in := range p.initsOf(s) {
		names = append(names, "["+in.goName+"]")
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("Create it with %s, which sets the fields that C checks.", list(names))
}

package emit

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/gpuevent/gpuevent/gen/rules"
)

// renderProof writes internal/testing/proof/z<api>.go: the bindings as data, for the tests that
// compare them with C.
func (p *Plan) renderProof() *jen.File {
	f := p.newFile(proofPath, "proof")
	f.HeaderComment("")
	f.HeaderComment("//lint:file-ignore SA1019 the proofs cover everything, deprecated or not")
	api := p.Rules.Binding.Library.Name
	f.Comment(fmt.Sprintf("// %s is what package %s binds.", api, p.Rules.Binding.Package))
	f.Var().Id(api).Op("=").Id("API").Values(
		jen.Id("Name").Op(":").Lit(p.Rules.API),
		jen.Id("Functions").Op(":").Id(p.Rules.API+"Functions"),
		jen.Id("Types").Op(":").Id(p.Rules.API+"Types"),
		jen.Id("Consts").Op(":").Id(p.Rules.API+"Consts"),
	)
	f.Line()
	f.Var().
		Id(p.Rules.API + "Functions").
		Op("=").
		Index().
		Id("Function").
		ValuesFunc(func(g *jen.Group) {
			fs := append([]*function(nil), p.funcs...)
			sort.Slice(fs, func(i, j int) bool {
				return fs[i].Name < fs[j].Name || fs[i].Name == fs[j].Name && fs[i].goName < fs[j].goName
			})
			for _, fn := range fs {
				g.Line().Add(p.proofFunction(fn))
			}
			g.Line()
		})
	f.Line()
	f.Var().Id(p.Rules.API + "Types").Op("=").Index().Id("Type").ValuesFunc(func(g *jen.Group) {
		for _, s := range p.structs {
			g.Line().Add(p.proofStruct(s))
		}
		for _, s := range p.olderStructs {
			g.Line().Add(p.proofStruct(s)).Dot("UpTo").Call(jen.Lit(s.until))
		}
		for _, e := range p.enums {
			if e.goName != "" && e.family == nil {
				g.Line().Id("scalar").Types(jen.Qual(p.pkgPath(), e.goName)).Call(jen.Lit(e.Name))
			}
		}
		for _, t := range p.Model.Typedefs {
			p.proofTypedef(g, t.Name)
		}
		for _, c := range slices.Sorted(maps.Keys(p.namer.merged)) {
			p.proofTypedef(g, c)
		}
		g.Line()
	})
	f.Line()
	f.Var().Id(p.Rules.API + "Consts").Op("=").Index().Id("Const").ValuesFunc(func(g *jen.Group) {
		for _, e := range p.enums {
			for _, v := range e.values {
				if !v.skip {
					g.Line().Values(jen.Lit(v.Name), jen.Qual(p.pkgPath(), v.goName))
				}
			}
		}
		for _, k := range p.consts {
			v := jen.Qual(p.pkgPath(), k.goName)
			if k.typ == nil && (k.Kind == "int" || k.Kind == "uint") {
				v = integerType(k.Value).Call(v)
			}
			g.Line().Values(jen.Lit(k.Name), v)
		}
		g.Line()
	})
	return f
}

// integerType is a Go type that holds an integer macro's value.
func integerType(value string) *jen.Statement {
	if v, err := strconv.ParseUint(value, 0, 64); err == nil && v > math.MaxInt64 {
		return jen.Uint64()
	}
	return jen.Int64()
}

// proofTypedef lists another name of a type, or a type without fields.
func (p *Plan) proofTypedef(g *jen.Group, c string) {
	if t, ok := p.res.types[c]; ok && t == nil {
		g.Line().Values(jen.Id("C").Op(":").Lit(c))
	} else if ok && c != "" && !slices.ContainsFunc(p.structs,
		func(s *structure) bool { return s.Name == c }) &&
		!slices.ContainsFunc(p.enums, func(e *enum) bool { return e.Name == c && e.goName != "" }) {
		g.Line().Id("scalar").Types(t.pkgCode(p.pkgPath())).Call(jen.Lit(c))
	}
}

func (p *Plan) proofFunction(fn *function) *jen.Statement {
	ret := "value"
	switch {
	case fn.ret == p.result.typ:
		ret = "result"
	case fn.ret.kind == kVoid:
		ret = "void"
	case fn.ret.kind == kString:
		ret = "string"
	}
	out := 0
	if p.value(fn) {
		out = 1
	}
	arg := 0
	fields := []jen.Code{
		jen.Id("C").
			Op(":").
			Lit(fn.Name),
		jen.Id("Go").Op(":").Qual(p.pkgPath(), fn.goName),
		jen.Id("Since").Op(":").Lit(fn.Since),
		jen.Id("Ret").Op(":").Lit(ret),
	}
	fields = append(fields, p.proofMissing(fn.Name)...)
	fields = append(
		fields,
		jen.Id("Params").Op(":").Index().Id("Param").ValuesFunc(func(g *jen.Group) {
			for _, a := range fn.params {
				i, o := -1, -1
				switch a.how {
				case byArg, byString, byClosure, byRef:
					i = arg
					arg++
				case byOut, byOutText, byBuffer:
					o = out
					out++
				}
				g.Values(jen.Lit(a.Name), jen.Lit(proofKind(a)), jen.Lit(i), jen.Lit(o))
			}
		}),
	)
	return jen.Values(fields...)
}

// proofKind is how a parameter appears in Go, as the proofs tell apart.
func proofKind(a *param) string {
	if a.how == byClosure && a.lifetime.Life == rules.Call {
		return "callbackcall"
	}
	return a.how
}

// proofStruct lists every field that C can name, with the path to it in C and in Go.
func (p *Plan) proofStruct(s *structure) *jen.Statement {
	entry := jen.Id("layout").
		Call(jen.Lit(s.Name), jen.Lit(s.Layouts[0].Align), jen.Func().
			Params(jen.Id("s").Op("*").Qual(p.pkgPath(), s.goName)).Index().Id("Field").Block(
			jen.Return(jen.Index().Id("Field").ValuesFunc(func(g *jen.Group) {
				p.proofFields(g, s, "", jen.Id("s"), true)
				g.Line()
			}))))
	if s.aligned {
		return jen.Id("made").Call(entry, jen.Qual(p.pkgPath(), "New"+s.goName))
	}
	return entry
}

func (p *Plan) proofFields(g *jen.Group, s *structure, path string, at *jen.Statement, isPtr bool) {
	base := func() *jen.Statement { return jen.Qual("unsafe", "Pointer").Call(jen.Id("s")) }
	for _, m := range s.members {
		for _, b := range m.bits {
			g.Line().
				Id("bits").
				Call(base(), jen.Lit(path+b.c), jen.Lit(b.width), at.Clone().Dot(b.goName), at.Clone().
					Dot("Set"+b.goName))
		}
		switch {
		case m.c == "":
		case m.packed != nil:
			g.Line().Id("packed").Call(base(), jen.Lit(path+m.c), pointer(at, isPtr), jen.Lit(m.goName),
				at.Clone().Dot(camel(m.c)))
		case m.hidden:
			g.Line().Id("hidden").Call(base(), jen.Lit(path+m.c), pointer(at, isPtr), jen.Lit(m.goName))
		default:
			g.Line().Id("at").Call(base(), jen.Lit(path+m.c), jen.Op("&").Add(at.Clone()).Dot(m.goName))
		}
		if m.inner != nil && !m.hidden {
			p.proofFields(g, m.inner, path+m.c+".", at.Clone().Dot(m.goName), false)
		}
	}
	for _, a := range s.access {
		g.Line().Id("at").Call(base(), jen.Lit(path+a.c), at.Clone().Dot(a.goName).Call())
		if a.inner != nil {
			p.proofFields(g, a.inner, path+a.c+".", at.Clone().Dot(a.goName).Call(), true)
		}
	}
}

// pointer is a pointer to the value that an expression stands for; accessors return one already.
func pointer(at *jen.Statement, isPtr bool) *jen.Statement {
	if isPtr {
		return at.Clone()
	}
	return jen.Op("&").Add(at.Clone())
}

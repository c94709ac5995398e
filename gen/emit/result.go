package emit

import (
	"fmt"
	"sort"

	"github.com/dave/jennifer/jen"

	"github.com/gpuevent/gpuevent/gen/rules"
)

// renderResult writes zresult.go: the result type, which is an error, its codes and their texts.
func (p *Plan) renderResult(parts map[string]*jen.File) {
	f := p.file()
	e := p.result
	d := &doc{}
	d.para("%s is %s, the result code of nearly every function. It is an error, except for %s: functions return it as one, so that "+
		"errors.Is(err, %s) and comparison both work.", e.goName, e.Name, p.success().goName, p.example())
	d.para("Error says name, number, meaning and remedy. All texts are part of the package; no library is asked.")
	d.to(f)
	f.Type().Id(e.goName).Int32()
	p.renderValues(f, e, "// Result codes.")

	f.Line()
	f.Comment("// resultText is what is known of a result code. err is the code as an error, boxed once so that returning it allocates nothing.")
	f.Type().Id("resultText").Struct(
		jen.Err().Error(), jen.Id("sticky").Bool(), jen.List(jen.Id("name"), jen.Id("says"), jen.Id("remedy")).String(),
	)
	f.Line()
	f.Var().Id("resultTexts").Op("=").Index(jen.Op("...")).Id("resultText").ValuesFunc(func(g *jen.Group) {
		for _, v := range p.codes() {
			t := p.errorText(v)
			err := jen.Id(v.goName)
			if v.Value == 0 {
				err = jen.Nil()
			}
			sticky := jen.False()
			if t.Sticky {
				sticky = jen.True()
			}
			g.Line().Values(err, sticky, jen.Lit(v.Name), jen.Lit(t.Says), jen.Lit(t.Remedy))
		}
		g.Line()
	})

	p.renderLookup(f)
	parts["zresult.go"] = f
	p.resultMethods(f)
}

// maxIndexed is the highest result code that the index covers. The vendors number up to a few thousand; a code beyond, or below 0, is
// found by a switch.
const maxIndexed = 1<<13 - 1

// renderLookup writes how a code is found: by one load from an index, for a failing call must cost no more than one that succeeds.
func (p *Plan) renderLookup(f *jen.File) {
	typ := p.result.goName
	codes := p.codes()
	width := "uint8"
	if len(codes) > 255 {
		width = "uint16"
	}
	beyond := false
	f.Line()
	f.Comment("// resultIndex says where in resultTexts a code stands, counted from 1; 0 is none.")
	f.Var().Id("resultIndex").Op("=").Index(jen.Op("...")).Id(width).ValuesFunc(func(g *jen.Group) {
		for i, v := range codes {
			if v.Value < 0 || v.Value > maxIndexed {
				beyond = true
				continue
			}
			g.Line().Id(v.goName).Op(":").Lit(i + 1)
		}
		g.Line()
	})
	f.Line()
	f.Comment("// result is the code that C returned as an error: nil for success.")
	f.Func().Id("result").Params(jen.Id("rc").Int32()).Error().Block(
		jen.If(jen.Id("rc").Op("==").Lit(0)).Block(jen.Return(jen.Nil())),
		jen.Return(jen.Id("failure").Call(jen.Id(typ).Call(jen.Id("rc")))),
	)
	f.Line()
	f.Func().Id("failure").Params(jen.Id("r").Id(typ)).Error().Block(
		jen.If(jen.Id("t").Op(":=").Id("textOf").Call(jen.Id("r")), jen.Id("t").Op("!=").Nil()).Block(jen.Return(jen.Id("t").Dot("err"))),
		jen.Return(jen.Id("r")),
	)
	f.Line()
	f.Comment("// textOf finds what is known of a code; nil for one that the headers did not have.")
	f.Func().Id("textOf").Params(jen.Id("r").Id(typ)).Op("*").Id("resultText").BlockFunc(func(g *jen.Group) {
		g.If(jen.Uint32().Call(jen.Id("r")).Op("<").Uint32().Call(jen.Len(jen.Id("resultIndex")))).Block(
			jen.If(jen.Id("i").Op(":=").Id("resultIndex").Index(jen.Id("r")), jen.Id("i").Op(">").Lit(0)).Block(
				jen.Return(jen.Op("&").Id("resultTexts").Index(jen.Id("i").Op("-").Lit(1)))),
		)
		if beyond {
			g.Switch(jen.Id("r")).BlockFunc(func(g *jen.Group) {
				for i, v := range codes {
					if v.Value < 0 || v.Value > maxIndexed {
						g.Case(jen.Id(v.goName)).Block(jen.Return(jen.Op("&").Id("resultTexts").Index(jen.Lit(i))))
					}
				}
			})
		}
		g.Return(jen.Nil())
	})
}

func (p *Plan) resultMethods(f *jen.File) {
	name := p.result.goName
	recv := func() *jen.Statement { return f.Func().Params(jen.Id("r").Id(name)) }
	known := func(field string) *jen.Statement {
		return jen.If(jen.Id("t").Op(":=").Id("textOf").Call(jen.Id("r")), jen.Id("t").Op("!=").Nil()).Block(jen.Return(jen.Id("t").Dot(field)))
	}
	num := func() *jen.Statement { return jen.Qual("strconv", "Itoa").Call(jen.Int().Call(jen.Id("r"))) }
	f.Line()
	f.Comment("// Name returns the C name of the code; of one that the headers did not have, Result(12345).")
	recv().Id("Name").Params().String().Block(known("name"), jen.Return(jen.Lit(name+"(").Op("+").Add(num()).Op("+").Lit(")")))
	f.Line()
	f.Comment("// Explanation returns what the code means.")
	recv().Id("Explanation").Params().String().Block(known("says"), jen.Return(jen.Lit(unknownSays)))
	f.Line()
	f.Comment("// Remedy returns what to do about it.")
	recv().Id("Remedy").Params().String().Block(known("remedy"), jen.Return(jen.Lit(fmt.Sprintf(unknownRemedy, p.vendor()))))
	f.Line()
	f.Comment("// Sticky tells whether the error stays: all further work in the context or process fails, too, until it is made anew.")
	recv().Id("Sticky").Params().Bool().Block(known("sticky"), jen.Return(jen.False()))
	f.Line()
	f.Comment(fmt.Sprintf("// Error returns all of it: %q.", p.exampleText()))
	recv().Id("Error").Params().String().Block(
		jen.Id("s").Op(":=").Lit(p.Rules.API+": ").Op("+").Id("r").Dot("Name").Call().Op("+").Lit(" (").Op("+").Add(num()).Op("+").Lit("): ").Op("+").Id("r").Dot("Explanation").Call(),
		jen.If(jen.Id("c").Op(":=").Id("r").Dot("Remedy").Call(), jen.Id("c").Op("!=").Lit("")).Block(jen.Id("s").Op("+=").Lit("; ").Op("+").Id("c")),
		jen.Return(jen.Id("s")),
	)
}

const (
	unknownSays   = "a result code that these bindings do not know"
	unknownRemedy = "look it up in the release notes of the installed %s, which is newer"
)

// codes are the result codes by number; of several names the first that is still there stands for it.
func (p *Plan) codes() []*enumValue {
	byCode := map[int64]*enumValue{}
	for _, removed := range []bool{false, true} {
		for _, v := range p.result.values {
			if !v.skip && (v.Removed != "") == removed && byCode[v.Value] == nil {
				byCode[v.Value] = v
			}
		}
	}
	var out []*enumValue
	for _, v := range byCode {
		out = append(out, v)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Value < out[j].Value })
	return out
}

func (p *Plan) errorText(v *enumValue) rules.ErrorText {
	if t, ok := p.Rules.Errors[v.Name]; ok {
		return t
	}
	if v.Value == 0 {
		return rules.ErrorText{Says: "success"}
	}
	return rules.ErrorText{Says: "a failure that only its name explains", Remedy: fmt.Sprintf("look up %s in the documentation of %s", v.Name, p.vendor())}
}

func (p *Plan) success() *enumValue {
	for _, v := range p.result.values {
		if v.Name == p.Rules.Binding.Success {
			return v
		}
	}
	return p.result.values[0]
}

// exampleCode is a code that docs show: not ready, if there is one.
func (p *Plan) exampleCode() *enumValue {
	codes := p.codes()
	for _, v := range codes {
		if v.goName == "ErrNotReady" {
			return v
		}
	}
	return codes[len(codes)-1]
}

func (p *Plan) example() string { return p.exampleCode().goName }

func (p *Plan) exampleText() string {
	v := p.exampleCode()
	t := p.errorText(v)
	return fmt.Sprintf("%s: %s (%d): %s; %s", p.Rules.API, v.Name, v.Value, t.Says, t.Remedy)
}

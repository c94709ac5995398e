package emit

import (
	"fmt"
	"sort"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/gpuevent/gpuevent/gen/rules"
)

// renderResult writes zresult.go: the result type, which is an error, its codes and their texts.
func (p *renderer) renderResult(parts map[string]*jen.File) {
	f := p.file()
	e := p.result
	d := &doc{}
	d.para("%s is %s, the result code of nearly every function. It is an error, except for %s.",
		e.goName, e.Name, p.success().goName)
	switch pending := p.pending(); {
	case pending == nil:
		d.para(
			"A call that fails returns a [*CallError], which names the C function and wraps the code: " +
				"compare with errors.Is, not with ==.",
		)
	default:
		d.para(
			"A call that fails returns a [*CallError], which names the C function and wraps the code: "+
				"compare with errors.Is, not with ==. "+
				"The exception is %s, which is not a failure: it is returned as the bare code, so err == %s "+
				"is also true.",
			pending.goName,
			pending.goName,
		)
	}
	d.para(
		"Error returns the name, the number, the meaning and the remedy. The texts are part of the " +
			"package; it calls no library.",
	)
	d.to(f)
	f.Type().Id(e.goName).Id(e.base())
	p.renderValues(f, e, "// Result codes.")

	f.Line()
	f.Comment(
		"// resultText describes a result code. err is the code as an error, boxed once so that " +
			"returning it allocates nothing; id is its Go name.",
	)
	class := jen.Id("sticky").Bool()
	if p.hasClasses() {
		class = jen.Id("class").Id("Class")
	}
	f.Type().Id("resultText").Struct(
		jen.Err().Error(),
		class,
		jen.List(jen.Id("id"), jen.Id("says"), jen.Id("remedy")).String(),
	)
	f.Line()
	f.Var().
		Id("resultTexts").
		Op("=").
		Index(jen.Op("...")).
		Id("resultText").
		ValuesFunc(func(g *jen.Group) {
			for _, v := range p.codes() {
				t := p.errorText(v)
				err := jen.Id(v.goName)
				if v.Value == 0 {
					err = jen.Nil()
				}
				class := jen.Lit(t.Sticky)
				if p.hasClasses() {
					c, _ := rules.ClassOf(t.Class)
					class = jen.Id(c.Name)
				}
				g.Line().
					Values(err, class, jen.Lit(v.goName), jen.Lit(t.Says), jen.Lit(t.Remedy))
			}
			g.Line()
		})
	f.Line()
	f.Comment("// resultNames are the C names in the order of resultTexts. Only [" + e.goName +
		".Name] links them.")
	f.Var().Id("resultNames").Op("=").Index(jen.Op("...")).String().
		ValuesFunc(func(g *jen.Group) {
			for _, v := range p.codes() {
				g.Line().Lit(v.Name)
			}
			g.Line()
		})

	p.renderLookup(f)
	parts["zresult.go"] = f
	p.resultMethods(f)
}

// maxIndexed is the highest result code that the index covers. The vendors' codes go up to a few
// thousand; a switch finds codes beyond the index or below 0.
const maxIndexed = 1<<13 - 1

// renderLookup writes the lookup of a code: one load from an index, because a failing call must
// cost no more than a successful one.
func (p *renderer) renderLookup(f *jen.File) {
	typ := p.result.goName
	codes := p.codes()
	width := "uint8"
	if len(codes) > 255 {
		width = "uint16"
	}
	beyond := false
	f.Line()
	f.Comment("// resultIndex has the position of each code in resultTexts, counted from 1; 0 means " +
		"none.")
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
	p.renderFailures(f)
	f.Line()
	f.Comment("// position is that of a code in resultTexts, counted from 1; 0 for a code that no " +
		"header has.")
	f.Func().Id("position").Params(jen.Id("r").Id(typ)).Int().BlockFunc(func(g *jen.Group) {
		g.If(jen.Uint32().Call(jen.Id("r")).Op("<").Uint32().Call(jen.Len(jen.Id("resultIndex")))).
			Block(jen.Return(jen.Int().Call(jen.Id("resultIndex").Index(jen.Id("r")))))
		if beyond {
			g.Switch(jen.Id("r")).BlockFunc(func(g *jen.Group) {
				for i, v := range codes {
					if v.Value < 0 || v.Value > maxIndexed {
						g.Case(jen.Id(v.goName)).Block(jen.Return(jen.Lit(i + 1)))
					}
				}
			})
		}
		g.Return(jen.Lit(0))
	})
	f.Line()
	f.Comment("// textOf returns the text of a code; nil for a code that no header has.")
	f.Func().Id("textOf").Params(jen.Id("r").Id(typ)).Op("*").Id("resultText").Block(
		jen.If(jen.Id("i").Op(":=").Id("position").Call(jen.Id("r")), jen.Id("i").Op(">").Lit(0)).
			Block(jen.Return(jen.Op("&").Id("resultTexts").Index(jen.Id("i").Op("-").Lit(1)))),
		jen.Return(jen.Nil()),
	)
}

// renderFailures writes the functions that turn a result into an error. The test for success is
// inlined into every function.
func (p *renderer) renderFailures(f *jen.File) {
	typ := p.result.goName
	proc := func() *jen.Statement { return jen.Id("p").Op("*").Qual(dlPath, "Proc") }
	f.Line()
	f.Comment("// result returns the error of a call of p that returned rc; nil for success.")
	f.Func().Id("result").Params(proc(), jen.Id("rc").Int32()).Error().Block(
		jen.If(jen.Id("rc").Op("==").Lit(0)).Block(jen.Return(jen.Nil())),
		jen.Return(jen.Id("failure").Call(jen.Id("p"), jen.Id("rc"))),
	)
	f.Line()
	if pending := p.pending(); pending == nil {
		f.Comment("// failure returns the error of a call of p that returned rc.")
	} else {
		f.Comment(
			fmt.Sprintf(
				"// failure does the same for a call that did not succeed. %s is not a failure: it is "+
					"returned as it is.",
				pending.goName,
			),
		)
	}
	f.Func().Id("failure").Params(proc(), jen.Id("rc").Int32()).Error().BlockFunc(func(g *jen.Group) {
		if pending := p.pending(); pending != nil {
			g.If(jen.Id(typ).Call(jen.Id("rc")).Op("==").Id(pending.goName)).
				Block(jen.Return(jen.Id(pending.goName)))
		}
		g.Return(jen.Id("callError").Call(jen.Id("p"), jen.Id("rc")))
	})
	f.Line()
	f.Comment(
		"// callError names the function for every code. The errors of known codes are made once and " +
			"kept.",
	)
	f.Func().Id("callError").Params(proc(), jen.Id("rc").Int32()).Error().Block(
		jen.If(jen.Id("textOf").Call(jen.Id(typ).Call(jen.Id("rc"))).Op("==").Nil()).Block(
			jen.Return(jen.Id("newCallError").Call(jen.Id("p").Dot("Symbol"), jen.Id("rc")))),
		jen.Return(jen.Id("p").Dot("Failure").Call(jen.Id("rc"), jen.Id("newCallError"))),
	)
	f.Line()
	f.Func().
		Id("newCallError").
		Params(jen.Id("function").String(), jen.Id("rc").Int32()).
		Error().
		Block(
			jen.Return(jen.Op("&").Id("CallError").Values(jen.Id("function"), jen.Id(typ).
				Call(jen.Id("rc")))),
		)
	f.Line()
	d := &doc{}
	d.para(
		"CallError is the error of a call that failed. It wraps the result code, for errors.Is and " +
			"errors.As. Calls of one function that fail with the same code " +
			"return the same CallError, so that a repeated failure allocates nothing; do not change it. " +
			"(Only a code that no header has is wrapped anew each time.)",
	)
	d.to(f)
	f.Type().Id("CallError").Struct(
		jen.Id("Function").String().Comment(fmt.Sprintf("the C function: %q", p.exampleFunction())),
		jen.Id("Result").Id(typ).Comment("why it failed"),
	)
	f.Line()
	d = &doc{}
	d.para("Error returns the name of the function and the text of %s.Error: %q.", typ,
		p.exampleCall())
	d.to(f)
	f.Func().Params(jen.Id("e").Op("*").Id("CallError")).Id("Error").Params().String().Block(
		jen.Return(jen.Lit(p.prefix()).Op("+").Id("e").Dot("Function").Op("+").Lit(": ").Op("+").Id("e").
			Dot("Result").Dot("text").Call()),
	)
	f.Line()
	f.Comment("// Unwrap returns the result code.")
	f.Func().Params(jen.Id("e").Op("*").Id("CallError")).Id("Unwrap").Params().Error().Block(
		jen.If(jen.Id("t").Op(":=").Id("textOf").Call(jen.Id("e").Dot("Result")), jen.Id("t").Op("!=").
			Nil()).
			Block(jen.Return(jen.Id("t").Dot("err"))),
		jen.Return(jen.Id("e").Dot("Result")),
	)
}

func (p *renderer) resultMethods(f *jen.File) {
	name := p.result.goName
	recv := func() *jen.Statement { return f.Func().Params(jen.Id("r").Id(name)) }
	known := func(field string) *jen.Statement {
		return jen.If(jen.Id("t").Op(":=").Id("textOf").Call(jen.Id("r")), jen.Id("t").Op("!=").Nil()).
			Block(jen.Return(jen.Id("t").Dot(field)))
	}
	num := func() *jen.Statement {
		return jen.Qual("strconv", "Itoa").
			Call(jen.Int().Call(jen.Id("r")))
	}
	unknown := func() *jen.Statement { return jen.Lit(name + "(").Op("+").Add(num()).Op("+").Lit(")") }
	f.Line()
	f.Comment(
		"// Name returns the C name of the code, or Result(12345) for a code that no header has.",
	)
	recv().Id("Name").Params().String().Block(
		jen.If(jen.Id("i").Op(":=").Id("position").Call(jen.Id("r")), jen.Id("i").Op(">").Lit(0)).
			Block(jen.Return(jen.Id("resultNames").Index(jen.Id("i").Op("-").Lit(1)))),
		jen.Return(unknown()),
	)
	f.Line()
	f.Comment("// Explanation returns what the code means.")
	recv().Id("Explanation").Params().String().Block(known("says"), jen.Return(jen.Lit(unknownSays)))
	f.Line()
	f.Comment("// Remedy returns what to do about it.")
	recv().Id("Remedy").
		Params().
		String().
		Block(known("remedy"), jen.Return(jen.Lit(fmt.Sprintf(unknownRemedy, p.vendor()))))
	f.Line()
	f.Comment(
		"// Sticky reports whether the error is permanent: all further work in the context or process " +
			"fails until that is created again.",
	)
	if p.hasClasses() {
		recv().Id("Sticky").Params().Bool().
			Block(jen.Return(jen.Id("r").Dot("Class").Call().Op(">=").Id("ClassEnded")))
		p.renderClasses(f)
	} else {
		recv().Id("Sticky").Params().Bool().Block(known("sticky"), jen.Return(jen.False()))
	}
	f.Line()
	d := &doc{}
	d.para("Error returns all of it, with the Go name of the code: %q.",
		p.prefix()+p.text(p.exampleCode()))
	d.to(f)
	recv().Id("Error").
		Params().
		String().
		Block(jen.Return(jen.Lit(p.prefix()).Op("+").Id("r").Dot("text").Call()))
	f.Line()
	f.Comment("// text is the code, what it means, and what to do.")
	recv().Id("text").Params().String().Block(
		jen.Id("s").Op(":=").Add(unknown()).Op("+").Lit(": "),
		jen.If(jen.Id("t").Op(":=").Id("textOf").Call(jen.Id("r")), jen.Id("t").Op("!=").Nil()).Block(
			jen.Id("s").Op("=").Id("t").Dot("id").Op("+").Lit(" (").Op("+").Add(num()).Op("+").Lit("): ")),
		jen.Id("s").Op("+=").Id("r").Dot("Explanation").Call(),
		jen.If(jen.Id("c").Op(":=").Id("r").Dot("Remedy").Call(), jen.Id("c").Op("!=").Lit("")).
			Block(jen.Id("s").Op("+=").Lit("; ").Op("+").Id("c")),
		jen.Return(jen.Id("s")),
	)
}

// hasClasses reports whether the API's codes have classes.
func (p *typing) hasClasses() bool {
	for _, t := range p.Rules.Errors {
		if t.Class != "" {
			return true
		}
	}
	return false
}

// renderClasses writes the type of classes and the method that returns a code's.
func (p *renderer) renderClasses(f *jen.File) {
	name := p.result.goName
	f.Line()
	f.Comment("// Class is what a failure concerns.")
	f.Type().Id("Class").Uint8()
	f.Line()
	f.Comment("// The classes. Those from ClassEnded on are sticky.")
	f.Const().DefsFunc(func(g *jen.Group) {
		for i, c := range rules.Classes {
			def := g.Id(c.Name)
			if i == 0 {
				def.Id("Class").Op("=").Iota()
			}
			def.Comment(c.Says)
		}
	})
	f.Line()
	f.Comment("// Class returns what the failure concerns: ClassCall for a code that no header has.")
	f.Func().Params(jen.Id("r").Id(name)).Id("Class").Params().Id("Class").Block(
		jen.If(jen.Id("t").Op(":=").Id("textOf").Call(jen.Id("r")), jen.Id("t").Op("!=").Nil()).
			Block(jen.Return(jen.Id("t").Dot("class"))),
		jen.Return(jen.Id("ClassCall")),
	)
}

const (
	unknownSays   = "a code that these bindings do not know"
	unknownRemedy = "look it up in the documentation of the installed %s, which may be newer"
)

// prefix is what all errors of the package begin with.
func (p spec) prefix() string { return p.Rules.Binding.Package + ": " }

// codes are the result codes by number; of several names for one, the first that still exists is
// used.
func (p *typing) codes() []*enumValue {
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

func (p *renderer) errorText(v *enumValue) rules.ErrorText {
	if t, ok := p.Rules.Errors[v.Name]; ok {
		t.Says, t.Remedy = p.inGo(t.Says, false), p.inGo(t.Remedy, false)
		return t
	}
	if v.Value == 0 {
		return rules.ErrorText{Says: "success"}
	}
	return rules.ErrorText{
		Says:   "a failure that only its name explains",
		Remedy: fmt.Sprintf("look up %s in the documentation of %s", v.Name, p.vendor()),
	}
}

func (p *typing) success() *enumValue {
	for _, v := range p.result.values {
		if v.Name == p.Rules.Binding.Success {
			return v
		}
	}
	return p.result.values[0]
}

// pending is the code for "not ready"; nil if the API has none.
func (p *typing) pending() *enumValue {
	for _, v := range p.result.values {
		if v.Name == p.Rules.Binding.Pending {
			return v
		}
	}
	return nil
}

// exampleCode is a code that docs show: not ready, if there is one.
func (p *renderer) exampleCode() *enumValue {
	if v := p.pending(); v != nil {
		return v
	}
	return p.exampleFailure()
}

// exampleFailure is a code that docs show, and a failure: the first one.
func (p *renderer) exampleFailure() *enumValue {
	codes, pending := p.codes(), p.pending()
	for _, v := range codes {
		if v.Value != 0 && (pending == nil || v.Value != pending.Value) {
			return v
		}
	}
	return codes[0]
}

// exampleFunction is a C function that docs show.
func (p *renderer) exampleFunction() string {
	example := ""
	for _, f := range p.funcs {
		if f.ret != p.result.typ {
			continue
		}
		if example == "" || strings.HasSuffix(f.Name, "EventRecord") {
			example = f.Name
		}
	}
	return example
}

// exampleCall is the text of a failed call.
func (p *renderer) exampleCall() string {
	return p.prefix() + p.exampleFunction() + ": " + p.text(p.exampleFailure())
}

// text is what Error says of a code, without the package.
func (p *renderer) text(v *enumValue) string {
	t := p.errorText(v)
	return fmt.Sprintf("%s (%d): %s; %s", v.goName, v.Value, t.Says, t.Remedy)
}

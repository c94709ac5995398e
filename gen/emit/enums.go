package emit

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/gpuevent/gpuevent/gen/model"
)

// renderEnums writes zenums.go, with types and constants, and zenumnames.go, with what String
// needs.
func (p *renderer) renderEnums(parts map[string]*jen.File) {
	f, names := p.file(), p.file()
	sort.SliceStable(p.enums, func(i, j int) bool { return p.enums[i].goName < p.enums[j].goName })
	for _, e := range p.enums {
		if e.result {
			continue // zresult.go
		}
		if e.goName == "" {
			head := "an enum that has no name in C"
			if !strings.Contains(e.Name, ".") {
				head = "the enum " + e.Name + ", which newer headers declare as another name of a type"
			}
			p.renderValues(f, e, fmt.Sprintf("// Values of %s. %s", head, p.since(e.Span)))
			continue
		}
		f.Line()
		if e.family != nil {
			p.familyDoc(e).to(f)
			f.Type().Id(e.goName).Id(e.base())
			p.renderValues(f, e, fmt.Sprintf("// Values of %s.", e.goName))
			p.renderNames(names, e)
			continue
		}
		d := p.typeDoc(e.goName, e.Name)
		if e.bitset {
			d.para("Its values can be combined with |. %s", p.since(e.Span))
		} else {
			d.para("%s", p.since(e.Span))
		}
		d.para("%s", p.deprecated(e.Span, ""))
		d.to(f)
		f.Type().Id(e.goName).Id(e.base())
		p.renderValues(f, e, fmt.Sprintf("// Values of %s.", e.goName))
		p.renderNames(names, e)
	}
	if len(p.enums) == 1 {
		return // only the result codes
	}
	p.renderNameHelpers(names)
	parts["zenums.go"] = f
	parts["zenumnames.go"] = names
}

func (e *enum) base() string {
	base := "uint"
	if e.typ.kind == kInt {
		base = "int"
	}
	return base + strconv.Itoa(8*e.typ.size)
}

// fits31 reports whether no value needs the 32nd bit, so that the numbers are those of an int.
func (e *enum) fits31() bool {
	return !slices.ContainsFunc(e.Values,
		func(v model.EnumValue) bool { return v.Value > math.MaxInt32 })
}

// number spells a value of the enum; one over 63 bits is negative in the model.
func (e *enum) number(v int64) string {
	if v < 0 && e.Wide && !e.Signed {
		return "0x" + strconv.FormatUint(uint64(v), 16)
	}
	return number(v, e.bitset)
}

func (p *renderer) renderValues(f *jen.File, e *enum, head string) {
	n := 0
	for _, v := range e.values {
		if !v.skip {
			n++
		}
	}
	if n == 0 {
		return
	}
	f.Line()
	f.Comment(head)
	f.Const().DefsFunc(func(g *jen.Group) {
		for _, v := range e.values {
			if v.skip {
				continue
			}
			p.valueDoc(g, v.Span, e.Span)
			s := g.Id(v.goName)
			if e.goName != "" {
				s.Id(e.goName)
			}
			s.Op("=").Id(e.number(v.Value)).Comment(v.Name + p.valueNote(v, e))
		}
	})
}

// valueDoc writes the Deprecated paragraph of a constant.
func (p *renderer) valueDoc(g *jen.Group, s, outer model.Span) {
	if s.Removed == outer.Removed && s.Deprecated == outer.Deprecated {
		return // the type says so
	}
	if d := p.deprecated(s, ""); d != "" {
		g.Comment("// " + d)
	}
}

// valueNote is the note after an enumerator's C name.
func (p *renderer) valueNote(v *enumValue, e *enum) string {
	var b strings.Builder
	if v.Since != "" && v.Since != e.Since {
		b.WriteString(p.sinceNote(v.Since))
	}
	for _, x := range v.Variants {
		fmt.Fprintf(&b, "; %s in %s", e.number(x.Value), p.stretch(x.From, x.To))
	}
	return b.String()
}

// number spells an enumerator's value, flags in hexadecimal.
func number(v int64, hex bool) string {
	if hex && v >= 0 {
		return "0x" + strconv.FormatInt(v, 16)
	}
	return strconv.FormatInt(v, 10)
}

func (e *enum) table() string { return "names" + e.goName }

// renderNames writes the table of names and the String method.
func (p *renderer) renderNames(f *jen.File, e *enum) {
	type entry struct {
		value int64
		name  string
	}
	var entries []entry
	seen := map[int64]bool{}
	for _, removed := range []bool{false, true} { // names that are still there win
		for _, v := range e.values {
			if v.skip || seen[v.Value] || (v.Removed != "") != removed {
				continue
			}
			if e.bitset && (strings.Contains(strings.ToUpper(v.Name), "MASK")) {
				continue
			}
			seen[v.Value] = true
			entries = append(entries, entry{v.Value, v.goName})
		}
	}
	sort.SliceStable(entries, func(i, j int) bool {
		a, b := entries[i], entries[j]
		if e.bitset { // names of several bits first
			if x, y := bits.OnesCount64(uint64(a.value)), bits.OnesCount64(uint64(b.value)); x != y {
				return x > y
			}
		}
		return a.value < b.value
	})
	f.Line()
	f.Var().Id(e.table()).Op("=").Index(jen.Op("...")).Id("enumName").ValuesFunc(func(g *jen.Group) {
		for _, x := range entries {
			g.Line().Values(jen.Id(number(x.value, e.bitset)), jen.Lit(x.name))
		}
		g.Line()
	})
	f.Line()
	fn := "enumString"
	if e.bitset {
		fn = "flagString"
		f.Comment(
			fmt.Sprintf(
				"// String returns the names of the values that v consists of: A|B. Bits without a name "+
					"follow as %s(64).",
				e.goName,
			),
		)
	} else {
		f.Comment(fmt.Sprintf("// String returns the name of v, or %s(64) if it has none.", e.goName))
	}
	f.Func().Params(jen.Id("v").Id(e.goName)).Id("String").Params().String().Block(
		jen.Return(jen.Id(fn).Call(jen.Lit(e.goName), jen.Int64().Call(jen.Id("v")), jen.Id(e.table()).
			Index(jen.Op(":")))),
	)
}

// renderNameHelpers writes what all String methods share.
func (p *renderer) renderNameHelpers(f *jen.File) {
	f.Line()
	f.Comment("// enumName is the name of an enum's value.")
	f.Type().Id("enumName").Struct(jen.Id("value").Int64(), jen.Id("name").String())
	f.Line()
	f.Comment("// enumString finds the name of a value; the table is sorted by value.")
	f.Func().
		Id("enumString").
		Params(jen.Id("typ").String(), jen.Id("v").Int64(), jen.Id("names").Index().Id("enumName")).
		String().
		Block(
			jen.Id("i").
				Op(":=").
				Qual("sort", "Search").
				Call(jen.Len(jen.Id("names")), jen.Func().Params(jen.Id("i").Int()).Bool().Block(
					jen.Return(jen.Id("names").Index(jen.Id("i")).Dot("value").Op(">=").Id("v")))),
			jen.If(jen.Id("i").Op("<").Len(jen.Id("names")).Op("&&").Id("names").Index(jen.Id("i")).
				Dot("value").Op("==").Id("v")).
				Block(
					jen.Return(jen.Id("names").Index(jen.Id("i")).Dot("name"))),
			jen.Return(jen.Id("typ").Op("+").Lit("(").Op("+").Qual("strconv", "FormatInt").
				Call(jen.Id("v"), jen.Lit(10)).Op("+").Lit(")")),
		)
	f.Line()
	f.Comment(
		"// flagString splits a value into flags; the table has names of several bits before those of " +
			"one.",
	)
	f.Func().
		Id("flagString").
		Params(jen.Id("typ").String(), jen.Id("v").Int64(), jen.Id("names").Index().Id("enumName")).
		String().
		Block(
			jen.For(jen.List(jen.Id("_"), jen.Id("n")).Op(":=").Range().Id("names")).Block(
				jen.If(jen.Id("n").Dot("value").Op("==").Id("v")).Block(jen.Return(jen.Id("n").Dot("name")))),
			jen.Var().Id("b").Qual("strings", "Builder"),
			jen.For(jen.List(jen.Id("_"), jen.Id("n")).Op(":=").Range().Id("names")).Block(
				jen.If(jen.Id("n").Dot("value").Op("==").Lit(0).Op("||").Id("v").Op("&").Id("n").Dot("value").
					Op("!=").Id("n").Dot("value")).
					Block(jen.Continue()),
				jen.If(jen.Id("b").Dot("Len").Call().Op(">").Lit(0)).
					Block(jen.Id("b").Dot("WriteByte").Call(jen.LitRune('|'))),
				jen.Id("b").Dot("WriteString").Call(jen.Id("n").Dot("name")),
				jen.Id("v").Op("&^=").Id("n").Dot("value"),
			),
			jen.If(jen.Id("v").Op("==").Lit(0).Op("&&").Id("b").Dot("Len").Call().Op(">").Lit(0)).
				Block(jen.Return(jen.Id("b").Dot("String").Call())),
			jen.If(jen.Id("b").Dot("Len").Call().Op(">").Lit(0)).
				Block(jen.Id("b").Dot("WriteByte").Call(jen.LitRune('|'))),
			jen.Return(jen.Id("b").Dot("String").Call().Op("+").Id("typ").Op("+").Lit("(").Op("+").
				Qual("strconv", "FormatInt").Call(jen.Id("v"), jen.Lit(10)).Op("+").Lit(")")),
		)
}

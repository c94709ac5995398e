package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"
)

// renderBits writes the two methods of a bit-field. unit is the type of its storage unit, and stored
// returns the unit as an expression.
func (p *renderer) renderBits(f *jen.File, s *structure, b *bitfield, unit string, size int,
	stored func() *jen.Statement) {
	mask := jen.Id(fmt.Sprintf("%#x", uint64(1)<<b.width-1))
	if b.width == 64 {
		mask = jen.Id("0xffffffffffffffff")
	}
	shifted := func() *jen.Statement {
		if b.first == 0 {
			return stored()
		}
		return stored().Op(">>").Lit(b.first)
	}
	get := jen.Return(b.typ.code().Call(shifted().Op("&").Add(mask)))
	if b.typ.kind == kInt { // the top bit is the sign
		shift := 8*size - b.width
		get = jen.Return(
			jen.Id("int" + unit[4:]).
				Call(stored().Op("<<").Lit(shift - b.first)).
				Op(">>").
				Lit(shift),
		)
		if b.typ.name != "int"+unit[4:] {
			get = jen.Return(
				b.typ.code().
					Call(jen.Id("int" + unit[4:]).Call(stored().Op("<<").Lit(shift - b.first)).
						Op(">>").Lit(shift)),
			)
		}
	}
	f.Line()
	f.Comment(
		fmt.Sprintf("// %s returns the bit-field %s, %s wide.", b.goName, b.c, plural(b.width, "bit")),
	)
	if b.typ.kind == kBool {
		f.Func().Params(jen.Id("s").Op("*").Id(s.goName)).Id(b.goName).Params().Bool().Block(
			jen.Return(shifted().Op("&").Add(mask).Op("!=").Lit(0)))
	} else {
		f.Func().
			Params(jen.Id("s").Op("*").Id(s.goName)).
			Id(b.goName).
			Params().
			Add(b.typ.code()).
			Block(get)
	}
	f.Line()
	f.Comment(
		fmt.Sprintf(
			"// Set%s stores the low %s of v in the bit-field %s.",
			b.goName,
			plural(b.width, "bit"),
			b.c,
		),
	)
	word := jen.Id(unit).Call(jen.Id("v"))
	body := []jen.Code{}
	if b.typ.kind == kBool {
		body = append(body, jen.Var().Id("bit").Id(unit),
			jen.If(jen.Id("v")).Block(jen.Id("bit").Op("=").Lit(1)))
		word = jen.Id("bit")
	}
	part := jen.Parens(word.Op("&").Add(mask))
	at := jen.Add(mask)
	if b.first > 0 {
		part.Op("<<").Lit(b.first)
		at = jen.Add(mask).Op("<<").Lit(b.first)
	}
	body = append(body,
		stored().Op("=").Add(stored()).Op("&^").Parens(at).Op("|").Add(part))
	f.Func().
		Params(jen.Id("s").Op("*").Id(s.goName)).
		Id("Set" + b.goName).
		Params(jen.Id("v").Add(b.typ.code())).
		Block(body...)
}

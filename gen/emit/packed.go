package emit

import (
	"fmt"
	"go/token"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/gpuevent/gpuevent/gen/model"
)

// unpack gives a field of a packed struct a type of its size that needs no more alignment than the
// struct. Methods then copy the field's value in and out.
func (s *structure) unpack(m *member) {
	if s.Layouts[0].Align >= goAlign(m.typ) && m.offset%goAlign(m.typ) == 0 {
		return
	}
	unit := min(s.Layouts[0].Align, m.offset&-m.offset, m.typ.size&-m.typ.size)
	if m.offset == 0 {
		unit = min(s.Layouts[0].Align, m.typ.size&-m.typ.size)
	}
	if !m.hidden {
		m.packed, m.hidden, m.goName = m.typ, true, lower(m.c)
		if token.IsKeyword(m.goName) {
			m.goName += "Field"
		}
	}
	m.typ = &gtype{kind: kArray, elem: units[unit], n: int64(m.typ.size / unit), size: m.typ.size,
		align: unit}
	m.inner = nil
}

// align makes a struct aligned as in C whose members need less.
func (s *structure) align(align int) {
	for _, m := range s.members {
		if goAlign(m.typ) >= min(align, 8) {
			return
		}
	}
	if unit := units[align]; unit != nil && s.place == "" {
		s.members = slices.Insert(s.members, 0, &member{goName: "_", hidden: true,
			typ: &gtype{kind: kArray, elem: unit, align: align}})
	}
}

var units = map[int]*gtype{
	1: builtin(kUint, "uint8", 1), 2: builtin(kUint, "uint16", 2), 4: builtin(kUint, "uint32", 4),
	8: builtin(kUint, "uint64", 8),
}

// renderPacked writes the two methods of a field that Go can't align.
func (p *renderer) renderPacked(f *jen.File, s *structure, m *member) {
	name := camel(m.c)
	bytes := func(of *jen.Statement) *jen.Statement {
		return jen.Parens(jen.Op("*").Index(jen.Lit(m.packed.size)).Byte()).
			Call(jen.Qual("unsafe", "Pointer").Call(jen.Op("&").Add(of))).Index(jen.Op(":"))
	}
	field := func() *jen.Statement { return jen.Id("s").Dot(m.goName) }
	f.Line()
	f.Comment(fmt.Sprintf("// %s returns the field %s, which C packs.", name, m.c))
	f.Func().Params(jen.Id("s").Op("*").Id(s.goName)).Id(name).Params().
		Params(jen.Id("v").Add(m.packed.code())).
		Block(jen.Copy(bytes(jen.Id("v")), bytes(field())), jen.Return(jen.Id("v")))
	f.Line()
	f.Comment(fmt.Sprintf("// Set%s sets the field %s, which C packs.", name, m.c))
	f.Func().Params(jen.Id("s").Op("*").Id(s.goName)).Id("Set" + name).
		Params(jen.Id("v").Add(m.packed.code())).
		Block(jen.Copy(bytes(field()), bytes(jen.Id("v"))))
}

// unionBits adds a bit-field of a union, which is a part of one word of its data.
func (p *typing) unionBits(s *structure, f *model.Field, data string, off int) error {
	t, err := p.res.parse(f.Type)
	if err != nil {
		return fmt.Errorf("bit-field %s: %w", f.Name, err)
	}
	for _, m := range s.members {
		if m.goName != data {
			continue
		}
		if word := m.typ.elem.size; t.size != word || off%word != 0 {
			return fmt.Errorf("bit-field %s is not in one word of the union", f.Name)
		}
		m.bits = append(m.bits, &bitfield{c: f.Name, goName: camel(f.Name), typ: t,
			first: f.BitOffset, width: f.Bits, word: off / t.size})
		return nil
	}
	return fmt.Errorf("bit-field %s: there is no %s", f.Name, data)
}

// storage is the word that holds a bit-field.
func (m *member) storage(b *bitfield) *jen.Statement {
	at := jen.Id("s").Dot(m.goName)
	if b.word >= 0 {
		at = at.Index(jen.Lit(b.word))
	}
	return at
}

// unit is the unsigned type of the word that holds a bit-field.
func (m *member) unit(b *bitfield) *gtype {
	if b.word >= 0 {
		return m.typ.elem
	}
	return m.typ
}

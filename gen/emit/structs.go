package emit

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/dave/jennifer/jen"
)

// renderStructs writes zstructs.go and zunions.go.
func (p *renderer) renderStructs(parts map[string]*jen.File) {
	structs, unions := p.file(), p.file()
	sort.Slice(p.structs, func(i, j int) bool { return p.structs[i].goName < p.structs[j].goName })
	all := slices.Concat(p.structs, p.olderStructs)
	sort.Slice(all, func(i, j int) bool { return all[i].goName < all[j].goName })
	for _, s := range all {
		if s.Union {
			p.renderStruct(unions, s)
		} else {
			p.renderStruct(structs, s)
		}
		p.renderNested(structs, unions, s)
	}
	if p.count(false) > 0 {
		parts["zstructs.go"] = structs
	}
	if p.count(true) > 0 {
		parts["zunions.go"] = unions
	}
}

// count returns how many unions, or structs, there are, nested ones included.
func (p *renderer) count(unions bool) int {
	n := 0
	var walk func([]*structure)
	walk = func(list []*structure) {
		for _, s := range list {
			if s.Union == unions {
				n++
			}
			walk(s.nested)
		}
	}
	walk(p.structs)
	walk(p.olderStructs)
	return n
}

// renderNested writes the types of members that C declares in place.
func (p *renderer) renderNested(structs, unions *jen.File, s *structure) {
	for _, in := range s.nested {
		if in.Union {
			p.renderStruct(unions, in)
		} else {
			p.renderStruct(structs, in)
		}
		p.renderNested(structs, unions, in)
	}
}

func (p *renderer) renderStruct(f *jen.File, s *structure) {
	f.Line()
	p.structDoc(s).to(f)
	f.Type().Id(s.goName).StructFunc(func(g *jen.Group) {
		for _, m := range s.members {
			if m.pad > 0 {
				g.Id("_").Index(jen.Lit(m.pad)).Byte()
			}
			stmt := g.Id(m.goName).Add(m.typ.code())
			if note := p.memberNote(s, m); note != "" {
				stmt.Comment(note)
			}
		}
	})
	for _, a := range s.access {
		p.renderAccessor(f, s, a)
	}
	for _, m := range s.members {
		for _, b := range m.bits {
			p.renderBits(f, s, m, b)
		}
		if m.packed != nil {
			p.renderPacked(f, s, m)
		}
		if m.isText() {
			p.renderText(f, s, m)
		}
	}
	if s.aligned {
		p.renderAligned(f, s)
	}
	for _, in := range p.initsOf(s) {
		p.renderInit(f, in)
	}
}

func (p *renderer) memberNote(s *structure, m *member) string {
	var notes []string
	if m.c != "" && camel(m.c) != strings.ToUpper(m.c[:1])+m.c[1:] {
		notes = append(notes, m.c)
	}
	if m.since != "" {
		notes = append(notes, strings.TrimPrefix(p.sinceNote(m.since), ", "))
	}
	if m.typ.kind == kFunc {
		notes = append(notes, "a C function pointer")
	}
	return strings.Join(notes, ", ")
}

func (p *renderer) structDoc(s *structure) *doc {
	what := "struct"
	if s.Union {
		what = "union"
	}
	d := &doc{}
	if s.place != "" {
		d.para("%s is the %s %s, which C declares inline.", s.goName, what, s.place)
	} else {
		d = p.typeDoc(s.goName, s.Name)
	}
	if s.Union {
		d.para(
			"It is a union: the methods return pointers to its members, which share memory. The garbage " +
				"collector does not see pointers stored in it.",
		)
	}
	for _, m := range s.members {
		if m.goName != "_" && strings.HasPrefix(m.goName, "union") && m.c == "" {
			d.para(
				"It holds a union, whose members the methods return pointers to. The garbage collector does " +
					"not see pointers stored there.",
			)
			break
		}
	}
	var facts []string
	if s.until != "" {
		facts = append(facts,
			fmt.Sprintf("This is its layout up to %s %s.", p.vendor(), p.named(s.until)))
	}
	if s.place == "" {
		if t := p.since(s.Span); t != "" {
			facts = append(facts, t)
		}
	}
	facts = append(facts, p.pastLayouts(s)...)
	if hint := p.initHint(s); hint != "" {
		facts = append(facts, hint)
	}
	if s.aligned {
		facts = append(
			facts,
			fmt.Sprintf(
				"C requires an address that is a multiple of %d, which Go does not guarantee: create one "+
					"with [New%s].",
				s.Layouts[0].Align,
				s.goName,
			),
		)
	}
	d.para("%s", strings.Join(facts, " "))
	if s.place == "" {
		d.para("%s", p.deprecated(s.Span, ""))
	}
	return d
}

// pastLayouts describes how older versions declare a struct; ranges of one size are joined.
func (p *renderer) pastLayouts(s *structure) []string {
	var facts []string
	now := s.Layouts[0].Size
	for i := 0; i < len(s.Variants); {
		j := i
		for j+1 < len(s.Variants) && s.Variants[j+1].Layouts[0].Size == s.Variants[i].Layouts[0].Size {
			j++
		}
		when, size := p.stretch(s.Variants[i].From, s.Variants[j].To), s.Variants[i].Layouts[0].Size
		if size == now {
			facts = append(facts, fmt.Sprintf("In %s its fields differed, at the same size.", when))
		} else {
			facts = append(facts, fmt.Sprintf("In %s it had %d bytes, now %d.", when, size, now))
		}
		i = j + 1
	}
	return facts
}

// renderAccessor writes a method that returns a pointer to a member of a union.
func (p *renderer) renderAccessor(f *jen.File, s *structure, a *accessor) {
	f.Line()
	f.Comment(fmt.Sprintf("// %s returns the member %s.", a.goName, a.c))
	at := jen.Qual("unsafe", "Pointer").Call(jen.Op("&").Id("u").Dot(a.data))
	if a.offset > 0 {
		at = jen.Qual("unsafe", "Add").Call(at, jen.Lit(a.offset))
	}
	f.Func().
		Params(jen.Id("u").Op("*").Id(s.goName)).
		Id(a.goName).
		Params().
		Op("*").
		Add(a.typ.code()).
		Block(
			jen.Return(jen.Parens(jen.Op("*").Add(a.typ.code())).Call(at)))
}

// isText reports whether a field is an array of char for a name; other such arrays hold bytes.
func (m *member) isText() bool {
	return !m.hidden && m.typ.kind == kArray && m.typ.elem.name == "byte" &&
		strings.HasSuffix(m.goName, "Name")
}

// renderText writes the method that reads a text out of an array.
func (p *renderer) renderText(f *jen.File, s *structure, m *member) {
	f.Line()
	f.Comment(fmt.Sprintf("// %sString returns the text in %s.", m.goName, m.goName))
	f.Func().Params(jen.Id("s").Op("*").Id(s.goName)).Id(m.goName + "String").Params().String().Block(
		jen.Return(jen.Qual(ccallPath, "TextIn").Call(jen.Id("s").Dot(m.goName).Index(jen.Op(":")))))
}

// renderBits writes the two methods of a bit-field.
func (p *renderer) renderBits(f *jen.File, s *structure, m *member, b *bitfield) {
	unit := m.unit(b).name
	mask := jen.Id(fmt.Sprintf("%#x", uint64(1)<<b.width-1))
	if b.width == 64 {
		mask = jen.Id("0xffffffffffffffff")
	}
	shifted := func() *jen.Statement {
		if b.first == 0 {
			return m.storage(b)
		}
		return m.storage(b).Op(">>").Lit(b.first)
	}
	get := jen.Return(b.typ.code().Call(shifted().Op("&").Add(mask)))
	if b.typ.kind == kInt { // the top bit is the sign
		shift := 8*m.unit(b).size - b.width
		get = jen.Return(
			jen.Id("int" + unit[4:]).
				Call(m.storage(b).Op("<<").Lit(shift - b.first)).
				Op(">>").
				Lit(shift),
		)
		if b.typ.name != "int"+unit[4:] {
			get = jen.Return(
				b.typ.code().
					Call(jen.Id("int" + unit[4:]).Call(m.storage(b).Op("<<").Lit(shift - b.first)).
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
		m.storage(b).Op("=").Add(m.storage(b)).Op("&^").Parens(at).Op("|").Add(part))
	f.Func().
		Params(jen.Id("s").Op("*").Id(s.goName)).
		Id("Set" + b.goName).
		Params(jen.Id("v").Add(b.typ.code())).
		Block(body...)
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// renderAligned writes the constructor of a struct whose alignment Go can't express.
func (p *renderer) renderAligned(f *jen.File, s *structure) {
	align := s.Layouts[0].Align
	f.Line()
	f.Comment(
		fmt.Sprintf(
			"// New%s returns a zeroed %s whose address is a multiple of %d, as C requires.",
			s.goName,
			s.goName,
			align,
		),
	)
	f.Func().Id("New"+s.goName).Params().Op("*").Id(s.goName).Block(
		jen.Id("b").
			Op(":=").
			Make(jen.Index().Byte(), jen.Qual("unsafe", "Sizeof").Call(jen.Id(s.goName).Values()).Op("+").
				Lit(align-1)),
		jen.Id("p").
			Op(":=").
			Qual("unsafe", "Pointer").
			Call(jen.Qual("unsafe", "SliceData").Call(jen.Id("b"))),
		jen.Id("skip").Op(":=").Op("-").Uintptr().Call(jen.Id("p")).Op("&").Lit(align-1),
		jen.Return(jen.Parens(jen.Op("*").Id(s.goName)).
			Call(jen.Qual("unsafe", "Add").Call(jen.Id("p"), jen.Id("skip")))),
	)
}

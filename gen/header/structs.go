package header

import (
	"modernc.org/cc/v4"

	"github.com/gpuevent/gpuevent/gen/model"
)

// fielded is what cc's struct and union types have in common.
type fielded interface {
	cc.Type
	NumFields() int
	FieldByIndex(int) *cc.Field
}

// structOf reads a definition: members from the syntax, layout from the type checker. place names what members define in place.
func (u *unit) structOf(s *cc.StructOrUnionSpecifier, place string) *model.Struct {
	st := &model.Struct{Tag: s.Token.SrcStr(), Union: s.StructOrUnion.Case == cc.StructOrUnionUnion}
	t, ok := s.Type().(fielded)
	if !ok || t.Size() < 0 {
		u.failf(s, "the size of %s is unknown", place)
		return st
	}
	layout := model.Layout{Targets: []string{u.target.String()}, Size: int(t.Size()), Align: t.Align()}
	next := 0
	for l := s.StructDeclarationList; l != nil; l = l.StructDeclarationList {
		d := l.StructDeclaration
		if d == nil || d.Case != cc.StructDeclarationDecl {
			continue
		}
		sp := listSpecs(d.SpecifierQualifierList)
		if d.StructDeclaratorList == nil {
			if inner := inPlace(sp); inner != nil && inner.Token.SrcStr() == "" {
				f := model.Field{Type: model.Type(unionOrStruct(inner)), Inner: u.structOf(inner, place)}
				layout.Offsets = append(layout.Offsets, u.offset(t, &next, &f, s))
				st.Fields = append(st.Fields, f)
			}
			continue
		}
		for dl := d.StructDeclaratorList; dl != nil; dl = dl.StructDeclaratorList {
			name := dl.StructDeclarator.Declarator.Name()
			if name == "" {
				continue // an unnamed bit-field: padding
			}
			f := u.field(sp, dl.StructDeclarator, name, place+"."+name)
			layout.Offsets = append(layout.Offsets, u.offset(t, &next, &f, s))
			st.Fields = append(st.Fields, f)
		}
	}
	st.Layouts = []model.Layout{layout}
	return st
}

func (u *unit) field(sp specs, d *cc.StructDeclarator, name, place string) model.Field {
	f := model.Field{Name: name}
	base := u.base(sp, place)
	if inner := inPlace(sp); inner != nil && u.anonymous[inner] == "" && u.names[base.key] == "" {
		f.Inner = u.structOf(inner, place)
		base = &node{kind: named, name: unionOrStruct(inner)}
	}
	f.Type = u.spell(u.declarator(base, d.Declarator, place), place)
	return f
}

// inPlace is the struct or union that specifiers define, if they do.
func inPlace(sp specs) *cc.StructOrUnionSpecifier {
	for _, t := range sp.types {
		if t.Case == cc.TypeSpecifierStructOrUnion && t.StructOrUnionSpecifier.Case == cc.StructOrUnionSpecifierDef {
			return t.StructOrUnionSpecifier
		}
	}
	return nil
}

// offset finds the member in cc's layout and fills in what a bit-field needs. cc lists members in the header's order.
func (u *unit) offset(t fielded, next *int, f *model.Field, at cc.Node) int {
	for ; *next < t.NumFields(); *next++ {
		cf := t.FieldByIndex(*next)
		if cf == nil || cf.Name() != f.Name || f.Name == "" && cf.IsBitfield() {
			continue
		}
		*next++
		if !cf.IsBitfield() {
			return int(cf.Offset())
		}
		// cc's access unit may be smaller than the declared type; C programs think in the declared one.
		unit := max(8*int(cf.Type().Size()), 8)
		bit := 8*int(cf.Offset()) + cf.OffsetBits()
		f.Bits, f.BitOffset = int(cf.ValueBits()), bit%unit
		return bit / unit * unit / 8
	}
	u.failf(at, "the layout has no member %q", f.Name)
	return 0
}

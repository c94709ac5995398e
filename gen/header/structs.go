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

// structOf reads a definition: members from the syntax, layout from the type checker. place names
// what members define in place.
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
		u.checkLayout(sp, d.AttributeSpecifierList)
		align := alignedTo(d.AttributeSpecifierList)
		if inPlace(sp) == nil { // the attributes of a definition are its own
			align = max(align, alignedTo(sp.attributes...))
		}
		if d.StructDeclaratorList == nil {
			if inner := inPlace(sp); inner != nil && inner.Token.SrcStr() == "" {
				f := model.Field{Type: model.Type(unionOrStruct(inner)), Inner: u.structOf(inner, place)}
				u.unpacked(f, place, u.packLimit(s), s)
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
			f.Align = align
			u.unpacked(f, place, u.packLimit(s), dl.StructDeclarator)
			layout.Offsets = append(layout.Offsets, u.offset(t, &next, &f, s))
			st.Fields = append(st.Fields, f)
		}
	}
	if limit := u.packLimit(s); limit > 0 {
		u.pack(st, t, &layout, place, limit, s)
	}
	st.Layouts = []model.Layout{layout}
	if u.target.OS == "windows" {
		u.checkBitFields(t, place, s)
	}
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
		if t.Case == cc.TypeSpecifierStructOrUnion &&
			t.StructOrUnionSpecifier.Case == cc.StructOrUnionSpecifierDef {
			return t.StructOrUnionSpecifier
		}
	}
	return nil
}

// offset finds the member in cc's layout and fills in what a bit-field needs. cc lists members in
// the header's order.
func (u *unit) offset(t fielded, next *int, f *model.Field, at cc.Node) int {
	for ; *next < t.NumFields(); *next++ {
		cf := t.FieldByIndex(*next)
		if cf == nil || cf.Name() != f.Name || f.Name == "" && cf.IsBitfield() {
			continue
		}
		*next++
		if k := cf.Type().Kind(); (k == cc.Struct || k == cc.Union) && cf.Type().IsIncomplete() {
			u.failf(at, "the size of the member %q is unknown: the header does not define its type", f.Name)
		}
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

// checkBitFields refuses bit-fields that Windows compilers lay out otherwise than cc does. There a
// bit-field starts a unit of its own type unless the one before it has a type of the same size, and
// the unit is never shared with other members. So the layouts agree where runs of bit-fields have
// one type size, begin at the start of a unit and end before the next member.
func (u *unit) checkBitFields(t fielded, place string, at cc.Node) {
	end, size := 0, 0 // of the current run's last unit in bytes, of its type
	for i := range t.NumFields() {
		f := t.FieldByIndex(i)
		if !f.IsBitfield() {
			if size > 0 && int(f.Offset()) < end && t.Kind() == cc.Struct {
				u.failf(at, "in %s, %s shares a unit with bit-fields, but not on Windows; its layout there "+
					"is unknown", place, f.Name())
			}
			size = 0
			continue
		}
		unit := max(int(f.Type().Size()), 1)
		bit := 8*int(f.Offset()) + f.OffsetBits()
		if fresh := bit%(8*unit) == 0 && bit/8 >= end; size == 0 && bit%(8*unit) != 0 || size > 0 &&
			unit != size && !fresh {
			u.failf(at, "in %s, the bit-field %s lies otherwise on Windows; its layout there is unknown",
				place, f.Name())
		}
		size = unit
		end = (bit/(8*unit) + 1) * unit
	}
	if size > 0 && end > int(t.Size()) {
		u.failf(at, "%s ends within a unit of bit-fields, but not on Windows; its layout there is "+
			"unknown", place)
	}
}

package emit

import (
	"slices"

	"github.com/gpuevent/gpuevent/gen/model"
)

// nameValues names enumerators, after all types.
func (p *typing) nameValues() error {
	macros := map[string]*model.Const{}
	for i := range p.Model.Consts {
		macros[p.Model.Consts[i].Name] = &p.Model.Consts[i]
	}
	byName := map[string]*enumValue{}
	// result codes first; enums without a name last, because they change theirs
	ordered := slices.Clone(p.enums)
	slices.SortStableFunc(ordered, func(a, b *enum) int { return a.rank() - b.rank() })
	for _, e := range ordered {
		if e.family != nil {
			continue // planConsts
		}
		for i := range e.Values {
			v := &enumValue{EnumValue: &e.Values[i]}
			e.values = append(e.values, v)
			if k := macros[v.Name]; k != nil && newer(k.Span, v.Span) {
				v.skip = true
				continue
			}
			if o := byName[v.Name]; o != nil { // the same enumerator in two enums of different versions
				if newer(o.Span, v.Span) {
					v.skip = true
					continue
				}
				o.skip = true
			}
			byName[v.Name] = v
			g, err := p.namer.name("const", v.Name, p.namer.constant(v.Name, e.Name), "Value", "Const")
			if err != nil {
				return err
			}
			v.goName = g
		}
	}
	return nil
}

func (e *enum) rank() int {
	switch {
	case e.result:
		return 0
	case e.goName == "":
		return 2
	}
	return 1
}

// newer reports whether a is the one to keep of two entities of one name.
func newer(a, b model.Span) bool {
	switch {
	case a.Removed == "" || b.Removed == "":
		return a.Removed == ""
	default:
		return model.CompareVersions(a.Removed, b.Removed) >= 0
	}
}

func (p *typing) planConsts() error {
	skipped := map[string]bool{}
	for _, e := range p.enums {
		for _, v := range e.values {
			if !v.skip {
				skipped[v.Name] = true
			}
		}
	}
	for i := range p.Model.Consts {
		k := &p.Model.Consts[i]
		if skipped[k.Name] {
			continue // the enumerator of that name is the newer one
		}
		g, err := p.namer.name("const", k.Name, p.namer.constant(k.Name, ""), "Value", "Const")
		if err != nil {
			return err
		}
		if p.joinFamily(k, g) {
			continue
		}
		c := &constant{Const: k, goName: g}
		if k.Type != "" {
			if t, err := p.res.parse(k.Type); err == nil && t.named && t.scalar() {
				c.typ = t
			}
		}
		if k.Kind == "pointer" && c.typ == nil {
			c.typ = tUintptr
		}
		p.consts = append(p.consts, c)
	}
	p.orderFamilies()
	return nil
}

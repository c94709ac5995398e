package emit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

// declareMacroFlags makes a type of each family of macros that C passes in plain integers.
func (p *typing) declareMacroFlags() error {
	for _, name := range slices.Sorted(keys(p.Rules.Binding.MacroFlags)) {
		f := p.Rules.Binding.MacroFlags[name]
		c := rules.MacroType(name)
		g, err := p.namer.name("type", c, name)
		if err != nil {
			return err
		}
		e := &enum{
			Enum:   &model.Enum{Name: c, Span: model.Span{Since: p.Model.Versions[0].Name}},
			goName: g,
			bitset: f.Bits,
			family: &f,
		}
		e.typ = &gtype{kind: kUint, name: g, named: true, c: c, size: 4, align: 4}
		p.res.types[c] = e.typ
		p.enums = append(p.enums, e)
	}
	return nil
}

// enumAt is the enum whose values a parameter or field carries, "" if none.
func (p *typing) enumAt(place string) string {
	if e := p.Rules.Facts.ParamType[place]; e != "" {
		return e
	}
	return p.Rules.Binding.MacroTypeOf(place)
}

// joinFamily makes a macro a value of its family's type, if it has a family.
func (p *typing) joinFamily(k *model.Const, goName string) bool {
	for _, e := range p.enums {
		if e.family == nil || !slices.Contains(e.family.Consts, k.Name) {
			continue
		}
		v, err := strconv.ParseInt(k.Value, 0, 64)
		if err != nil || v < 0 || v > 1<<32-1 {
			return false // stays a number
		}
		value := &model.EnumValue{Name: k.Name, Value: v, Span: k.Span}
		for _, x := range k.Variants {
			if old, err := strconv.ParseInt(x.Value, 0, 64); err == nil {
				value.Variants = append(value.Variants, model.ValueVariant{From: x.From, To: x.To, Value: old})
			}
		}
		e.values = append(e.values, &enumValue{EnumValue: value, goName: goName})
		return true
	}
	return false
}

// orderFamilies puts the values of each family in the order of its rule.
func (p *typing) orderFamilies() {
	for _, e := range p.enums {
		if e.family != nil {
			slices.SortFunc(e.values, func(a, b *enumValue) int {
				return slices.Index(e.family.Consts, a.Name) - slices.Index(e.family.Consts, b.Name)
			})
		}
	}
}

// familyDoc is the doc comment of the type of a family of macros.
func (p *renderer) familyDoc(e *enum) *doc {
	d := &doc{}
	d.para("%s says %s", e.goName, sentence(e.family.Says))
	how := "Pass exactly one of its values."
	if e.bitset {
		how = "Its values can be combined with |."
	}
	d.para(
		"%s C defines the values as macros without a type; the name of the type is ours. It is used by "+
			"%s.",
		how,
		p.usesText(e.family.Uses),
	)
	return d
}

// usesText names functions and types that Go code can look up.
func (p *renderer) usesText(uses []string) string {
	var names []string
	for _, u := range uses {
		head := rules.ParsePlace(u).Of
		g := p.namer.goOf[[2]string{"func", head}]
		if g == "" {
			g = p.namer.goOf[[2]string{"type", head}]
		}
		if g == "" {
			continue
		}
		if link := fmt.Sprintf("[%s]", g); !slices.Contains(names, link) {
			names = append(names, link)
		}
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

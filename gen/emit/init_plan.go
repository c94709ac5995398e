package emit

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/gpuevent/gpuevent/gen/rules"
)

// initializer is the constructor of a struct whose members C wants preset.
type initializer struct {
	c       string // the name in the rules: the struct's, or a typedef's
	goName  string // NewX
	typ     string // X
	s       *structure
	presets []preset
}

// preset is a member and its value: a Go constant, a number, or the size of the struct.
type preset struct {
	m      *member
	value  string // a constant's Go name, or a number
	sizeof bool
}

// planInits decides the constructors that rules ask for.
func (p *typing) planInits() error {
	for _, c := range slices.Sorted(keys(p.Rules.Binding.Init)) {
		if err := p.planInit(c, p.Rules.Binding.Init[c]); err != nil {
			return fmt.Errorf("specs/%s.toml: [init] %s: %w", p.Rules.API, c, err)
		}
	}
	return nil
}

func (p *typing) planInit(c string, rule map[string]rules.Preset) error {
	typ := p.res.types[c]
	i := slices.IndexFunc(p.structs, func(s *structure) bool { return s.typ == typ })
	switch {
	case i < 0:
		return fmt.Errorf("the type is no struct")
	case p.structs[i].aligned:
		return fmt.Errorf("it is aligned to more than 8 bytes, and has a constructor for that")
	}
	in := &initializer{c: c, s: p.structs[i], typ: p.structs[i].goName}
	if g := p.namer.goOf[[2]string{"type", c}]; g != "" {
		in.typ = g
	}
	g, err := p.namer.name("func", newKey(c), "New"+in.typ, "Value", "Struct")
	if err != nil {
		return err
	}
	in.goName = g
	for _, name := range slices.Sorted(keys(rule)) {
		if name != rules.Rest && !slices.ContainsFunc(in.s.members, func(m *member) bool {
			return m.c == name && !m.hidden
		}) {
			return fmt.Errorf("the member %s is no field in Go", name)
		}
	}
	for _, m := range in.s.members {
		v, ok := rule[m.c]
		if rest, all := rule[rules.Rest]; !ok && all && m.plainInt() {
			v, ok = rest, true
		}
		if m.hidden || !ok {
			continue
		}
		value, err := p.presetValue(m, v)
		if err != nil {
			return fmt.Errorf("%s: %w", m.c, err)
		}
		in.presets = append(in.presets, preset{m, value, v.Sizeof})
	}
	p.inits = append(p.inits, in)
	return nil
}

// plainInt reports whether a member is an int.
func (m *member) plainInt() bool {
	return !m.hidden && m.c != "" && m.typ.kind == kInt && m.typ.size == 4 && !m.typ.named
}

// presetValue is a member's value in Go: the name of a constant that fits its type, or a number.
func (p *typing) presetValue(m *member, v rules.Preset) (string, error) {
	k := m.typ.kind
	if k != kInt && k != kUint && k != kFloat {
		return "", fmt.Errorf("only numbers can be preset, and it is %s", m.typ.text())
	}
	if v.Const == "" {
		if v.Number == "" || fitsNumber(v.Number, m.typ) {
			return v.Number, nil
		}
		return "", fmt.Errorf("%s does not fit %s", v.Number, m.typ.text())
	}
	g := p.namer.goOf[[2]string{"const", v.Const}]
	number := p.constNumber(v.Const)
	if g == "" || !fitsNumber(number, m.typ) {
		return "", fmt.Errorf("%s, %s, does not fit %s", v.Const, number, m.typ.text())
	}
	return g, nil
}

// constNumber is the value of a macro or an enumerator.
func (p *typing) constNumber(c string) string {
	for _, k := range p.Model.Consts {
		if k.Name == c {
			return k.Value
		}
	}
	for _, e := range p.enums {
		for _, v := range e.values {
			if v.Name == c && !v.skip {
				return strconv.FormatInt(v.Value, 10)
			}
		}
	}
	return ""
}

// fitsNumber reports whether a number is a value of a type.
func fitsNumber(number string, t *gtype) bool {
	var err error
	switch t.kind {
	case kInt:
		_, err = strconv.ParseInt(number, 0, 8*t.size)
	case kUint:
		_, err = strconv.ParseUint(number, 0, 8*t.size)
	default:
		_, err = strconv.ParseFloat(number, 8*t.size)
	}
	return err == nil
}

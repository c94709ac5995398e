package rules

import (
	"go/token"
	"regexp"
	"slices"

	"github.com/gpuevent/gpuevent/gen/model"
)

// MacroFlags is a family of macros that C passes in plain integers. Go has a type for it.
type MacroFlags struct {
	Says   string   `toml:"says"`   // what the flags decide, a noun phrase in our own words
	Bits   bool     `toml:"bits"`   // values are OR-ed together; otherwise exactly one is passed
	Consts []string `toml:"consts"` // the macros; of several for one value the first names it
	Uses   []string `toml:"uses"`   // function.param or struct.field
}

// MacroType is the name under which the lock has the type of a family, which has none in C.
func MacroType(family string) string { return "macroflags." + family }

// MacroTypeOf is the family whose type a parameter or field has, "" if none.
func (b *Binding) MacroTypeOf(place string) string {
	for _, k := range sortedKeys(b.MacroFlags) {
		if slices.Contains(b.MacroFlags[k].Uses, place) {
			return MacroType(k)
		}
	}
	return ""
}

// integers are the C types that carry flags, possibly behind a pointer.
var integers = regexp.MustCompile(
	`^(const )?(unsigned int|int|unsigned long long|uint32_t|uint64_t)( const)?( \*)?$`)

// macroFlags checks the families: each macro and each use must exist, and belong to one family
// only.
func (c *checker) macroFlags() {
	s, b := c.r.sources["toml"], &c.r.Binding
	macros := map[string]*model.Const{}
	for i := range c.m.Consts {
		macros[c.m.Consts[i].Name] = &c.m.Consts[i]
	}
	familyOf, userOf := map[string]string{}, map[string]string{}
	for _, k := range sortedKeys(b.MacroFlags) {
		f, table := b.MacroFlags[k], "macroflags."+k
		if !token.IsExported(k) || !token.IsIdentifier(k) {
			c.bad(s.key("macroflags", k, "%q can't be the name of an exported Go type", k))
		}
		if f.Says == "" || len(f.Consts) == 0 || len(f.Uses) == 0 {
			c.bad(s.key("macroflags", k, "%s needs says, consts and uses", k))
		}
		for _, name := range f.Consts {
			p := s.item(table, name, "")
			switch m := macros[name]; {
			case m == nil:
				p.Msg = k + ": no macro is named " + name
			case m.Kind != "int" && m.Kind != "uint" || m.Type != "":
				p.Msg = k + ": " + name + " is not a plain integer"
			case familyOf[name] != "":
				p.Msg = name + " is in " + familyOf[name] + " and in " + k
			default:
				familyOf[name] = k
				continue
			}
			c.bad(p)
		}
		for _, place := range f.Uses {
			p := s.item(table, place, "")
			switch t := c.typeAt(place); {
			case t == "":
				p.Msg = k + ": no parameter or field is named " + place
			case !integers.MatchString(string(t)):
				p.Msg = k + ": " + place + " is " + string(t) + ", which carries no flags"
			case userOf[place] != "":
				p.Msg = place + " is in " + userOf[place] + " and in " + k
			case c.r.Facts.ParamType[place] != "":
				p.Msg = place + " has a type in [paramtype], too: " + c.r.Facts.ParamType[place]
			default:
				userOf[place] = k
				continue
			}
			c.bad(p)
		}
	}
}

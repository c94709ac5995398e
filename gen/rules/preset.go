package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
)

// Preset is what a constructor gives a member of a struct: a number, a constant of the API, or the
// size of the struct, which may be combined with a number: "toyMemory_v2", 0xcafebeef, "sizeof",
// "sizeof|0x2000000".
type Preset struct {
	Const  string // a macro or an enumerator
	Sizeof bool
	Number string // of Sizeof: what is OR-ed to it
}

// Rest is the key of a preset for all int members that have none of their own.
const Rest = "*"

// UnmarshalTOML reads a preset of a rule file.
func (p *Preset) UnmarshalTOML(v any) error {
	switch v := v.(type) {
	case int64:
		p.Number = strconv.FormatInt(v, 10)
	case float64:
		p.Number = strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		rest, sizeof := strings.CutPrefix(v, "sizeof")
		number, or := strings.CutPrefix(rest, "|")
		switch _, err := strconv.ParseUint(number, 0, 64); {
		case sizeof && rest == "":
			p.Sizeof = true
		case sizeof && or && err == nil:
			p.Sizeof, p.Number = true, number
		case v == "" || strings.ContainsAny(v, " |"):
			return fmt.Errorf("%q is no constant, number, or \"sizeof|number\"", v)
		default:
			p.Const = v
		}
	default:
		return fmt.Errorf("%v is no constant and no number", v)
	}
	return nil
}

// inits checks the rules for constructors: the structs, members and constants exist.
func (c *checker) inits() {
	s := c.r.sources["toml"]
	shapes := NewShapes(c.m)
	for _, k := range sortedKeys(c.r.Binding.Init) {
		table := "init." + k
		st := shapes.structs[shapes.final(k)]
		if st == nil {
			c.bad(s.key("init", k, "no struct is named %q", k))
			continue
		}
		for _, m := range sortedKeys(c.r.Binding.Init[k]) {
			has := slices.ContainsFunc(st.Fields, func(f model.Field) bool { return f.Name == m })
			if m != Rest && !has {
				c.bad(s.key(table, m, "%s has no member %q", k, m))
			}
			if v := c.r.Binding.Init[k][m].Const; v != "" && !c.consts[v] {
				c.bad(s.key(table, m, "%s.%s: no macro or enumerator is named %q", k, m, v))
			}
		}
	}
}

package emit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

// namer gives each C name its Go name. The lock comes first, then the rules, then the scheme that
// the package's doc describes.
type namer struct {
	m      *model.Model
	r      *rules.Rules
	used   map[string]rules.Name // by Go name
	goOf   map[[2]string]string  // kind and C name
	names  []rules.Name
	merged map[string]string // structs that are a member of their family under its plain name
	fresh  []rules.Name      // those that the lock does not have yet
}

func newNamer(m *model.Model, r *rules.Rules) *namer {
	n := &namer{
		m:      m,
		r:      r,
		used:   map[string]rules.Name{},
		goOf:   map[[2]string]string{},
		merged: map[string]string{},
	}
	for _, g := range slices.Concat([]string{"since", "result", "HeaderVersion", "CallError",
		"ErrLayout", "LayoutError"}, loadNames, r.Binding.Reserved) {
		n.used[g] = rules.Name{Go: g, Kind: "reserved", C: "a hand-written name"}
	}
	for _, l := range r.Lock.Names {
		l.Shape, l.Items = "", "" // the plan finds its own
		n.used[l.Go] = l
	}
	return n
}

// nameFunctions comes first: functions keep their names, and types and constants change theirs if
// one is taken.
func (n *namer) nameFunctions() error {
	for i := range n.m.Functions {
		f := &n.m.Functions[i]
		if n.r.Binding.Skip[f.Name] != "" {
			continue
		}
		if _, err := n.name("func", f.Name, n.function(f.Name), "Func"); err != nil {
			return err
		}
	}
	return nil
}

// name settles the Go name of one C name. suffixes are tried in turn where the name is taken.
func (n *namer) name(kind, c, want string, suffixes ...string) (string, error) {
	pinned := n.r.Lock.Go(kind, c)
	rule, ruled := n.r.Binding.Names[kind+" "+c]
	if !ruled {
		rule, ruled = n.r.Binding.Names[c]
	}
	switch {
	case ruled:
		want, suffixes = rule.Go, nil // Lock.Check refuses a rule that differs from the lock
	case pinned != "":
		want, suffixes = pinned, nil
	}
	if !ruled && pinned == "" && len(suffixes) > 0 { // there is always a free name
		for i := range 9 {
			suffixes = append(slices.Clip(suffixes), suffixes[0]+strconv.Itoa(i+2))
		}
	}
	me := rules.Name{Kind: kind, C: c}
	for i := -1; i < len(suffixes); i++ {
		me.Go = want
		if i >= 0 {
			me.Go += suffixes[i]
		}
		if o, ok := n.used[me.Go]; !ok || o == me {
			n.used[me.Go] = me
			n.goOf[[2]string{kind, c}] = me.Go
			n.names = append(n.names, me)
			if pinned == "" {
				n.fresh = append(n.fresh, me)
			}
			return me.Go, nil
		}
	}
	o := n.used[want]
	return "", fmt.Errorf(
		"the Go name %s of %s %s is taken by %s %s; give it another in the [names] table of "+
			"specs/%s.toml",
		want,
		kind,
		c,
		o.Kind,
		o.C,
		n.r.API,
	)
}

// function is the scheme's name for an exported symbol.
func (n *namer) function(c string) string {
	if base, prefix := n.r.Binding.TwinOf(c, n.m.Functions); prefix != "" {
		if rule := n.r.Binding.Names[base].Go; rule != "" {
			return prefix + rule
		}
		return prefix + n.function(base)
	}
	return n.family(c, "function", n.r.Binding.Prefixes.Functions, func(base, v string) string {
		for _, a := range n.m.Aliases {
			if a.Kind == "function" && a.Name == base {
				for _, s := range a.Spans {
					if model.Within(v, s.From, s.To) {
						return s.Target
					}
				}
			}
		}
		if i := slices.IndexFunc(n.m.Functions,
			func(f model.Function) bool { return f.Name == base && f.Has(v) }); i >= 0 {
			return base
		}
		return ""
	})
}

// typ is the scheme's name for a type.
func (n *namer) typ(c string) string {
	if strings.Contains(c, ".") {
		return n.place(c)
	}
	return n.family(c, "type", n.r.Binding.Prefixes.Types, func(base, v string) string {
		for _, a := range n.m.Aliases {
			if a.Kind == "type" && a.Name == base {
				for _, s := range a.Spans {
					if model.Within(v, s.From, s.To) {
						return s.Target
					}
				}
			}
		}
		for _, t := range n.m.Typedefs {
			if t.Name != base || !t.Has(v) {
				continue
			}
			target := t.Type
			for _, x := range t.Variants {
				if model.Within(v, x.From, x.To) {
					target = x.Type
				}
			}
			if b, suffix := cutVersion(string(target)); suffix != "" && b == base {
				return string(target)
			}
			return base
		}
		if t := n.merged[base]; t != "" {
			return t
		}
		for _, s := range n.m.Structs {
			if s.Name == base && s.Has(v) {
				return base
			}
		}
		for _, e := range n.m.Enums {
			if e.Name == base && e.Has(v) {
				return base
			}
		}
		return ""
	})
}

// place names a callback type without a typedef after its place: "cuFoo.bar".
func (n *namer) place(c string) string {
	var b strings.Builder
	for i, part := range strings.Split(c, ".") {
		if i == 0 {
			b.WriteString(
				camel(
					cutPrefix(part,
						append(slices.Clone(n.r.Binding.Prefixes.Functions), n.r.Binding.Prefixes.Types...)),
				),
			)
			continue
		}
		b.WriteString(camel(part))
	}
	return b.String()
}

// family gives the plain name to the member that the oldest header calls by it; the others keep
// their version.
func (n *namer) family(c, kind string, prefixes []string,
	calls func(base, version string) string) string {
	base, suffix := cutVersion(c)
	base = strings.TrimSuffix(base, "_st")
	owner := ""
	for _, v := range n.m.Versions {
		if owner = calls(base, v.Name); owner != "" {
			break
		}
	}
	if kind == "type" {
		base = strings.TrimSuffix(strings.TrimSuffix(base, "_t"), "_enum")
	}
	plain := camel(cutPrefix(base, prefixes))
	switch {
	case owner == c || owner == "" && suffix == "":
		return plain
	case suffix == "":
		return plain + "V1"
	}
	return plain + suffix
}

// constant is the scheme's name for a macro or enumerator; errors are called Err….
func (n *namer) constant(c, enum string) string {
	if enum == n.r.Binding.Result && c != n.r.Binding.Success {
		for _, p := range n.r.Binding.ErrPrefix {
			if rest, ok := strings.CutPrefix(c, p); ok && rest != "" {
				return "Err" + camel(rest)
			}
		}
	}
	rest := cutPrefix(c, n.r.Binding.Prefixes.Consts)
	if rest == c {
		return n.r.Binding.Prefixes.Bare + camel(rest)
	}
	return n.r.Binding.Prefixes.Enums[enum] + camel(rest)
}

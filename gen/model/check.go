package model

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Problem is one error in a model.
type Problem struct {
	Section string // "functions", "enums", …: the entity's section in a spec file
	Name    string // the entity
	Msg     string
}

// Error describes the problem.
func (p Problem) Error() string {
	if p.Name == "" {
		return p.Msg
	}
	return p.Name + ": " + p.Msg
}

// Check finds all errors in a model: names that are missing or repeated, types that do not resolve,
// versions that are unknown or in the wrong order, layouts that don't fit their fields. A model
// without problems is safe to generate from.
func (m *Model) Check() []Problem {
	c := &checker{m: m, known: map[string]int{}, types: map[string]bool{}, tags: map[string]bool{}}
	c.model()
	if len(c.problems) > 0 {
		return c.problems // everything else refers to versions and targets
	}
	c.names()
	c.functions()
	c.enums()
	c.structs()
	c.typedefs()
	c.consts()
	c.aliases()
	return c.problems
}

type checker struct {
	m        *Model
	known    map[string]int  // versions, by position
	types    map[string]bool // names that a Type may use
	tags     map[string]bool // "enum tag" of all enums
	problems []Problem
	section  string
	entity   string
}

func (c *checker) bad(format string, args ...any) {
	c.problems = append(c.problems, Problem{c.section, c.entity, fmt.Sprintf(format, args...)})
}

func (c *checker) at(section, entity string) { c.section, c.entity = section, entity }

func (c *checker) model() {
	c.at("api", "")
	if !isIdent(c.m.API) {
		c.bad("the api's name %q is not a word", c.m.API)
	}
	c.at("versions", "")
	if len(c.m.Versions) == 0 {
		c.bad("no versions")
	}
	for i, v := range c.m.Versions {
		c.at("versions", v.Name)
		if !IsVersion(v.Name) {
			c.bad("version name %q is not made of dotted numbers", v.Name)
		}
		if i > 0 && CompareVersions(c.m.Versions[i-1].Name, v.Name) >= 0 {
			c.bad("version %s comes after %s: oldest first, each once", v.Name, c.m.Versions[i-1].Name)
		}
		c.known[v.Name] = i
	}
	seen := map[Target]bool{}
	for _, t := range c.m.Targets {
		c.at("targets", t.String())
		if seen[t] || !isIdent(t.OS) || !isIdent(t.Arch) {
			c.bad("target %s is malformed or repeated", t)
		}
		seen[t] = true
	}
}

// names collects the type names and checks that a name means one thing at a time.
func (c *checker) names() {
	type owner struct {
		section string
		span    Span
	}
	types := map[string][]owner{}
	add := func(section, name string, span Span) {
		c.at(section, name)
		for _, o := range types[name] {
			if o.section == section || overlap(o.span, span) {
				c.bad("the type name is also in %s", o.section)
			}
		}
		types[name] = append(types[name], owner{section, span})
		c.types[name] = true
	}
	for _, e := range c.m.Enums {
		add("enums", e.Name, e.Span)
		c.tags["enum "+e.Tag] = true
	}
	for _, s := range c.m.Structs {
		add("structs", s.Name, s.Span)
	}
	for _, t := range c.m.Typedefs {
		add("typedefs", t.Name, t.Span)
	}
	for _, a := range c.m.Aliases {
		if a.Kind == "type" {
			c.types[a.Name] = true
		}
	}
}

func overlap(a, b Span) bool {
	return (a.Removed == "" || CompareVersions(b.Since, a.Removed) < 0) &&
		(b.Removed == "" || CompareVersions(a.Since, b.Removed) < 0)
}

// sorted checks that names are identifiers, in order and unique.
func sorted[T any](c *checker, section string, items []T, name func(*T) string) {
	for i := range items {
		n := name(&items[i])
		c.at(section, n)
		if !isName(n) {
			c.bad("%q is not a C name", n)
		}
		if i == 0 {
			continue
		}
		switch prev := name(&items[i-1]); {
		case prev == n:
			c.bad("the name is repeated")
		case prev > n:
			c.bad("stands behind %s: entities are sorted by name", prev)
		}
	}
}

func (c *checker) span(s Span) {
	if s.Since == "" || !IsVersion(s.Since) {
		c.bad("since %q is not a version", s.Since)
		return
	}
	last := s.Since
	for _, r := range s.Absent {
		c.version("absent from", r.From)
		c.version("absent to", r.To)
		if CompareVersions(last, r.From) >= 0 || CompareVersions(r.From, r.To) > 0 {
			c.bad("absent from %s to %s is out of order", r.From, r.To)
		}
		last = r.To
	}
	for _, r := range s.WasDeprecated {
		c.version("deprecated from", r.From)
		c.version("deprecated to", r.To)
		if CompareVersions(r.From, r.To) > 0 || s.Deprecated != "" &&
			CompareVersions(r.To, s.Deprecated) >= 0 {
			c.bad("deprecated from %s to %s is out of order", r.From, r.To)
		}
	}
	if s.Removed != "" {
		c.version("removed", s.Removed)
		if CompareVersions(last, s.Removed) >= 0 {
			c.bad("removed in %s, but there since %s", s.Removed, last)
		}
	}
	if s.Deprecated != "" {
		if c.version("deprecated", s.Deprecated); CompareVersions(s.Deprecated, s.Since) < 0 {
			c.bad("deprecated in %s, but there since %s only", s.Deprecated, s.Since)
		}
	}
}

func (c *checker) version(what, v string) {
	if _, ok := c.known[v]; !ok {
		c.bad("%s %q is none of the versions", what, v)
	}
}

// stretch checks a From and To, and that stretches follow each other; prev is the one before.
func (c *checker) stretch(prev, from, to string) {
	c.version("from", from)
	c.version("to", to)
	if CompareVersions(from, to) > 0 {
		c.bad("from %s is newer than to %s", from, to)
	}
	if prev != "" && CompareVersions(prev, from) >= 0 {
		c.bad("the stretch from %s begins before the one to %s ends", from, prev)
	}
}

func (c *checker) typ(what string, t Type) {
	ct, err := t.Parse()
	if err != nil {
		c.bad("%s: %v", what, err)
		return
	}
	if s := ct.Type(); s != t {
		c.bad("%s: type %q is spelled %q in canonical form", what, t, s)
	}
	for ct.Kind != Named {
		ct = ct.Elem
	}
	// A struct may stay incomplete, an enum may not.
	if n := ct.Name; !baseNames[n] && !c.types[n] && !c.tags[n] && !strings.HasPrefix(n, "struct ") &&
		!strings.HasPrefix(n, "union ") {
		c.bad("%s: no type is named %q", what, n)
	}
}

func (c *checker) params(ps []Param) {
	for i, p := range ps {
		if p.Name == "" {
			c.bad("parameter %d has no name", i+1)
		}
		if slices.ContainsFunc(p.Was,
			func(w Former) bool { return w.Name == p.Name || w.Name == "" || w.To == "" }) {
			c.bad("parameter %s: older names %q", p.Name, p.Was)
		}
		switch p.Dir {
		case "", "in", "out", "inout":
		default:
			c.bad("parameter %s: direction %q", p.Name, p.Dir)
		}
		if p.Type == "..." && i != len(ps)-1 || p.Type == "void" {
			c.bad("parameter %s: type %q", p.Name, p.Type)
		}
		c.typ("parameter "+p.Name, p.Type)
	}
}

func (c *checker) functions() {
	sorted(c, "functions", c.m.Functions, func(f *Function) string { return f.Name })
	for _, f := range c.m.Functions {
		c.at("functions", f.Name)
		c.span(f.Span)
		c.typ("result", f.Ret)
		c.params(f.Params)
		if f.Internal != "" {
			c.version("internal", f.Internal)
			if f.Removed == "" {
				c.bad("internal since %s, but not removed", f.Internal)
			}
		}
		prev := ""
		for _, v := range f.Variants {
			c.stretch(prev, v.From, v.To)
			prev = v.To
			c.typ("result", v.Ret)
			c.params(v.Params)
		}
	}
}

func (c *checker) enums() {
	sorted(c, "enums", c.m.Enums, func(e *Enum) string { return e.Name })
	type place struct {
		enum string
		span Span
	}
	all := map[string]place{}
	for _, e := range c.m.Enums {
		c.at("enums", e.Name)
		c.span(e.Span)
		neg := false
		for _, v := range e.Values {
			if !isName(v.Name) {
				c.bad("%q is not a C name", v.Name)
			}
			if o, ok := all[v.Name]; ok && (o.enum == e.Name || overlap(o.span, v.Span)) {
				c.bad("the enumerator %s is also in %s", v.Name, o.enum)
			}
			all[v.Name] = place{e.Name, v.Span}
			c.span(v.Span)
			neg = neg || v.Value < 0
			prev := ""
			for _, x := range v.Variants {
				c.stretch(prev, x.From, x.To)
				prev = x.To
				neg = neg || x.Value < 0
			}
		}
		if neg != e.Signed && !(neg && e.Wide) {
			c.bad("signed is %v, but a negative value: %v", e.Signed, neg)
		}
	}
}

func (c *checker) structs() {
	sorted(c, "structs", c.m.Structs, func(s *Struct) string { return s.Name })
	for _, s := range c.m.Structs {
		c.at("structs", s.Name)
		c.span(s.Span)
		c.body(s.Layouts, s.Fields, s.Union)
		prev := ""
		for _, v := range s.Variants {
			c.stretch(prev, v.From, v.To)
			prev = v.To
			c.body(v.Layouts, v.Fields, v.Union)
		}
	}
}

func (c *checker) body(ls []Layout, fs []Field, union bool) {
	var targets []string
	for _, l := range ls {
		targets = append(targets, l.Targets...)
		if l.Size < 0 || l.Align < 1 || len(l.Offsets) != len(fs) {
			c.bad("a layout of size %d, alignment %d and %d offsets for %d fields", l.Size, l.Align,
				len(l.Offsets), len(fs))
		}
		for i, o := range l.Offsets {
			if o < 0 || o > l.Size || union && o != 0 {
				c.bad("field %d lies at offset %d of %d bytes", i+1, o, l.Size)
			}
		}
	}
	slices.Sort(targets)
	if want := slices.Sorted(slices.Values(c.m.targetNames())); !slices.Equal(targets, want) {
		c.bad("layouts for %q, targets are %q", targets, want)
	}
	names := map[string]bool{}
	for _, f := range fs {
		if f.Name == "" && f.Inner == nil || f.Name != "" && (names[f.Name] || !isName(f.Name)) {
			c.bad("field %q has no name of its own", f.Name)
		}
		names[f.Name] = true
		if f.Bits < 0 || f.BitOffset < 0 || f.BitOffset > 0 && f.Bits == 0 {
			c.bad("field %s: %d bits at bit %d", f.Name, f.Bits, f.BitOffset)
		}
		c.typ("field "+f.Name, f.Type)
		if f.Inner != nil {
			c.body(f.Inner.Layouts, f.Inner.Fields, f.Inner.Union)
		}
	}
}

func (c *checker) typedefs() {
	sorted(c, "typedefs", c.m.Typedefs, func(t *Typedef) string { return t.Name })
	for _, t := range c.m.Typedefs {
		c.at("typedefs", t.Name)
		c.span(t.Span)
		c.typedef(t.Kind, t.Type, t.Ret, t.Params)
		prev := ""
		for _, v := range t.Variants {
			c.stretch(prev, v.From, v.To)
			prev = v.To
			c.typedef(v.Kind, v.Type, v.Ret, v.Params)
		}
	}
}

func (c *checker) typedef(kind string, t, ret Type, ps []Param) {
	switch kind {
	case "callback":
		if t != "" {
			c.bad("a callback has a result and parameters, but no type %q", t)
		}
		c.typ("result", ret)
		c.params(ps)
	case "alias", "handle":
		if ret != "" || len(ps) > 0 {
			c.bad("a typedef of kind %s has no result and no parameters", kind)
		}
		c.typ("type", t)
	default:
		c.bad("kind %q is none of alias, callback, handle", kind)
	}
}

func (c *checker) consts() {
	sorted(c, "consts", c.m.Consts, func(k *Const) string { return k.Name })
	for _, k := range c.m.Consts {
		c.at("consts", k.Name)
		c.span(k.Span)
		c.constant(k.Kind, k.Value, k.Type)
		prev := ""
		for _, v := range k.Variants {
			c.stretch(prev, v.From, v.To)
			prev = v.To
			kind := v.Kind
			if kind == "" {
				kind = k.Kind
			}
			c.constant(kind, v.Value, v.Type)
		}
	}
}

func (c *checker) constant(kind, value string, t Type) {
	var err error
	switch kind {
	case "int":
		_, err = strconv.ParseInt(value, 0, 64)
	case "uint", "pointer":
		_, err = strconv.ParseUint(value, 0, 64)
	case "float":
		_, err = strconv.ParseFloat(value, 64)
	case "string":
	default:
		err = errors.New("unknown kind")
	}
	if err != nil {
		c.bad("a constant of kind %q with value %q", kind, value)
	}
	if t != "" {
		c.typ("type", t)
	}
}

func (c *checker) aliases() {
	sorted(c, "aliases", c.m.Aliases, func(a *Alias) string { return a.Name })
	functions := map[string]bool{}
	for _, f := range c.m.Functions {
		functions[f.Name] = true
	}
	for _, a := range c.m.Aliases {
		c.at("aliases", a.Name)
		if len(a.Spans) == 0 {
			c.bad("an alias without versions")
		}
		prev := ""
		for _, s := range a.Spans {
			c.stretch(prev, s.From, s.To)
			prev = s.To
			switch {
			case a.Kind == "function" && !functions[s.Target]:
				c.bad("no function is named %q", s.Target)
			case a.Kind == "type" && !c.types[s.Target] && !baseNames[s.Target]:
				c.bad("no type is named %q", s.Target)
			case a.Kind != "function" && a.Kind != "type":
				c.bad("kind %q is none of function, type", a.Kind)
			}
		}
	}
}

// isIdent reports whether s is a C identifier; isName also allows the places that name callbacks:
// "cuFoo.bar".
func isIdent(s string) bool {
	for i := range len(s) {
		if !isWordByte(s[i]) || i == 0 && '0' <= s[i] && s[i] <= '9' {
			return false
		}
	}
	return s != ""
}

func isName(s string) bool {
	dot := true
	for i := range len(s) {
		if s[i] == '.' {
			if dot {
				return false
			}
			dot = true
			continue
		}
		if !isWordByte(s[i]) || dot && '0' <= s[i] && s[i] <= '9' {
			return false
		}
		dot = false
	}
	return !dot
}

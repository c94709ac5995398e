package rules

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
)

// Check compares the rules with the model. A rule that matches nothing, a fact about something that
// does not exist and a malformed text are problems, each with file and line. A missing text is only
// a warning, so that a new header version still produces bindings.
func (r *Rules) Check(m *model.Model) error {
	c := &checker{r: r, m: m, functions: map[string]*model.Function{}, types: map[string]string{},
		structs: map[string]*model.Struct{}, consts: map[string]bool{}, groups: map[string]bool{}}
	c.index()
	c.follow()
	c.twins()
	c.binding()
	c.header()
	c.library()
	c.macroFlags()
	c.facts()
	c.docs()
	c.errors()
	c.inherit()
	if len(c.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(c.problems, func(a, b Problem) int {
		if d := strings.Compare(a.File, b.File); d != 0 {
			return d
		}
		return a.Line - b.Line
	})
	return c.problems
}

// lowerName matches the name of a Go function that a package keeps to itself.
var lowerName = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)

type checker struct {
	r         *Rules
	m         *model.Model
	functions map[string]*model.Function
	types     map[string]string // name -> enum, struct, handle, callback, alias
	structs   map[string]*model.Struct
	consts    map[string]bool
	groups    map[string]bool
	problems  Problems
}

func (c *checker) index() {
	for i := range c.m.Functions {
		c.functions[c.m.Functions[i].Name] = &c.m.Functions[i]
		c.groups[c.m.Functions[i].Group] = true
	}
	for _, e := range c.m.Enums {
		c.types[e.Name] = "enum"
		c.groups[e.Group] = true
		for _, v := range e.Values {
			c.consts[v.Name] = true
		}
	}
	for i := range c.m.Structs {
		c.types[c.m.Structs[i].Name] = "struct"
		c.structs[c.m.Structs[i].Name] = &c.m.Structs[i]
	}
	for _, t := range c.m.Typedefs {
		c.types[t.Name] = t.Kind
	}
	for _, k := range c.m.Consts {
		c.consts[k.Name] = true
	}
}

func (c *checker) bad(p Problem) { c.problems = append(c.problems, p) }

// missing is a warning: a generic text is used until somebody writes one.
func (c *checker) missing(ext, format string, args ...any) {
	c.r.Warnings = append(c.r.Warnings,
		Problem{c.r.sources[ext].file, 0, fmt.Sprintf(format, args...)})
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func (c *checker) binding() {
	s, b := c.r.sources["toml"], &c.r.Binding
	for _, f := range []struct{ key, value string }{{"name", b.Package}, {"vendor", b.Vendor},
		{"title", b.Title}, {"result", b.Result}, {"success", b.Success}} {
		if f.value == "" {
			c.bad(s.key("package", f.key, "[package] lacks %s", f.key))
		}
	}
	if b.Result != "" && c.types[b.Result] != "enum" {
		c.bad(s.key("package", "result", "no enum is named %q", b.Result))
	}
	for _, f := range []struct{ key, value string }{{"success", b.Success},
		{"unknown", b.Unknown}, {"pending", b.Pending}} {
		if f.value != "" && !c.consts[f.value] {
			c.bad(s.key("package", f.key, "no enumerator is named %q", f.value))
		}
	}
	for _, k := range sortedKeys(b.Names) {
		name := k
		if _, n, ok := strings.Cut(k, " "); ok {
			name = n
		}
		if n, v, ok := strings.Cut(name, "@"); ok && c.structs[n] != nil && c.release(v) {
			name = n // the layout of a struct since a version
		}
		if c.functions[name] == nil && c.types[name] == "" && !c.consts[name] && !c.path(name) {
			c.bad(s.key("names", k, "nothing is named %q", k))
		}
		if b.Names[k].Go == "" || b.Names[k].Why == "" {
			c.bad(s.key("names", k, "a name needs both go and why"))
		}
	}
	for _, k := range sortedKeys(b.GoTypes) {
		if c.types[k] == "" && !c.path(k) {
			c.bad(s.key("gotype", k, "no typedef, parameter or field is named %q", k))
		}
		if b.GoTypes[k].Go == "" || b.GoTypes[k].Why == "" {
			c.bad(s.key("gotype", k, "a type needs both go and why"))
		}
	}
	for _, k := range sortedKeys(b.Prefixes.Enums) {
		if c.types[k] != "enum" {
			c.bad(s.key("prefixes.enums", k, "no enum is named %q", k))
		}
	}
	for _, k := range sortedKeys(b.Missing) {
		if c.function(s.key("missing", k, ""), k) {
			c.missingRange(k, b.Missing[k])
		}
	}
	for _, k := range sortedKeys(b.Skip) {
		switch {
		case c.functions[k] == nil && c.types[k] == "":
			c.bad(s.key("skip", k, "no function and no type is named %q", k))
		case b.Skip[k] == "":
			c.bad(s.key("skip", k, "%s needs a reason", k))
		}
	}
	c.inits()
	c.layouts()
	for _, k := range sortedKeys(b.Refs) {
		c.function(s.key("refs", k, ""), k)
	}
	for _, k := range sortedKeys(b.Before) {
		if c.function(s.key("before", k, ""), k) && !lowerName.MatchString(b.Before[k]) {
			c.bad(s.key("before", k, "%q is not the name of a Go function of the package", b.Before[k]))
		}
	}
	for _, k := range sortedKeys(b.Texts) {
		at := ParsePlace(k)
		cb, text := at.Of, at.Path
		i := slices.IndexFunc(c.m.Typedefs, func(t model.Typedef) bool {
			return t.Name == cb && t.Kind == "callback"
		})
		if i < 0 {
			c.bad(s.key("texts", k, "no callback type is named %q", cb))
			continue
		}
		for _, name := range []string{text, b.Texts[k]} {
			if !slices.ContainsFunc(c.m.Typedefs[i].Params,
				func(q model.Param) bool { return q.Name == name }) {
				c.bad(s.key("texts", k, "%s has no parameter %q", cb, name))
			}
		}
	}
	for _, k := range sortedKeys(b.Buffers) {
		c.param(s.key("buffers", k, ""), k)
	}
}

func (c *checker) release(name string) bool {
	return slices.ContainsFunc(c.m.Versions, func(v model.Version) bool { return v.Name == name })
}

// missingRange checks when libraries lack a function: both ends are releases of the model, in
// order, and the function is declared.
func (c *checker) missingRange(name string, m Missing) {
	p := c.r.sources["toml"].key("missing", name, "")
	releases := map[string]bool{}
	for _, v := range c.m.Versions {
		releases[v.Name] = true
	}
	f := c.functions[name]
	switch {
	case m.Reason == "":
		p.Msg = name + " needs a reason"
	case m.From != "" && !releases[m.From]:
		p.Msg = fmt.Sprintf("%s: no release is named %q", name, m.From)
	case m.Until != "" && !releases[m.Until]:
		p.Msg = fmt.Sprintf("%s: no release is named %q", name, m.Until)
	case m.From != "" && m.Until != "" && model.CompareVersions(m.From, m.Until) >= 0:
		p.Msg = fmt.Sprintf("%s: from %s until %s is not a valid range", name, m.From, m.Until)
	case m.Until != "" && model.CompareVersions(m.Until, f.Since) <= 0:
		p.Msg = fmt.Sprintf("%s is declared since %s only; until %s says nothing", name, f.Since, m.Until)
	default:
		return
	}
	c.bad(p)
}

// function reports p if no function has the name.
func (c *checker) function(p Problem, name string) bool {
	if c.functions[name] == nil {
		p.Msg = fmt.Sprintf("no function is named %q", name)
		c.bad(p)
		return false
	}
	return true
}

// param reports p if place is not function.param.
func (c *checker) param(p Problem, place string) *model.Param {
	at := ParsePlace(place)
	fn, name := at.Of, at.Path
	if !c.function(p, fn) {
		return nil
	}
	f := c.functions[fn]
	i := slices.IndexFunc(f.Params, func(q model.Param) bool { return q.Name == name })
	if i < 0 {
		var names []string
		for _, q := range f.Params {
			names = append(names, q.Name)
		}
		p.Msg = fmt.Sprintf("%s has no parameter %q; it has %s", fn, name, strings.Join(names, ", "))
		c.bad(p)
		return nil
	}
	return &f.Params[i]
}

// path reports whether a place is function.param or struct.field, also of nested structs.
func (c *checker) path(place string) bool { return c.typeAt(place) != "" }

// typeAt is the C type at a place, "" if there is no such place.
func (c *checker) typeAt(place string) model.Type {
	at := ParsePlace(place)
	head, rest := at.Of, at.Path
	if rest == "" {
		return ""
	}
	if f := c.functions[head]; f != nil {
		for _, q := range f.Params {
			if q.Name == rest {
				return q.Type
			}
		}
		return ""
	}
	s := c.structs[head]
	if s == nil {
		return ""
	}
	if t := fieldType(s.Fields, rest); t != "" {
		return t
	}
	for _, v := range s.Variants {
		if t := fieldType(v.Fields, rest); t != "" {
			return t
		}
	}
	return ""
}

func fieldType(fs []model.Field, path string) model.Type {
	head, rest, nested := strings.Cut(path, ".")
	for _, f := range fs {
		switch {
		case f.Name == "" && f.Inner != nil:
			if t := fieldType(f.Inner.Fields, path); t != "" {
				return t
			}
		case f.Name == head && !nested:
			return f.Type
		case f.Name == head && f.Inner != nil:
			return fieldType(f.Inner.Fields, rest)
		}
	}
	return ""
}

func (c *checker) facts() {
	s, f := c.r.sources["facts.toml"], &c.r.Facts
	for _, l := range []struct {
		table string
		names []string
	}{{"context", f.Context.None}, {"device", f.Device.None}} {
		seen := map[string]bool{}
		for _, n := range l.names {
			p := s.item(l.table, n, "%s is listed twice", n)
			if seen[n] {
				c.bad(p)
			}
			seen[n] = true
			c.function(p, n)
		}
	}
	for _, k := range sortedKeys(f.Retains) {
		c.param(s.key("retains", k, ""), k)
	}
	for _, e := range f.Bitsets.Enums {
		if c.types[e] != "enum" {
			c.bad(s.item("bitsets", e, "no enum is named %q", e))
		}
	}
	for _, k := range sortedKeys(f.ParamType) {
		if !c.path(k) {
			c.bad(s.key("paramtype", k, "no parameter or field is named %q", k))
		}
		if e := f.ParamType[k]; c.types[e] != "enum" {
			c.bad(s.key("paramtype", k, "no enum is named %q", e))
		}
	}
	for _, k := range sortedKeys(f.Direction) {
		p := s.key("direction", k, "")
		q := c.param(p, k)
		if q == nil {
			continue
		}
		dir := f.Direction[k]
		t, err := q.Type.Parse()
		switch {
		case err == nil && t.Kind != model.Pointer && c.types[string(q.Type)] != "alias":
			p.Msg = fmt.Sprintf("%s is %s, which has no direction", k, q.Type)
			c.bad(p)
		case dir.Way == Text:
			c.param(p, ParsePlace(k).Sibling(dir.Length).String())
		}
	}
	for _, k := range sortedKeys(f.Callback) {
		p := s.key("callback", k, "no callback type, parameter or field is named %q", k)
		if c.types[k] != "callback" && !c.path(k) {
			c.bad(p)
		}
		if l := f.Callback[k].Lifetime; l.Life == Until && c.functions[l.End] != nil {
			if why := c.ends(k, l.End); why != "" {
				c.bad(s.key("callback", k, "%s does not end the registration of %s: %s", l.End, k, why))
			}
		} else if l.Life == Until {
			c.function(p, l.End)
		}
	}
	for _, k := range f.Strings.NoText {
		c.param(s.item("strings", k, ""), k)
	}
}

func (c *checker) docs() {
	s, d := c.r.sources["docs.toml"], &c.r.Docs
	files := map[string]bool{"handles": true, "enums": true, "enumnames": true, "structs": true,
		"unions": true, "consts": true, "result": true, "callbacks": true, "since": true}
	for _, k := range sortedKeys(d.Groups) {
		if !c.groups[k] {
			c.r.Warnings = append(c.r.Warnings,
				s.key("groups", k, "no function or type is in the group %q", k))
		}
		g := d.Groups[k]
		if g.Title == "" || g.File == "" || files[g.File] ||
			strings.Trim(g.File, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			c.bad(s.key("groups", k, "the group needs a title and a file of letters and digits that is "+
				"none of the generator's own"))
		}
	}
	for _, k := range sortedKeys(d.Functions) {
		c.function(s.key("functions", k, ""), k)
	}
	for _, k := range sortedKeys(d.Types) {
		if c.types[k] == "" {
			c.bad(s.key("types", k, "no type is named %q", k))
		}
	}
	for _, f := range c.m.Functions {
		if d.Functions[f.Name] == "" {
			c.missing("docs.toml", "[functions] lacks a text for %s", f.Name)
		}
		if g, ok := d.Groups[f.Group]; f.Group != "" && (!ok || g.File == "") {
			c.missing("docs.toml", "[groups] lacks %s, the group of %s", f.Group, f.Name)
		}
	}
	for _, e := range c.m.Enums {
		if d.Types[e.Name] == "" && !strings.Contains(e.Name, ".") {
			c.missing("docs.toml", "[types] lacks a text for %s", e.Name)
		}
	}
	for _, t := range c.m.Structs {
		if d.Types[t.Name] == "" {
			c.missing("docs.toml", "[types] lacks a text for %s", t.Name)
		}
	}
	for _, t := range c.m.Typedefs {
		if d.Types[t.Name] == "" && (t.Kind != "alias" || c.r.Lock.Go("type", t.Name) != "") &&
			!strings.Contains(t.Name, ".") {
			c.missing("docs.toml", "[types] lacks a text for %s", t.Name)
		}
	}
}

func (c *checker) errors() {
	s := c.r.sources["errors.toml"]
	for _, e := range c.m.Enums {
		if e.Name != c.r.Binding.Result {
			continue
		}
		codes := map[string]bool{}
		for _, v := range e.Values {
			codes[v.Name] = true
			t, ok := c.r.Errors[v.Name]
			switch {
			case v.Name == c.r.Binding.Success:
			case !ok:
				c.missing("errors.toml", "the result code %s lacks a text", v.Name)
			case t.Says == "" || t.Remedy == "":
				c.bad(s.key("", v.Name, "%s needs both says and remedy", v.Name))
			case t.Class != "" && t.Sticky:
				c.bad(s.key("", v.Name, "%s has a class, which says whether it is sticky", v.Name))
			default:
				if _, known := ClassOf(t.Class); !known {
					c.bad(s.key("", v.Name, "%s has the unknown class %q", v.Name, t.Class))
				}
			}
		}
		for _, k := range sortedKeys(c.r.Errors) {
			if !codes[k] {
				c.bad(s.key("", k, "%s has no code of that name", e.Name))
			}
		}
	}
}

package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Diff is what one release changed against another.
type Diff struct {
	API      string
	From, To string
	Sections []DiffSection // those with changes, in a fixed order
}

// DiffSection is the changes of one kind of entity. Each line is Markdown without its bullet.
type DiffSection struct {
	Title   string // "Functions"
	Noun    string // "function", for the summary
	Added   []string
	Removed []string
	Changed []string
}

// Compare reports what b adds, removes and changes compared with a.
func Compare(a, b Release) *Diff {
	d := &Diff{API: b.API, From: a.Name(), To: b.Name()}
	section(d, "Functions", "function", a.Functions, b.Functions,
		func(f Function) string { return f.Name },
		func(f Function) string { return "`" + f.C() + "`" + inGroup(f.Group) },
		func(f Function) string {
			if slices.Contains(b.Internal, f.Name) {
				return "`" + f.C() + "` (the library still has it, for old programs)"
			}
			return "`" + f.C() + "`"
		}, changedFunction)
	section(d, "Aliases", "alias", a.Aliases, b.Aliases, func(x Alias) string { return x.Name },
		aliasLine, aliasLine,
		func(x, y Alias) []string { return changed("stands for", x.Spans[0].Target, y.Spans[0].Target) })
	section(d, "Enums", "enum", a.Enums, b.Enums, func(e Enum) string { return e.Name },
		func(e Enum) string { return fmt.Sprintf("`%s`: %s", e.Name, valueList(e.Values)) },
		func(e Enum) string {
			return fmt.Sprintf("`%s` with %s", e.Name, count(len(e.Values), "value"))
		}, changedEnum)
	section(d, "Structs and unions", "struct", a.Structs, b.Structs,
		func(s Struct) string { return s.Name }, structLine, structLine, changedStruct)
	section(d, "Other types", "type", a.Typedefs, b.Typedefs, func(t Typedef) string { return t.Name },
		func(t Typedef) string { return "`" + t.C() + "`" },
		func(t Typedef) string { return "`" + t.C() + "`" },
		func(x, y Typedef) []string {
			lines := append(changed("", x.C(), y.C()), deprecation(x.Span, y.Span)...)
			if sameParams(x.Params, y.Params) {
				return append(renamedParams(x.Params, y.Params), deprecation(x.Span, y.Span)...)
			}
			return lines
		})
	section(d, "Constants", "constant", a.Consts, b.Consts, func(c Const) string { return c.Name },
		constLine, constLine,
		func(x, y Const) []string { return changed("", x.text(), y.text()) })
	return d
}

func section[T any](d *Diff, title, noun string, a, b []T, name func(T) string, added,
	removed func(T) string, differ func(x, y T) []string) {
	s := DiffSection{Title: title, Noun: noun}
	old, cur := map[string]T{}, map[string]T{}
	for _, it := range a {
		old[name(it)] = it
	}
	for _, it := range b {
		cur[name(it)] = it
	}
	for _, n := range slices.Sorted(maps.Keys(cur)) {
		o, ok := old[n]
		if !ok {
			s.Added = append(s.Added, added(cur[n]))
			continue
		}
		if lines := differ(o, cur[n]); len(lines) > 0 {
			s.Changed = append(s.Changed, "`"+n+"`: "+strings.Join(lines, "; "))
		}
	}
	for _, n := range slices.Sorted(maps.Keys(old)) {
		if _, ok := cur[n]; !ok {
			s.Removed = append(s.Removed, removed(old[n]))
		}
	}
	if len(s.Added)+len(s.Removed)+len(s.Changed) > 0 {
		d.Sections = append(d.Sections, s)
	}
}

// Empty reports whether nothing changed.
func (d *Diff) Empty() bool { return len(d.Sections) == 0 }

// Summary is one line with the numbers.
func (d *Diff) Summary() string {
	if d.Empty() {
		return fmt.Sprintf("%s %s and %s declare the same.", d.API, d.From, d.To)
	}
	var parts []string
	for _, s := range d.Sections {
		var ns []string
		for _, x := range []struct {
			n    int
			word string
		}{{len(s.Added), "added"}, {len(s.Removed), "removed"}, {len(s.Changed), "changed"}} {
			if x.n > 0 {
				ns = append(ns, fmt.Sprintf("%d %s", x.n, x.word))
			}
		}
		parts = append(parts, plural(s.Noun)+": "+strings.Join(ns, ", "))
	}
	return strings.Join(parts, "; ") + "."
}

// Markdown is the page for a maintainer.
func (d *Diff) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s to %s\n\n%s\n", d.API, d.From, d.To, d.Summary())
	for _, s := range d.Sections {
		fmt.Fprintf(&b, "\n## %s\n", s.Title)
		for _, part := range []struct {
			word  string
			lines []string
		}{{"Added", s.Added}, {"Removed", s.Removed}, {"Changed", s.Changed}} {
			if len(part.lines) == 0 {
				continue
			}
			fmt.Fprintf(&b, "\n%s (%d):\n\n", part.word, len(part.lines))
			for _, l := range part.lines {
				fmt.Fprintf(&b, "- %s\n", l)
			}
		}
	}
	return b.String()
}

// C is the function's declaration as C has it.
func (f *Function) C() string { return f.Ret.Declare(f.Name) + parameters(f.Params) }

// C is the typedef's declaration, without the word typedef.
func (t *Typedef) C() string {
	if t.Kind == "callback" {
		return t.Ret.Declare("(*"+t.Name+")") + parameters(t.Params)
	}
	return t.Name + " = " + string(t.Type)
}

func parameters(ps []Param) string {
	if len(ps) == 0 {
		return "(void)"
	}
	var out []string
	for _, p := range ps {
		out = append(out, p.Type.Declare(p.Name))
	}
	return "(" + strings.Join(out, ", ") + ")"
}

func changedFunction(x, y Function) []string {
	var lines []string
	if !samePrototype(&x, &y) {
		lines = changed("", x.C(), y.C())
	} else {
		lines = renamedParams(x.Params, y.Params)
	}
	return append(lines, deprecation(x.Span, y.Span)...)
}

// renamedParams compares the names of the parameters of one prototype.
func renamedParams(x, y []Param) []string {
	name := func(p Param) string { return p.Name }
	old, cur := mapped(x, name), mapped(y, name)
	if slices.Equal(old, cur) {
		return nil
	}
	if slices.Equal(slices.Sorted(slices.Values(old)), slices.Sorted(slices.Values(cur))) {
		return []string{fmt.Sprintf("parameters in another order: `%s`, was `%s`", parameters(y),
			parameters(x))}
	}
	var lines []string
	for i, n := range cur {
		if n != old[i] {
			lines = append(lines, fmt.Sprintf("parameter `%s` is called `%s`", old[i], n))
		}
	}
	return lines
}

func deprecation(x, y Span) []string {
	switch {
	case x.Deprecated == "" && y.Deprecated != "":
		return []string{"now deprecated"}
	case x.Deprecated != "" && y.Deprecated == "":
		return []string{"no longer deprecated"}
	}
	return nil
}

func changed(what, x, y string) []string {
	if x == y {
		return nil
	}
	if what != "" {
		what += " "
	}
	return []string{fmt.Sprintf("%s`%s`, was `%s`", what, y, x)}
}

func changedEnum(x, y Enum) []string {
	old, cur := map[string]int64{}, map[string]int64{}
	for _, v := range x.Values {
		old[v.Name] = v.Value
	}
	for _, v := range y.Values {
		cur[v.Name] = v.Value
	}
	names := map[int64]string{} // of enumerators that are gone
	for _, v := range x.Values {
		if _, ok := cur[v.Name]; !ok {
			names[v.Value] = v.Name
		}
	}
	var lines []string
	for _, v := range y.Values {
		switch o, ok := old[v.Name]; {
		case !ok && names[v.Value] != "":
			lines = append(lines, fmt.Sprintf("`%s` is called `%s`", names[v.Value], v.Name))
			cur[names[v.Value]] = v.Value
			delete(names, v.Value)
		case !ok:
			lines = append(lines, fmt.Sprintf("new `%s = %d`", v.Name, v.Value))
		case o != v.Value:
			lines = append(lines, fmt.Sprintf("`%s` is %d, was %d", v.Name, v.Value, o))
		}
	}
	for _, v := range x.Values {
		if _, ok := cur[v.Name]; !ok {
			lines = append(lines, fmt.Sprintf("gone `%s` (was %d)", v.Name, v.Value))
		}
	}
	if x.Signed != y.Signed {
		lines = append(lines, "its C type changed its sign")
	}
	if x.Wide != y.Wide {
		lines = append(lines, "its C type changed its size")
	}
	return append(lines, deprecation(x.Span, y.Span)...)
}

func changedStruct(x, y Struct) []string {
	var lines []string
	for i, l := range y.Layouts {
		if i >= len(x.Layouts) {
			break
		}
		if o := x.Layouts[i]; o.Size != l.Size || o.Align != l.Align {
			lines = append(lines, fmt.Sprintf("%d bytes aligned to %d on %s, was %d aligned to %d", l.Size,
				l.Align, l.Targets[0], o.Size, o.Align))
		}
	}
	if x.Union != y.Union {
		lines = append(lines, "struct became union or the other way round")
	}
	lines = append(lines, changedFields("", x.Layouts, y.Layouts, x.Fields, y.Fields)...)
	return append(lines, deprecation(x.Span, y.Span)...)
}

func changedFields(prefix string, la, lb []Layout, a, b []Field) []string {
	var lines []string
	index := func(fs []Field, f Field) int {
		return slices.IndexFunc(fs, func(o Field) bool {
			return o.Name == f.Name && (o.Inner == nil) == (f.Inner == nil || f.Name != "" && o.Inner == nil)
		})
	}
	renamed := map[int]bool{}
	for j, f := range b {
		i := index(a, f)
		if i < 0 {
			i = slices.IndexFunc(a, func(o Field) bool { // the same member under another name
				at := slices.IndexFunc(a, func(x Field) bool { return x.Name == o.Name })
				return f.Name != "" && o.Name != "" && index(b, o) < 0 && o.Type == f.Type &&
					o.Bits == f.Bits && o.BitOffset == f.BitOffset && len(la) > 0 && len(lb) > 0 &&
					la[0].Offsets[at] == lb[0].Offsets[j] && !renamed[at]
			})
			if i >= 0 {
				renamed[i] = true
				lines = append(lines, fmt.Sprintf("field `%s` is called `%s`", prefix+fieldName(a[i]),
					prefix+fieldName(f)))
				continue
			}
			lines = append(lines, fmt.Sprintf("new field `%s`", f.Type.Declare(prefix+fieldName(f))))
			continue
		}
		o := a[i]
		switch {
		case o.Type != f.Type:
			lines = append(lines, fmt.Sprintf("field `%s` is `%s`, was `%s`", prefix+fieldName(f), f.Type,
				o.Type))
		case o.Bits != f.Bits || o.BitOffset != f.BitOffset:
			lines = append(lines, fmt.Sprintf("field `%s` is bits %d+%d, was %d+%d", prefix+fieldName(f),
				f.BitOffset, f.Bits, o.BitOffset, o.Bits))
		}
		if len(la) > 0 && len(lb) > 0 && la[0].Offsets[i] != lb[0].Offsets[j] {
			lines = append(lines, fmt.Sprintf("field `%s` at %d, was %d", prefix+fieldName(f),
				lb[0].Offsets[j], la[0].Offsets[i]))
		}
		if o.Inner != nil && f.Inner != nil {
			lines = append(lines, changedFields(prefix+fieldName(f)+".", o.Inner.Layouts, f.Inner.Layouts,
				o.Inner.Fields, f.Inner.Fields)...)
		}
	}
	for i, f := range a {
		if index(b, f) < 0 && !renamed[i] {
			lines = append(lines, fmt.Sprintf("field `%s` is gone", f.Type.Declare(prefix+fieldName(f))))
		}
	}
	return lines
}

// fieldName is a field's name, or a stand-in for an unnamed member.
func fieldName(f Field) string {
	if f.Name == "" {
		return "(unnamed " + string(f.Type) + ")"
	}
	return f.Name
}

func inGroup(g string) string {
	if g == "" {
		return ""
	}
	return " in " + g
}

func aliasLine(a Alias) string {
	return fmt.Sprintf("`%s` stands for `%s`", a.Name, a.Spans[0].Target)
}

func structLine(s Struct) string {
	if len(s.Layouts) == 0 {
		return "`" + s.CName() + "`"
	}
	return fmt.Sprintf("`%s`: %s, %s", s.CName(), count(len(s.Fields), "field"),
		count(s.Layouts[0].Size, "byte"))
}

func constLine(c Const) string { return fmt.Sprintf("`%s` = `%s`", c.Name, c.text()) }

func (c Const) text() string {
	if c.Type != "" {
		return "(" + string(c.Type) + ")" + c.Value
	}
	return c.Value
}

func valueList(vs []EnumValue) string {
	var out []string
	for _, v := range vs {
		out = append(out, fmt.Sprintf("`%s = %d`", v.Name, v.Value))
	}
	return strings.Join(out, ", ")
}

func count(n int, noun string) string {
	if n != 1 {
		noun = plural(noun)
	}
	return fmt.Sprintf("%d %s", n, noun)
}

func plural(noun string) string {
	if strings.HasSuffix(noun, "s") {
		return noun + "es"
	}
	return noun + "s"
}

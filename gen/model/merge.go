package model

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// ErrMerge is wrapped by the error of a Merge of releases that don't belong together.
var ErrMerge = errors.New("releases can't be merged")

// Merge makes the union of releases of one API, oldest first. Each entity gets the versions that
// have it, the shape of the newest of them, and as variants the shapes that older ones had. Renamed
// parameters are not a variant of a function, and a function that no release declares publicly is
// left out.
func Merge(releases []Release) (*Model, error) {
	if err := mergeable(releases); err != nil {
		return nil, err
	}
	m := &Model{API: releases[0].API, Targets: releases[0].Targets}
	for _, r := range releases {
		m.Versions = append(m.Versions, r.Versions[0])
	}
	g := &merger{releases: releases}
	for _, v := range m.Versions {
		g.versions = append(g.versions, v.Name)
	}
	m.Functions = g.functions()
	m.Enums = g.enums()
	m.Structs = g.structs()
	m.Typedefs = g.typedefs()
	m.Consts = g.consts()
	m.Aliases = g.aliases()
	return m, nil
}

func mergeable(rs []Release) error {
	if len(rs) == 0 {
		return fmt.Errorf("%w: none given", ErrMerge)
	}
	for i, r := range rs {
		if len(r.Versions) != 1 {
			return fmt.Errorf("%w: a release has one version, not %d; take one out with View", ErrMerge,
				len(r.Versions))
		}
		if r.API != rs[0].API {
			return fmt.Errorf("%w: %s is of %s, %s of %s", ErrMerge, rs[0].Name(), rs[0].API, r.Name(),
				r.API)
		}
		if !slices.Equal(r.Targets, rs[0].Targets) {
			return fmt.Errorf("%w: %s has layouts for %v, %s for %v; parse both anew", ErrMerge,
				rs[0].Name(), rs[0].Targets, r.Name(), r.Targets)
		}
		if i > 0 && CompareVersions(rs[i-1].Name(), r.Name()) >= 0 {
			return fmt.Errorf("%w: %s comes after %s: oldest first, each once", ErrMerge, r.Name(),
				rs[i-1].Name())
		}
	}
	return nil
}

type merger struct {
	releases []Release
	versions []string
}

// track is one entity through the versions: at[i] is nil where version i lacks it.
type track[T any] struct {
	name string
	at   []*T
}

// last is the position of the newest version that has it.
func (t track[T]) last() int {
	i := len(t.at) - 1
	for t.at[i] == nil {
		i--
	}
	return i
}

// newest is the entity as the newest version with it declares it.
func (t track[T]) newest() *T { return t.at[t.last()] }

// first is the position of the oldest version that has it.
func (t track[T]) first() int { return slices.IndexFunc(t.at, func(p *T) bool { return p != nil }) }

// tracks follows the entities of one section through the versions. spanOf is nil where they have no
// Span.
func tracks[T any](g *merger, list func(*Model) []T, name func(*T) string,
	spanOf func(*T) Span) []track[T] {
	byName := map[string][]*T{}
	for i, r := range g.releases {
		items := list(r.Model)
		for j := range items {
			n := name(&items[j])
			if byName[n] == nil {
				byName[n] = make([]*T, len(g.releases))
			}
			byName[n][i] = &items[j]
		}
	}
	out := make([]track[T], 0, len(byName))
	for _, n := range slices.Sorted(maps.Keys(byName)) {
		t := track[T]{n, byName[n]}
		if spanOf != nil {
			carry(g, t.at, spanOf)
		}
		out = append(out, t)
	}
	return out
}

// carry fills a track in where a release lacks the optional header that declares the entity: there
// it is what it was in the release before, or what the next one with the header declares if the
// header is that old.
func carry[T any](g *merger, at []*T, spanOf func(*T) Span) {
	header := ""
	for _, p := range at {
		if p != nil && spanOf(p).Header != "" {
			header = spanOf(p).Header
		}
	}
	if header == "" {
		return
	}
	for i, p := range at {
		if p != nil || !g.lacks(i, header) {
			continue
		}
		if next := g.oldHeader(i, header); i > 0 && at[i-1] != nil {
			at[i] = at[i-1]
		} else if next > 0 {
			at[i] = at[next]
		}
	}
}

func (g *merger) lacks(i int, header string) bool {
	return slices.Contains(g.releases[i].Versions[0].Lacks, header)
}

// oldHeader is the release after the i-th that has an optional header, if by the vendor's tables
// all functions that this declares are as old as the i-th; else 0.
func (g *merger) oldHeader(i int, header string) int {
	for next := i + 1; next < len(g.releases); next++ {
		if g.lacks(next, header) {
			continue
		}
		found := false
		for _, f := range g.releases[next].Functions {
			if f.Header != header {
				continue
			}
			if found = true; CompareVersions(f.Since, g.versions[i]) > 0 {
				return 0
			}
		}
		if found {
			return next
		}
		return 0
	}
	return 0
}

// span returns the versions in which a track has its entity.
func span[T any](g *merger, at []*T, spanOf func(*T) Span) Span {
	var s Span
	last, gap := -1, -1
	deprecated := ""
	for i, p := range at {
		if p == nil {
			if last >= 0 && gap < 0 {
				gap = i
			}
			continue
		}
		if s.Since == "" {
			s.Since = g.versions[i]
		}
		if gap >= 0 {
			s.Absent = append(s.Absent, Range{g.versions[gap], g.versions[i-1]})
			gap = -1
		}
		switch dep := spanOf(p).Deprecated; {
		case dep == "" && deprecated != "": // taken back
			s.WasDeprecated = append(s.WasDeprecated, Range{deprecated, g.versions[last]})
			deprecated = ""
		case dep != "" && deprecated == "":
			deprecated = g.versions[i]
		}
		last = i
	}
	if last >= 0 && last < len(at)-1 {
		s.Removed = g.versions[last+1]
	}
	s.Deprecated = deprecated
	s.Header = spanOf(track[T]{at: at}.newest()).Header
	return s
}

// run is a range of versions in which an entity has one shape; shape is that of the newest.
type run[T any] struct {
	from, to string
	shape    *T
}

// runs splits a track where the shape changes. The last one is the current shape; those before it
// are variants.
func runs[T any](g *merger, at []*T, same func(a, b *T) bool) []run[T] {
	var out []run[T]
	for i, p := range at {
		switch n := len(out); {
		case p == nil:
		case n > 0 && same(out[n-1].shape, p):
			out[n-1].to, out[n-1].shape = g.versions[i], p
		default:
			out = append(out, run[T]{g.versions[i], g.versions[i], p})
		}
	}
	return out
}

func (g *merger) functions() []Function {
	var out []Function
	for _, t := range tracks(g, func(m *Model) []Function { return m.Functions },
		func(f *Function) string { return f.Name },
		func(f *Function) Span { return f.Span }) {
		f := *t.newest()
		f.Span = span(g, t.at, func(f *Function) Span { return f.Span })
		f.Since, f.Exact = g.introduced(t)
		f.Internal = g.internal(t)
		f.Variants = nil
		rs := runs(g, t.at, samePrototype)
		f.Params = renamed(g, t.at, f.Params, rs[len(rs)-1].from,
			func(f *Function) []Param { return f.Params })
		for _, r := range rs[:len(rs)-1] {
			f.Variants = append(f.Variants, Prototype{r.from, r.to, r.shape.Ret, r.shape.Params})
		}
		out = append(out, f)
	}
	return out
}

// introduced is the first version with the function. A version from a vendor's table is used if no
// header contradicts it: the table's version is older than the first header with the function and
// newer than the last header before that. It is exact where a table names the oldest header.
func (g *merger) introduced(t track[Function]) (since string, exact bool) {
	first := t.first()
	since = g.versions[first]
	for _, f := range t.at {
		if f != nil && f.Since != "" && CompareVersions(f.Since, since) < 0 &&
			(first == 0 || CompareVersions(f.Since, g.versions[first-1]) > 0) {
			since = f.Since
		}
	}
	for _, f := range t.at { // one that was carried from the oldest release knows no more than that
		exact = exact || f != nil && since == g.versions[0] && f.Since == since &&
			(f.Exact || f != t.at[0])
	}
	return since, exact
}

// internal is the first version after the last public one whose internal view still declares the
// function.
func (g *merger) internal(t track[Function]) string {
	for i := t.last() + 1; i < len(t.at); i++ {
		if _, ok := slices.BinarySearch(g.releases[i].Internal, t.name); ok {
			return g.versions[i]
		}
	}
	return ""
}

func samePrototype(a, b *Function) bool { return a.Ret == b.Ret && sameParams(a.Params, b.Params) }

// renamed notes the names that parameters had in older headers, since the prototype is what it is.
// The newest name stays.
func renamed[T any](g *merger, at []*T, params []Param, from string,
	of func(*T) []Param) []Param {
	params = slices.Clone(params)
	for i := range params {
		params[i].Was = nil
		for j, f := range at {
			if f == nil || CompareVersions(g.versions[j], from) < 0 {
				continue
			}
			name := of(f)[i].Name
			switch n := len(params[i].Was); {
			case name == params[i].Name:
			case n > 0 && params[i].Was[n-1].Name == name:
				params[i].Was[n-1].To = g.versions[j]
			default:
				params[i].Was = append(params[i].Was, Former{name, g.versions[j]})
			}
		}
	}
	return params
}

// sameParams compares types only: a parameter's name is no part of a C prototype.
func sameParams(a, b []Param) bool {
	return slices.EqualFunc(a, b, func(a, b Param) bool { return a.Type == b.Type })
}

func (g *merger) enums() []Enum {
	var out []Enum
	for _, t := range tracks(g, func(m *Model) []Enum { return m.Enums },
		func(e *Enum) string { return e.Name },
		func(e *Enum) Span { return e.Span }) {
		e := *t.newest()
		e.Span = span(g, t.at, func(e *Enum) Span { return e.Span })
		over := slices.ContainsFunc(t.at, func(e *Enum) bool { return e != nil && e.unsigned64() })
		e.Values = nil
		for _, name := range valueOrder(t.at) {
			e.Values = append(e.Values, g.value(t.at, name))
		}
		e.Fit(over)
		out = append(out, e)
	}
	return out
}

// valueOrder is the newest header's order; names that only older headers have follow the name that
// they followed there.
func valueOrder(at []*Enum) []string {
	var order []string
	seen := map[string]bool{}
	for i := len(at) - 1; i >= 0; i-- {
		if at[i] == nil {
			continue
		}
		pos := 0
		for _, v := range at[i].Values {
			if seen[v.Name] {
				pos = slices.Index(order, v.Name) + 1
				continue
			}
			seen[v.Name] = true
			order = slices.Insert(order, pos, v.Name)
			pos++
		}
	}
	return order
}

func (g *merger) value(enums []*Enum, name string) EnumValue {
	at := make([]*EnumValue, len(enums))
	for i, e := range enums {
		if e == nil {
			continue
		}
		if j := slices.IndexFunc(e.Values, func(v EnumValue) bool { return v.Name == name }); j >= 0 {
			at[i] = &e.Values[j]
		}
	}
	rs := runs(g, at, func(a, b *EnumValue) bool { return a.Value == b.Value })
	v := EnumValue{Name: name, Value: rs[len(rs)-1].shape.Value,
		Span: span(g, at, func(v *EnumValue) Span { return v.Span })}
	for _, r := range rs[:len(rs)-1] {
		v.Variants = append(v.Variants, ValueVariant{r.from, r.to, r.shape.Value})
	}
	return v
}

func (g *merger) structs() []Struct {
	var out []Struct
	for _, t := range tracks(g, func(m *Model) []Struct { return m.Structs },
		func(s *Struct) string { return s.Name },
		func(s *Struct) Span { return s.Span }) {
		s := *t.newest()
		s.Span = span(g, t.at, func(s *Struct) Span { return s.Span })
		s.Fields = g.fields(t)
		s.Variants = nil
		rs := runs(g, t.at, sameBody)
		for _, r := range rs[:len(rs)-1] {
			s.Variants = append(s.Variants,
				StructVariant{r.from, r.to, r.shape.Union, r.shape.Layouts, r.shape.Fields})
		}
		out = append(out, s)
	}
	return out
}

// fields are the newest fields, each with the version since when the struct has had it without a
// break, if that isn't the struct's own.
func (g *merger) fields(t track[Struct]) []Field {
	fields := slices.Clone(t.newest().Fields)
	for i := range fields {
		since := ""
		for j := t.last(); j >= 0; j-- {
			if s := t.at[j]; s != nil {
				if !slices.ContainsFunc(s.Fields, func(f Field) bool {
					return f.Name == fields[i].Name && (f.Name != "" || f.Inner != nil)
				}) {
					break
				}
				since = g.versions[j]
			}
		}
		if since != g.versions[t.first()] {
			fields[i].Since = since
		}
	}
	return fields
}

func sameBody(a, b *Struct) bool {
	return a.Union == b.Union && slices.EqualFunc(a.Layouts, b.Layouts, sameLayout) &&
		slices.EqualFunc(a.Fields, b.Fields, sameField)
}

func sameLayout(a, b Layout) bool {
	return a.Size == b.Size && a.Align == b.Align && slices.Equal(a.Targets, b.Targets) &&
		slices.Equal(a.Offsets, b.Offsets)
}

func sameField(a, b Field) bool {
	if a.Name != b.Name || a.Type != b.Type || a.Align != b.Align || a.Bits != b.Bits ||
		a.BitOffset != b.BitOffset || (a.Inner == nil) != (b.Inner == nil) {
		return false
	}
	return a.Inner == nil || a.Inner.Tag == b.Inner.Tag && sameBody(a.Inner, b.Inner)
}

func (g *merger) typedefs() []Typedef {
	var out []Typedef
	for _, t := range tracks(g, func(m *Model) []Typedef { return m.Typedefs },
		func(t *Typedef) string { return t.Name },
		func(t *Typedef) Span { return t.Span }) {
		d := *t.newest()
		d.Span = span(g, t.at, func(t *Typedef) Span { return t.Span })
		d.Variants = nil
		rs := runs(g, t.at, func(a, b *Typedef) bool {
			return a.Kind == b.Kind && a.Type == b.Type && a.Ret == b.Ret && sameParams(a.Params, b.Params)
		})
		d.Params = renamed(g, t.at, d.Params, rs[len(rs)-1].from,
			func(t *Typedef) []Param { return t.Params })
		for _, r := range rs[:len(rs)-1] {
			d.Variants = append(d.Variants,
				TypedefVariant{r.from, r.to, r.shape.Kind, r.shape.Type, r.shape.Ret, r.shape.Params})
		}
		out = append(out, d)
	}
	return out
}

func (g *merger) consts() []Const {
	var out []Const
	for _, t := range tracks(g, func(m *Model) []Const { return m.Consts },
		func(c *Const) string { return c.Name },
		func(c *Const) Span { return c.Span }) {
		c := *t.newest()
		c.Span = span(g, t.at, func(c *Const) Span { return c.Span })
		c.Variants = nil
		rs := runs(g, t.at, func(a, b *Const) bool {
			return a.Kind == b.Kind && a.Value == b.Value && a.Type == b.Type
		})
		for _, r := range rs[:len(rs)-1] {
			c.Variants = append(c.Variants,
				ConstVariant{r.from, r.to, r.shape.Kind, r.shape.Value, r.shape.Type})
		}
		out = append(out, c)
	}
	return out
}

func (g *merger) aliases() []Alias {
	var out []Alias
	for _, t := range tracks(g, func(m *Model) []Alias { return m.Aliases },
		func(a *Alias) string { return a.Name }, nil) {
		a := Alias{Name: t.name, Kind: t.newest().Kind}
		gone := true
		for i, p := range t.at {
			if p == nil || len(p.Spans) == 0 || p.Kind != a.Kind {
				gone = true
				continue
			}
			target := p.Spans[0].Target
			if n := len(a.Spans); !gone && a.Spans[n-1].Target == target {
				a.Spans[n-1].To = g.versions[i]
			} else {
				a.Spans = append(a.Spans, AliasSpan{g.versions[i], g.versions[i], target})
			}
			gone = false
		}
		out = append(out, a)
	}
	return out
}

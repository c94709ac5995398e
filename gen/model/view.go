package model

import (
	"errors"
	"fmt"
	"slices"
)

// ErrVersion is wrapped by the error of a View of a version that the model doesn't have.
var ErrVersion = errors.New("no such version in the model")

// View returns the model of one version: what its header declared, in the shapes it had. Since and
// Deprecated are the version's own name, but a function's Since that came from a vendor's table
// stays.
func (m *Model) View(version string) (*Model, error) {
	i := slices.IndexFunc(m.Versions, func(v Version) bool { return v.Name == version })
	if i < 0 {
		return nil, fmt.Errorf("%w: %s; it has %s", ErrVersion, version, m.versionList())
	}
	out := &Model{API: m.API, Versions: []Version{m.Versions[i]}, Targets: slices.Clone(m.Targets)}
	w := &viewer{m: m, v: version}
	out.Functions = w.functions()
	out.Enums = w.enums()
	out.Structs = w.structs()
	out.Typedefs = w.typedefs()
	out.Consts = w.consts()
	out.Aliases = w.aliases()
	return out, nil
}

// Release is View with the symbols that only the internal view of that version declares, ready to
// be merged again.
func (m *Model) Release(version string) (Release, error) {
	view, err := m.View(version)
	if err != nil {
		return Release{}, err
	}
	r := Release{Model: view}
	for _, f := range m.Functions {
		if f.Internal != "" && CompareVersions(f.Internal, version) <= 0 && !f.Has(version) {
			r.Internal = append(r.Internal, f.Name)
		}
	}
	return r, nil
}

func (m *Model) versionList() string {
	if n := len(m.Versions); n > 0 {
		return m.Versions[0].Name + " to " + m.Versions[n-1].Name
	}
	return "none"
}

// Has reports whether the version named has the entity.
func (s Span) Has(version string) bool {
	if CompareVersions(version, s.Since) < 0 || s.Removed != "" &&
		CompareVersions(version, s.Removed) >= 0 {
		return false
	}
	return !slices.ContainsFunc(s.Absent, func(r Range) bool { return Within(version, r.From, r.To) })
}

// DeprecatedIn reports whether the version named marks the entity deprecated.
func (s Span) DeprecatedIn(version string) bool {
	return s.Deprecated != "" && CompareVersions(s.Deprecated, version) <= 0 ||
		slices.ContainsFunc(s.WasDeprecated, func(r Range) bool { return Within(version, r.From, r.To) })
}

// Within reports whether a version lies in a stretch, to which both ends belong.
func Within(version, from, to string) bool {
	return CompareVersions(version, from) >= 0 && CompareVersions(version, to) <= 0
}

// variant finds the stretch that covers a version; nil for the newest form.
func variant[T any](version string, vs []T, stretch func(*T) (from, to string)) *T {
	for i := range vs {
		if from, to := stretch(&vs[i]); Within(version, from, to) {
			return &vs[i]
		}
	}
	return nil
}

// At returns a function's result and parameters in a version.
func (f *Function) At(version string) (ret Type, params []Param) {
	if v := variant(version, f.Variants,
		func(v *Prototype) (string, string) { return v.From, v.To }); v != nil {
		return v.Ret, v.Params
	}
	return f.Ret, namedAt(f.Params, version)
}

// namedAt gives parameters the names of a version.
func namedAt(params []Param, version string) []Param {
	params = slices.Clone(params)
	for i, p := range params {
		params[i].Was = nil
		for _, w := range slices.Backward(p.Was) {
			if CompareVersions(version, w.To) <= 0 {
				params[i].Name = w.Name
			}
		}
	}
	return params
}

// At returns what a typedef was in a version, for as long as it was that; without From and To if
// that is its newest form.
func (t *Typedef) At(version string) TypedefVariant {
	if v := variant(version, t.Variants,
		func(v *TypedefVariant) (string, string) { return v.From, v.To }); v != nil {
		return *v
	}
	return TypedefVariant{Kind: t.Kind, Type: t.Type, Ret: t.Ret, Params: namedAt(t.Params, version)}
}

type viewer struct {
	m *Model
	v string
}

// span is what one version's header says: the entity is there, and deprecated or not.
func (w *viewer) span(s Span) Span {
	out := Span{Since: w.v, Header: s.Header}
	if s.DeprecatedIn(w.v) {
		out.Deprecated = w.v
	}
	return out
}

// filtered keeps what the version has and shapes it.
func filtered[T any](w *viewer, items []T, spanOf func(*T) *Span, shape func(*T)) []T {
	var out []T
	for _, it := range items {
		s := spanOf(&it)
		if !s.Has(w.v) {
			continue
		}
		shape(&it)
		*spanOf(&it) = w.span(*s)
		out = append(out, it)
	}
	return out
}

func (w *viewer) functions() []Function {
	out := filtered(w, w.m.Functions, func(f *Function) *Span { return &f.Span }, func(f *Function) {
		f.Ret, f.Params = f.At(w.v)
		f.Variants, f.Internal = nil, ""
	})
	known := map[string]bool{}
	for _, v := range w.m.Versions {
		known[v.Name] = true
	}
	since, exact := map[string]string{}, map[string]bool{}
	for _, f := range w.m.Functions {
		exact[f.Name] = f.Exact
		if !known[f.Since] {
			since[f.Name] = f.Since
		}
	}
	for i := range out {
		if s := since[out[i].Name]; s != "" {
			out[i].Since = s
		}
		out[i].Exact = exact[out[i].Name] && w.v == w.m.Versions[0].Name
	}
	return out
}

func (w *viewer) enums() []Enum {
	return filtered(w, w.m.Enums, func(e *Enum) *Span { return &e.Span }, func(e *Enum) {
		over := e.unsigned64()
		e.Values = filtered(w, e.Values, func(v *EnumValue) *Span { return &v.Span }, func(v *EnumValue) {
			if x := variant(w.v, v.Variants,
				func(v *ValueVariant) (string, string) { return v.From, v.To }); x != nil {
				v.Value = x.Value
			}
			v.Variants = nil
		})
		e.Fit(over)
	})
}

func (w *viewer) structs() []Struct {
	return filtered(w, w.m.Structs, func(s *Struct) *Span { return &s.Span }, func(s *Struct) {
		if v := variant(w.v, s.Variants,
			func(v *StructVariant) (string, string) { return v.From, v.To }); v != nil {
			s.Union, s.Layouts, s.Fields = v.Union, v.Layouts, v.Fields
		}
		s.Variants = nil
		s.Fields = mapped(s.Fields, func(f Field) Field { f.Span = Span{}; return f })
	})
}

func (w *viewer) typedefs() []Typedef {
	return filtered(w, w.m.Typedefs, func(t *Typedef) *Span { return &t.Span }, func(t *Typedef) {
		v := t.At(w.v)
		t.Kind, t.Type, t.Ret, t.Params = v.Kind, v.Type, v.Ret, v.Params
		t.Variants = nil
	})
}

func (w *viewer) consts() []Const {
	return filtered(w, w.m.Consts, func(c *Const) *Span { return &c.Span }, func(c *Const) {
		if v := variant(w.v, c.Variants,
			func(v *ConstVariant) (string, string) { return v.From, v.To }); v != nil {
			c.Kind, c.Value, c.Type = v.Kind, v.Value, v.Type
		}
		c.Variants = nil
	})
}

func (w *viewer) aliases() []Alias {
	var out []Alias
	for _, a := range w.m.Aliases {
		for _, s := range a.Spans {
			if Within(w.v, s.From, s.To) {
				out = append(out, Alias{a.Name, a.Kind, []AliasSpan{{w.v, w.v, s.Target}}})
			}
		}
	}
	return out
}

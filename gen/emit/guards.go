package emit

import (
	"fmt"
	"slices"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/internal/versions"
)

// guard says for which versions of the library a function may be called, because a struct that it
// takes has another layout in others. The version is checked when the function is looked up.
type guard struct {
	of    string // the struct's C name
	from  string // as the library counts
	below string // "" for no end
}

// guard finds the functions that need one.
func (p *calls) guard() error {
	for _, f := range p.funcs {
		of, from := p.layoutSince(f.Function)
		g := &guard{of: of, from: p.libraryVersion(from)}
		if p.Rules.Binding.Layouts.Majors {
			g = p.guardMajors(f.Function, of, from)
		}
		if g == nil || g.of == "" {
			continue
		}
		v := &p.Rules.Binding.Library.Version
		if v.Function == "" || v.Differs {
			return fmt.Errorf("specs/%s.toml: %s takes %s, whose layout before %s is another one, and "+
				"[library.version] does not tell which the library has; if older libraries are right "+
				"with the newer layout, say why in [layouts.grown] or [layouts.moved]", p.Rules.API, f.Name,
				g.of, g.from)
		}
		f.guard = g
	}
	for table, reasons := range map[string]map[string]string{
		"grown": p.Rules.Binding.Layouts.Grown, "moved": p.Rules.Binding.Layouts.Moved} {
		for _, of := range slices.Sorted(keys(reasons)) {
			if !p.differed[of] {
				return fmt.Errorf("specs/%s.toml: [layouts.%s] %s: no function takes it in a release that "+
					"lays it out otherwise; remove the line", p.Rules.API, table, of)
			}
		}
	}
	return nil
}

// layoutSince is the first version whose layouts of all structs that a function takes are those of
// the newest version with the function, and a struct that is different before; "" if none is.
func (p *calls) layoutSince(f *model.Function) (of, since string) {
	newest := p.last(f.Span)
	cur := prototypeAt(f, newest)
	for i := len(p.Model.Versions) - 1; i >= 0; i-- {
		v := p.Model.Versions[i].Name
		if !f.Has(v) || p.Rules.Binding.Missing[f.Name].Lacks(v) {
			continue
		}
		old := prototypeAt(f, v)
		if len(old) != len(cur) { // another function, in effect; its doc comment shows it
			return "", ""
		}
		for j := range cur {
			if of := p.differs(old[j], cur[j], v, newest, map[string]bool{}); of != "" {
				return of, since
			}
		}
		since = v
	}
	return "", ""
}

// prototypeAt lists the types of a function's parameters in a version, and that of its result.
func prototypeAt(f *model.Function, version string) []model.Type {
	ret, params := f.At(version)
	types := []model.Type{ret}
	for _, q := range params {
		types = append(types, q.Type)
	}
	return types
}

// differs finds a struct behind a type, or behind a pointer in one, that an older version lays out
// so that its library and the newest layout do not fit together; C may also pass it to a callback.
// A member that is a struct itself counts as a part of the one around it, which has room for it at
// the same place or not.
func (p *calls) differs(old, cur model.Type, was, now string, seen map[string]bool) string {
	a, b := pointee(old), pointee(cur)
	if seen[b] {
		return ""
	}
	seen[b] = true
	if x, y := p.sizes.typedefs[a], p.sizes.typedefs[b]; x != nil && y != nil && y.Kind == "callback" {
		return p.callbackDiffers(x.At(was).Params, y.At(now).Params, was, now, seen)
	}
	s, t := p.sizes.structOf(a, was), p.sizes.structOf(b, now)
	if s == nil || t == nil {
		return ""
	}
	why := map[change]map[string]string{grown: p.Rules.Binding.Layouts.Grown,
		moved: p.Rules.Binding.Layouts.Moved}
	c := p.sizes.compare(s, t, was, now)
	if c != same {
		p.differed[b], p.differed[t.Name] = true, true
	}
	if c != same && why[c][b] == "" && why[c][t.Name] == "" {
		return b
	}
	return p.insideDiffers(s, t, was, now, seen)
}

// callbackDiffers looks at what C passes to a callback.
func (p *calls) callbackDiffers(old, cur []model.Param, was, now string,
	seen map[string]bool) string {
	if len(old) != len(cur) {
		return ""
	}
	for i := range cur {
		if of := p.differs(old[i].Type, cur[i].Type, was, now, seen); of != "" {
			return of
		}
	}
	return ""
}

// insideDiffers looks behind the pointers in a struct.
func (p *calls) insideDiffers(s, t *model.Struct, was, now string, seen map[string]bool) string {
	before := map[string]model.Type{}
	for _, l := range p.sizes.leaves(s, was) {
		before[l.path] = l.typ
	}
	for _, l := range p.sizes.leaves(t, now) {
		if before[l.path] == "" || l.typ == "" {
			continue
		}
		of := ""
		if base(l.typ) == "" {
			of = p.differs(before[l.path], l.typ, was, now, seen)
		} else if a, b := p.sizes.structOf(base(before[l.path]), was),
			p.sizes.structOf(base(l.typ), now); a != nil && b != nil {
			of = p.insideDiffers(a, b, was, now, seen)
		}
		if of != "" {
			return of
		}
	}
	return ""
}

// pointee is the name of the type behind all pointers and arrays.
func pointee(t model.Type) string {
	c, err := t.Parse()
	if err != nil {
		return ""
	}
	for c.Kind != model.Named {
		c = c.Elem
	}
	return c.Name
}

// libraryVersion is a version as the library counts: by its number if it tells one, without what
// follows the minor version, in which builds of one release differ.
func (p spec) libraryVersion(name string) string {
	text, told := name, &p.Rules.Binding.Library.Version
	for _, v := range p.Model.Versions {
		if v.Name == name && told.Reads == "number" {
			text = versions.Parts(v.Number, told.Format)
		}
	}
	return versions.First(text, 2)
}

package emit

import (
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

// A C name can stand for different types in different versions: a struct that grows, a union that
// becomes an alias, a typedef that moves on. The plain Go name belongs to one of the meanings for
// good. An entity that only older headers have is bound with the types that it had there.

// meaning is what a type name stands for in a stretch of versions, where that differs from what it
// stands for in the newest.
type meaning struct {
	from, to string
	resolve  func() *gtype
}

// part is a stretch of versions in which a C struct is one Go type.
type part struct {
	key    string // the C name in the lock: that of the struct, or "name@version"
	from   string // "" for the first
	to     string // the newest version with this layout
	newest bool
	shape  *model.Struct // as the newest version of the stretch lays it out
}

// atVersion is the key of a C name as the versions from v on mean it.
func atVersion(c, v string) string { return c + "@" + v }

// parts splits a struct where a rule says that a new layout has a new Go name.
func (p *typing) parts(s *model.Struct) []part {
	var starts []string
	for k := range p.Rules.Binding.Names {
		if c, v, ok := strings.Cut(k, "@"); ok && c == s.Name {
			starts = append(starts, v)
		}
	}
	slices.SortFunc(starts, model.CompareVersions)
	var out []part
	begin := ""
	for i := 0; i <= len(starts); i++ {
		t := part{key: s.Name, from: begin, newest: i == len(starts)}
		if i > 0 {
			t.key = atVersion(s.Name, begin)
		}
		for _, v := range p.Model.Versions {
			if s.Has(v.Name) && (begin == "" || model.CompareVersions(v.Name, begin) >= 0) &&
				(t.newest || model.CompareVersions(v.Name, starts[i]) < 0) {
				t.to = v.Name
			}
		}
		if t.to != "" {
			t.shape = structAt(s, t.to)
			out = append(out, t)
		}
		if !t.newest {
			begin = starts[i]
		}
	}
	return out
}

// structAt is a struct as a version lays it out, with the variants before.
func structAt(s *model.Struct, version string) *model.Struct {
	for i, v := range s.Variants {
		if model.Within(version, v.From, v.To) {
			o := *s
			o.Union, o.Layouts, o.Fields, o.Variants = v.Union, v.Layouts, v.Fields, s.Variants[:i]
			return &o
		}
	}
	return s
}

// olderLayouts notes what a struct was in versions that a Go type of the newest layout would be
// wrong for.
func (p *typing) olderLayouts(s *model.Struct, t part) {
	for _, v := range t.shape.Variants {
		if t.from != "" && model.CompareVersions(v.From, t.from) < 0 ||
			p.sizes.compare(structAt(s, v.To), t.shape, v.To, t.to) != moved {
			continue
		}
		p.older(s.Name, v.From, v.To, structAt(s, v.To))
	}
}

// older notes an older meaning of a name, which is a struct. It becomes a Go type when something is
// found that uses it.
func (p *typing) older(name, from, to string, shape *model.Struct) {
	var made *gtype
	p.res.dated[name] = append(p.res.dated[name], meaning{from, to, func() *gtype {
		if made == nil {
			made = p.olderStruct(name, to, shape)
		}
		return made
	}})
}

// olderStruct makes the Go type of a struct as it was up to a version.
func (p *typing) olderStruct(name, to string, shape *model.Struct) *gtype {
	key := p.olderKey(name, to, structShape(shape))
	g, err := p.namer.name("type", key,
		p.namer.typ(name)+"Until"+strings.ReplaceAll(to, ".", ""), "Struct")
	if err != nil {
		p.fail(err)
		return nil
	}
	s := newStructure(shape, key, g)
	s.until = to
	p.olderStructs = append(p.olderStructs, s)
	p.fail(p.layoutStruct(s, to))
	return s.typ
}

// olderKey is the key of an older meaning in the lock: by its last version, or, if a header that
// was read since has made that another one, the one with the same shape.
func (p *typing) olderKey(c, to, shape string) string {
	key := atVersion(c, to)
	if p.Rules.Lock.Go("type", key) != "" {
		return key
	}
	for _, l := range p.Rules.Lock.Names {
		free := p.namer.goOf[[2]string{"type", l.C}] == ""
		if l.Kind == "type" && l.Shape == shape && strings.HasPrefix(l.C, c+"@") && free {
			return l.C
		}
	}
	return key
}

// fail keeps the first error of a type that was made because something used it.
func (p *typing) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// last is the newest version that has an entity.
func (p spec) last(s model.Span) string {
	last := ""
	for _, v := range p.Model.Versions {
		if s.Has(v.Name) {
			last = v.Name
		}
	}
	return last
}

// later is the typedef that a name of a struct or an enum is in newer versions, nil if none.
func (p *typing) later(name string, s model.Span) *model.Typedef {
	i := slices.IndexFunc(p.Model.Typedefs, func(t model.Typedef) bool {
		return t.Name == name && s.Removed != "" && (t.Removed == "" ||
			model.CompareVersions(s.Removed, t.Removed) < 0)
	})
	if i < 0 {
		return nil
	}
	return &p.Model.Typedefs[i]
}

// keepsName reports whether the plain Go name of a C name belongs to an older struct, and not to
// what the name means in newer versions: the lock has it for that struct.
func (p *typing) keepsName(name string, shape *model.Struct) bool {
	return p.lockedShape(name) == structShape(shape)
}

// namedOlder makes a Go type of a struct that has the plain Go name, though newer versions mean
// something else by its C name.
func (p *typing) namedOlder(s *model.Struct) error {
	g, err := p.namer.name("type", s.Name, p.namer.typ(s.Name), "Params", "Struct")
	if err != nil {
		return err
	}
	st := newStructure(s, s.Name, g)
	st.until = p.last(s.Span)
	p.olderStructs = append(p.olderStructs, st)
	p.res.dated[s.Name] = append(p.res.dated[s.Name],
		meaning{s.Since, st.until, func() *gtype { return st.typ }})
	return nil
}

func (p *typing) lockedShape(c string) string {
	i := slices.IndexFunc(p.Rules.Lock.Names,
		func(l rules.Name) bool { return l.Kind == "type" && l.C == c })
	if i < 0 {
		return ""
	}
	return p.Rules.Lock.Names[i].Shape
}

// olderTypedefs notes what a typedef was in versions before. A handle that was a pointer is the
// same word, and keeps its type.
func (p *typing) olderTypedefs(t *model.Typedef) {
	for _, v := range t.Variants {
		if t.Kind == "alias" && v.Kind == "alias" {
			p.olderAlias(t.Name, v.From, v.To, v.Type)
		}
	}
	if p.res.types[t.Name] != nil && t.Kind == "alias" && // a struct or an enum has the name
		!slices.ContainsFunc(p.handles, func(h *handle) bool { return h.Name == t.Name }) {
		p.olderAlias(t.Name, t.Since, p.last(t.Span), t.Type)
	}
}

func (p *typing) olderAlias(name, from, to string, typ model.Type) {
	p.res.dated[name] = append(p.res.dated[name], meaning{from, to, func() *gtype {
		g, err := p.res.parse(typ)
		if err != nil {
			return nil // the newest meaning is taken
		}
		return g
	}})
}

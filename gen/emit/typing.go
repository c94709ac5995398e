package emit

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

// typing gives each C type its Go type, and each constant its name and type.
type typing struct {
	spec
	notes
	namer *namer
	res   *resolver

	enums     []*enum
	handles   []*handle
	typedefs  []*typedef
	structs   []*structure
	callbacks []*cbtype
	consts    []*constant
	inits     []*initializer
	result    *enum

	sizes        *sizes
	olderStructs []*structure // layouts of older versions that something uses
	err          error        // of a type that was made because something uses it
}

type enum struct {
	*model.Enum
	goName string // "" for an anonymous one
	typ    *gtype
	bitset bool
	result bool
	family *rules.MacroFlags // of macros, which C has no type for
	values []*enumValue
}

type enumValue struct {
	*model.EnumValue
	goName string
	skip   bool // a macro of the same name replaces it
}

type handle struct {
	*model.Typedef
	goName string
}

// typedef is a named number, or another name for a type.
type typedef struct {
	*model.Typedef
	goName string
	target *gtype
	alias  bool // type X = Y
}

type constant struct {
	*model.Const
	goName string
	typ    *gtype // nil if untyped
}

// newTyping makes all decisions about types and constants. Enums and handles come first, for they
// refer to nothing else; then what refers to types by name.
func newTyping(from spec, n *namer) (*typing, error) {
	p := &typing{spec: from, namer: n, res: newResolver(from.Model), sizes: newSizes(from)}
	for _, step := range []func() error{
		p.declareEnums, p.declareMacroFlags, p.declareHandles, p.declareStructs, p.declareTypedefs,
		p.declareCallbacks, p.checkGaps, p.layoutStructs, p.nameValues, p.planCallbacks,
		p.planConsts, p.planInits,
	} {
		if err := cmp.Or(step(), p.err); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *typing) unbound(kind, c, format string, args ...any) {
	p.Unbound = append(p.Unbound, Unbound{kind, c, fmt.Sprintf(format, args...)})
}

func (p *typing) declareEnums() error {
	for i := range p.Model.Enums {
		e := &enum{Enum: &p.Model.Enums[i]}
		e.result = e.Name == p.Rules.Binding.Result
		e.bitset = slices.Contains(p.Rules.Facts.Bitsets.Enums, e.Name)
		p.enums = append(p.enums, e)
		if strings.Contains(e.Name, ".") { // anonymous: the numbers count, there is no type
			continue
		}
		if e.Tag != "" {
			p.res.tags["enum "+e.Tag] = e.Name
		}
		if p.later(e.Name, e.Span) != nil && !strings.HasPrefix(p.lockedShape(e.Name), "enum ") {
			continue // newer versions mean a typedef by that name; its values have no type of their own
		}
		g, err := p.namer.name("type", e.Name, p.namer.typ(e.Name), "Enum", "Kind")
		if err != nil {
			return err
		}
		e.goName = g
		k, size := kUint, 4
		if e.Signed || e.result && e.fits31() {
			k = kInt
		}
		if e.Wide {
			size = 8
		}
		e.typ = &gtype{kind: k, name: g, named: true, c: e.Name, size: size, align: size}
		p.res.types[e.Name] = e.typ
		if e.result {
			p.result = e
		}
	}
	if p.result == nil {
		return fmt.Errorf("specs/%s.toml: no enum is named %q, the result type", p.Rules.API,
			p.Rules.Binding.Result)
	}
	return nil
}

func (p *typing) declareHandles() error {
	for i := range p.Model.Typedefs {
		t := &p.Model.Typedefs[i]
		rule := p.Rules.Binding.GoTypes[t.Name].Go
		if t.Kind != "handle" && rule != "handle" {
			continue
		}
		c, err := t.Type.Parse()
		if err != nil {
			return err
		}
		if c.Kind == model.Pointer && c.Elem.Const { // a handle to const: the same thing to Go
			continue
		}
		g, err := p.namer.name("type", t.Name, p.namer.typ(t.Name), "Handle")
		if err != nil {
			return err
		}
		typ := &gtype{kind: kUint, name: g, named: true, c: t.Name, size: 8, align: 8}
		p.res.types[t.Name] = typ
		if key := handleKey(c); key != "void *" {
			p.res.handles[key] = typ
		}
		p.handles = append(p.handles, &handle{t, g})
	}
	return nil
}

func (p *typing) declareStructs() error {
	p.mergeStructs()
	for i := range p.Model.Structs {
		s := &p.Model.Structs[i]
		if p.namer.merged[s.Name] != "" {
			continue // declareTypedefs finds the typedef of that name
		}
		if s.Tag != "" {
			p.res.tags[structWord(s)+" "+s.Tag] = s.Name
		}
		if err := p.declareStruct(s); err != nil {
			return err
		}
	}
	return nil
}

// declareStruct makes a Go type of a struct, and one more for each layout that a rule names.
func (p *typing) declareStruct(s *model.Struct) error {
	switch {
	case p.later(s.Name, s.Span) == nil:
	case p.keepsName(s.Name, s):
		return p.namedOlder(s)
	default:
		p.older(s.Name, s.Since, p.last(s.Span), s) // newer versions mean a typedef by that name
		for _, v := range s.Variants {
			p.older(s.Name, v.From, v.To, structAt(s, v.To))
		}
		return nil
	}
	for _, t := range p.parts(s) {
		g, err := p.namer.name("type", t.key, p.namer.typ(s.Name), "Params", "Struct")
		if err != nil {
			return err
		}
		st := newStructure(t.shape, t.key, g)
		p.olderLayouts(s, t)
		if t.newest {
			p.res.types[s.Name] = st.typ
			p.structs = append(p.structs, st)
			continue
		}
		st.until = t.to
		p.olderStructs = append(p.olderStructs, st)
		p.res.dated[s.Name] = append(p.res.dated[s.Name],
			meaning{cmp.Or(t.from, s.Since), t.to, func() *gtype { return st.typ }})
	}
	return nil
}

func newStructure(s *model.Struct, key, goName string) *structure {
	return &structure{Struct: s, key: key, goName: goName, typ: &gtype{
		kind:  kStruct,
		name:  goName,
		named: true,
		c:     s.Name,
		size:  s.Layouts[0].Size,
		align: s.Layouts[0].Align,
	}}
}

// mergeStructs finds structs of old headers that newer ones have as the first version of a family,
// under the same plain name and in the same shape: TOY_X, which became a typedef of TOY_X_v1.
// Both are one type to Go.
func (p *typing) mergeStructs() {
	for i := range p.Model.Structs {
		s := &p.Model.Structs[i]
		for _, t := range p.Model.Typedefs {
			base, suffix := cutVersion(string(t.Type))
			if t.Name != s.Name || t.Kind != "alias" || suffix == "" || base != s.Name {
				continue
			}
			j := slices.IndexFunc(p.Model.Structs,
				func(o model.Struct) bool { return o.Name == string(t.Type) })
			if j >= 0 && reflect.DeepEqual(p.Model.Structs[j].Layouts, s.Layouts) &&
				len(p.Model.Structs[j].Fields) == len(s.Fields) {
				p.namer.merged[s.Name] = string(t.Type)
			}
		}
	}
}

// declareTypedefs resolves aliases, which may refer to each other in any order.
func (p *typing) declareTypedefs() error {
	var left []*model.Typedef
	for i := range p.Model.Typedefs {
		p.olderTypedefs(&p.Model.Typedefs[i])
		if t := &p.Model.Typedefs[i]; t.Kind == "alias" && p.res.types[t.Name] == nil {
			left = append(left, t)
		} else if t.Kind == "handle" && p.res.types[t.Name] == nil { // to const
			c, err := t.Type.Parse()
			if err != nil {
				return err
			}
			h := p.res.handles[handleKey(c)]
			if h == nil {
				h = tUintptr
			}
			p.res.types[t.Name] = h
		} else if t.Kind == "callback" {
			p.res.types[t.Name] = &gtype{kind: kFunc, c: t.Name, size: 8, align: 8}
		}
	}
	for len(left) > 0 {
		var later []*model.Typedef
		for _, t := range left {
			c, err := t.Type.Parse()
			if err != nil {
				return err
			}
			base := c
			for base.Kind != model.Named {
				base = base.Elem
			}
			if slices.ContainsFunc(left,
				func(o *model.Typedef) bool { return o.Name == base.Name && o != t }) {
				later = append(later, t)
				continue
			}
			if err := p.declareTypedef(t, c); err != nil {
				return err
			}
		}
		if len(later) == len(left) {
			return fmt.Errorf("the typedefs %s and %s refer to each other", left[0].Name,
				left[len(left)-1].Name)
		}
		left = later
	}
	return nil
}

func (p *typing) declareTypedef(t *model.Typedef, c *model.C) error {
	if rule := p.Rules.Binding.GoTypes[t.Name].Go; rule != "" &&
		rule != "unsafe.Pointer" { // a type of the language
		b := builtinNamed(rule)
		if b == nil {
			return fmt.Errorf("specs/%s.toml: [gotype] %s = %q is not a type that a typedef can become",
				p.Rules.API, t.Name, rule)
		}
		p.res.types[t.Name] = b
		return nil
	}
	target, err := p.res.resolve(c)
	if err != nil {
		if c.Kind == model.Named &&
			strings.HasPrefix(c.Name, "struct ") { // an incomplete struct, only pointed to
			p.res.types[t.Name] = nil
			return nil
		}
		return fmt.Errorf("typedef %s: %w", t.Name, err)
	}
	base, suffix := cutVersion(string(t.Type))
	want := p.namer.typ(t.Name)
	if suffix != "" && base == t.Name || // the plain name of a family of versions; a member bears it
		p.namer.goOf[[2]string{"type", t.Name}] != "" { // an older struct has the plain name
		p.res.types[t.Name] = target
		return nil
	}
	if target.named && target.name == want {
		p.res.types[t.Name] = target
		return nil
	}
	g, err := p.namer.name("type", t.Name, want, "Type")
	if err != nil {
		return err
	}
	d := &typedef{Typedef: t, goName: g, target: target}
	number := target.kind == kInt || target.kind == kUint || target.kind == kFloat ||
		target.kind == kBool
	d.alias = !(number && !target.named)
	p.typedefs = append(p.typedefs, d)
	if d.alias {
		p.res.types[t.Name] = target
		if target.kind == kUnsafe {
			p.res.types[t.Name] = &gtype{kind: kUnsafe, name: g, named: true, size: 8, align: 8}
		}
		return nil
	}
	n := *target
	n.name, n.named, n.c = g, true, t.Name
	p.res.types[t.Name] = &n
	return nil
}

func builtinNamed(name string) *gtype {
	for _, t := range baseTypes {
		if t.name == name && !t.named {
			return t
		}
	}
	return nil
}

package emit

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

const modulePath = "github.com/gpuevent/gpuevent"

// Plan holds all decisions about an API's bindings. Rendering follows it.
type Plan struct {
	Model *model.Model
	Rules *rules.Rules

	Names   []rules.Name    // every Go name, for the lock
	Fresh   []rules.Name    // those that the lock lacks
	Guesses []rules.Guess   // decisions that no rule covers
	Unbound []Unbound       // what Go can't express, with the reason
	Warn    []rules.Problem // what should get a rule or a text

	namer     *namer
	res       *resolver
	shapes    *rules.Shapes
	enums     []*enum
	handles   []*handle
	typedefs  []*typedef
	structs   []*structure
	callbacks []*cbtype
	funcs     []*function
	consts    []*constant
	longs     bool
	result    *enum
}

// Unbound is an entity of the headers that the bindings lack.
type Unbound struct{ Kind, C, Reason string }

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

// NewPlan makes all decisions. The model and the rules must have passed their Check.
func NewPlan(m *model.Model, r *rules.Rules) (*Plan, error) {
	p := &Plan{
		Model:  m,
		Rules:  r,
		namer:  newNamer(m, r),
		shapes: rules.NewShapes(m),
		res: &resolver{
			types:   map[string]*gtype{},
			tags:    map[string]string{},
			handles: map[string]*gtype{},
			moved:   map[string][]model.TypedefVariant{},
		},
	}
	for _, step := range []func() error{
		p.nameFunctions, p.declareEnums, p.declareMacroFlags, p.declareHandles, p.declareStructs,
		p.declareTypedefs, p.declareCallbacks,
		p.layoutStructs, p.nameValues, p.planCallbacks, p.planFunctions, p.planConsts,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	p.Guesses = append(p.Guesses, r.Inherited...)
	p.Names, p.Fresh = p.namer.names, p.namer.fresh
	if err := r.Lock.Check(p.Names); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Plan) unbound(kind, c, format string, args ...any) {
	p.Unbound = append(p.Unbound, Unbound{kind, c, fmt.Sprintf(format, args...)})
}

func (p *Plan) vendor() string { return p.Rules.Binding.Vendor }

// nameFunctions comes first: functions keep their names, and types and constants change theirs if
// one is taken.
func (p *Plan) nameFunctions() error {
	for i := range p.Model.Functions {
		f := &p.Model.Functions[i]
		if _, err := p.namer.name("func", f.Name, p.namer.function(f.Name), "Func"); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) declareEnums() error {
	for i := range p.Model.Enums {
		e := &enum{Enum: &p.Model.Enums[i]}
		e.result = e.Name == p.Rules.Binding.Result
		e.bitset = slices.Contains(p.Rules.Facts.Bitsets.Enums, e.Name)
		p.enums = append(p.enums, e)
		if strings.Contains(e.Name, ".") { // anonymous: the numbers count, there is no type
			continue
		}
		g, err := p.namer.name("type", e.Name, p.namer.typ(e.Name), "Enum", "Kind")
		if err != nil {
			return err
		}
		e.goName = g
		k := kUint
		if e.Signed || e.result {
			k = kInt
		}
		e.typ = &gtype{kind: k, name: g, named: true, c: e.Name, size: 4, align: 4}
		p.res.types[e.Name] = e.typ
		if e.Tag != "" {
			p.res.tags["enum "+e.Tag] = e.Name
		}
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

func (p *Plan) declareHandles() error {
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

func (p *Plan) declareStructs() error {
	p.mergeStructs()
	for i := range p.Model.Structs {
		s := &p.Model.Structs[i]
		if p.namer.merged[s.Name] != "" {
			continue // declareTypedefs finds the typedef of that name
		}
		g, err := p.namer.name("type", s.Name, p.namer.typ(s.Name), "Params", "Struct")
		if err != nil {
			return err
		}
		typ := &gtype{
			kind:  kStruct,
			name:  g,
			named: true,
			c:     s.Name,
			size:  s.Layouts[0].Size,
			align: s.Layouts[0].Align,
		}
		p.res.types[s.Name] = typ
		if s.Tag != "" {
			word := "struct "
			if s.Union {
				word = "union "
			}
			p.res.tags[word+s.Tag] = s.Name
		}
		p.structs = append(p.structs, &structure{Struct: s, goName: g, typ: typ})
	}
	return nil
}

// mergeStructs finds structs of old headers that newer ones have as the first version of a family,
// under the same plain name and in the same shape: CUDA_X, which became a typedef of CUDA_X_v1.
// Both are one type to Go.
func (p *Plan) mergeStructs() {
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
func (p *Plan) declareTypedefs() error {
	var left []*model.Typedef
	for i := range p.Model.Typedefs {
		for _, v := range p.Model.Typedefs[i].Variants {
			if p.Model.Typedefs[i].Kind == "alias" && v.Kind == "alias" {
				p.res.moved[p.Model.Typedefs[i].Name] = append(p.res.moved[p.Model.Typedefs[i].Name], v)
			}
		}
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

func (p *Plan) declareTypedef(t *model.Typedef, c *model.C) error {
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
	if suffix != "" && base == t.Name { // the plain name of a family of versions; a member bears it
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

// nameValues names enumerators, after all types.
func (p *Plan) nameValues() error {
	macros := map[string]*model.Const{}
	for i := range p.Model.Consts {
		macros[p.Model.Consts[i].Name] = &p.Model.Consts[i]
	}
	byName := map[string]*enumValue{}
	// result codes first; enums without a name last, because they change theirs
	ordered := slices.Clone(p.enums)
	slices.SortStableFunc(ordered, func(a, b *enum) int { return a.rank() - b.rank() })
	for _, e := range ordered {
		if e.family != nil {
			continue // planConsts
		}
		for i := range e.Values {
			v := &enumValue{EnumValue: &e.Values[i]}
			e.values = append(e.values, v)
			if k := macros[v.Name]; k != nil && newer(k.Span, v.Span) {
				v.skip = true
				continue
			}
			if o := byName[v.Name]; o != nil { // the same enumerator in two enums of different versions
				if newer(o.Span, v.Span) {
					v.skip = true
					continue
				}
				o.skip = true
			}
			byName[v.Name] = v
			g, err := p.namer.name("const", v.Name, p.namer.constant(v.Name, e.Name), "Value", "Const")
			if err != nil {
				return err
			}
			v.goName = g
		}
	}
	return nil
}

func (e *enum) rank() int {
	switch {
	case e.result:
		return 0
	case e.goName == "":
		return 2
	}
	return 1
}

// newer reports whether a is the one to keep of two entities of one name.
func newer(a, b model.Span) bool {
	switch {
	case a.Removed == "" || b.Removed == "":
		return a.Removed == ""
	default:
		return model.CompareVersions(a.Removed, b.Removed) >= 0
	}
}

func (p *Plan) planConsts() error {
	skipped := map[string]bool{}
	for _, e := range p.enums {
		for _, v := range e.values {
			if !v.skip {
				skipped[v.Name] = true
			}
		}
	}
	for i := range p.Model.Consts {
		k := &p.Model.Consts[i]
		if skipped[k.Name] {
			continue // the enumerator of that name is the newer one
		}
		g, err := p.namer.name("const", k.Name, p.namer.constant(k.Name, ""), "Value", "Const")
		if err != nil {
			return err
		}
		if p.joinFamily(k, g) {
			continue
		}
		c := &constant{Const: k, goName: g}
		if k.Type != "" {
			if t, err := p.res.parse(k.Type); err == nil && t.named && t.scalar() {
				c.typ = t
			}
		}
		if k.Kind == "pointer" && c.typ == nil {
			c.typ = tUintptr
		}
		p.consts = append(p.consts, c)
	}
	p.orderFamilies()
	return nil
}

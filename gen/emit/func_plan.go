package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

// How a C parameter appears in Go.
const (
	byArg      = "arg"         // an argument of its own
	byOut      = "out"         // a result
	byString   = "string"      // a Go string, copied for C
	byOutText  = "outstring"   // a result: the C text that the callee's pointer names
	byBuffer   = "buffer"      // a result: the text that C writes into a buffer of ours
	byLen      = "len"         // the buffer's size, ours to say
	byClosure  = "callback"    // a Go func
	byRef      = "callbackref" // a registration of a Go func
	byUserData = "userdata"    // is passed with the callback
)

// The three forms of a call.
const (
	viaRegs  = "Regs"
	viaWords = "Words"
	viaFrame = "Frame"
)

const (
	maxRegs  = 6
	maxWords = 16
	outWords = 16
)

type function struct {
	*model.Function
	goName string
	proc   string
	file   string
	params []*param
	ret    *gtype
	via    string
	slots  int  // words of the Out in use
	ref    bool // the form with a registration
	guard  *guard
}

type param struct {
	model.Param
	how      string
	name     string // the Go argument or result
	typ      *gtype // what Go sees
	slot     int    // of outs: the first word in the Out; -1 for heap memory
	size     int    // of buffers
	of       int    // of len: the buffer's parameter; of user data: the callback's
	cb       *cbtype
	lifetime rules.Lifetime
}

// calls decides how each function is called: the Go signature, and the form of the call.
type calls struct {
	*typing
	shapes *rules.Shapes
	funcs  []*function
	// structs that functions take in releases with another layout
	differed map[string]bool
}

func newCalls(types *typing) (*calls, error) {
	p := &calls{typing: types, shapes: rules.NewShapes(types.Model),
		differed: map[string]bool{}}
	if err := p.planFunctions(); err != nil {
		return nil, err
	}
	return p, p.guard()
}

func (p *calls) planFunctions() error {
	for i := range p.Model.Functions {
		f := &function{Function: &p.Model.Functions[i]}
		if why := p.Rules.Binding.Skip[f.Name]; why != "" {
			p.unbound("function", f.Name, "%s", why)
			continue
		}
		f.goName = p.namer.goOf[[2]string{"func", f.Name}]
		f.proc = "proc" + f.goName
		f.file = p.fileOf(p.groupOf(f.Function))
		reason := ""
		err := p.res.during(f.Span, func() (err error) {
			reason, err = p.planFunction(f)
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if reason != "" {
			p.unbound("function", f.Name, "%s", reason)
			continue
		}
		p.funcs = append(p.funcs, f)
		if p.Rules.Binding.Refs[f.Name] != "" {
			if err := p.planRefForm(f); err != nil {
				return err
			}
		}
	}
	return p.nameBases()
}

// nameBases gives names to the types of C itself that differ between systems and that something
// uses.
func (p *calls) nameBases() error {
	for _, t := range [][]string{{"struct timespec"}, {"long", "unsigned long"}} {
		if !slices.ContainsFunc(t, func(c string) bool { return p.res.bases[c] }) {
			continue
		}
		for _, c := range t {
			key := strings.ReplaceAll(c, " ", "_")
			if _, err := p.namer.name("type", key, baseTypes[c].name); err != nil {
				return err
			}
		}
	}
	return nil
}

// groupOf is a function's API group. A form of another function that the header puts in no group,
// such as one for the per-thread default stream, belongs to the other's group. Its name is the
// other's with a suffix.
func (p *calls) groupOf(f *model.Function) string {
	name := f.Name
	for group := f.Group; ; {
		cut := strings.LastIndexByte(name, '_')
		if group != "" || cut <= 0 {
			return group
		}
		name = name[:cut]
		for i := range p.Model.Functions {
			if p.Model.Functions[i].Name == name {
				group = p.Model.Functions[i].Group
			}
		}
	}
}

// fileOf is where an API group's functions go. A group without a text gets a file of its own name.
func (p *calls) fileOf(group string) string {
	if g, ok := p.Rules.Docs.Groups[group]; ok && g.File != "" {
		return g.File
	}
	if group == "" {
		return "misc"
	}
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == '_' || r == '-' {
			return -1
		}
		return r
	}, cutPrefix(group, p.Rules.Binding.Prefixes.Types)))
}

func (p *calls) planFunction(f *function) (unbound string, err error) {
	if f.ret, err = p.res.parse(f.Ret); err != nil {
		return err.Error(), nil
	}
	if c, _ := f.Ret.Parse(); c.Kind == model.Pointer && c.Elem.Name == "char" && c.Elem.Const {
		f.ret = tString
	}
	if f.ret.kind == kFloat || f.ret.kind == kStruct && !f.ret.byValue() {
		return "a floating-point result is not supported by the call path", nil
	}
	for i, q := range f.Params {
		if q.Type == "..." {
			return "a variadic function", nil
		}
		a := &param{Param: q, slot: -1, of: -1}
		f.params = append(f.params, a)
		if a.typ, err = p.res.parse(q.Type); err != nil {
			return err.Error(), nil
		}
		if a.typ.kind == kStruct && !a.typ.byValue() {
			return "a struct with floating-point members by value is not supported by the call path", nil
		}
		if err := p.travel(f, i); err != nil {
			return "", err
		}
	}
	if err := p.pairParams(f); err != nil {
		return "", err
	}
	p.nameParams(f)
	p.chooseForm(f)
	return "", nil
}

// travel decides how one parameter is passed in Go.
func (p *calls) travel(f *function, i int) error {
	a, place := f.params[i], f.Name+"."+f.Params[i].Name
	a.how = byArg
	c, err := a.Type.Parse()
	if err != nil {
		return err
	}
	if a.typ.kind == kFunc {
		return p.travelCallback(f, i)
	}
	dir, known := p.Rules.Facts.Direction[place]
	isPtr := c.Kind == model.Pointer && (a.typ.kind == kPtr || a.typ.kind == kUnsafe)
	if !known && isPtr && !c.Elem.Const {
		dir = rules.GuessDirection(f.Function, i, p.shapes)
		p.Guesses = append(p.Guesses, rules.Guess{Place: place, Choice: dir.String()})
	}
	switch {
	case isPtr && c.Elem.Kind == model.Named && c.Elem.Name == "char" && c.Elem.Const &&
		!slices.Contains(p.Rules.Facts.Strings.NoText, place) && !known:
		a.how, a.typ = byString, tString
	case dir.Way == rules.OutText:
		a.how, a.typ = byOutText, tString
	case dir.Way == rules.Text:
		a.how, a.typ, a.size = byBuffer, tString, 256
		if n := p.Rules.Binding.Buffers[place]; n > 0 {
			a.size = n
		}
		a.of = slices.IndexFunc(f.Params,
			func(q model.Param) bool { return q.Name == dir.Length })
		if a.of < 0 {
			return fmt.Errorf("parameter %s: no parameter is named %q", a.Name, dir.Length)
		}
	case dir.Way == rules.Out && !dir.Optional && a.typ.kind == kPtr && a.typ.elem.align <= 8:
		a.how, a.typ = byOut, a.typ.elem
	}
	if g, ok := p.Rules.Binding.GoTypes[place]; ok {
		t, err := p.overrideType(g.Go)
		if err != nil {
			return fmt.Errorf("specs/%s.toml: [gotype] %s: %w", p.Rules.API, place, err)
		}
		a.typ = t
	}
	return p.enumParam(a, place)
}

// enumParam types an integer by the enum whose values it carries.
func (p *calls) enumParam(a *param, place string) error {
	name := p.enumAt(place)
	if name == "" {
		return nil
	}
	e := p.res.types[name]
	if e == nil {
		return fmt.Errorf("[paramtype] %s: no enum is named %s", place, name)
	}
	switch {
	case a.how == byArg && a.typ.kind == kPtr && a.typ.elem.size == e.size:
		a.typ = ptr(e)
	case a.how == byArg && a.typ.scalar():
		a.typ = e
	case a.how == byOut && a.typ.size == e.size:
		a.typ = e
	}
	return nil
}

func (p *typing) overrideType(g string) (*gtype, error) {
	stars := strings.Count(g, "*")
	name := strings.TrimLeft(g, "*")
	t := builtinNamed(name)
	if t == nil {
		t = p.res.types[name] // the C name of a type
	}
	if name == "unsafe.Pointer" {
		t = tUnsafe
	}
	if t == nil {
		return nil, fmt.Errorf("no type %q", name)
	}
	for range stars {
		t = ptr(t)
	}
	return t, nil
}

// travelCallback decides how a callback parameter and its user data are passed.
func (p *calls) travelCallback(f *function, i int) error {
	a, place := f.params[i], f.Name+"."+f.Params[i].Name
	cb := p.callbackOf(a.typ.c)
	if cb == nil || cb.unsupported {
		a.typ = tUintptr
		return nil
	}
	fact, ok := p.Rules.Facts.Callback[place]
	if !ok || place == cb.Name { // a type without a typedef is named after its place
		if fact, ok = p.Rules.Facts.Callback[cb.Name]; ok {
			fact.UserData = p.userDataOf(f, i, cb)
		}
	}
	if !ok {
		fact = rules.Callback{UserData: p.userDataOf(f, i, cb), Lifetime: byOwner}
		p.Guesses = append(p.Guesses,
			rules.Guess{Place: place, Choice: "callback, released by its owner"})
	}
	a.cb, a.lifetime = cb, fact.Lifetime
	a.of = slices.IndexFunc(f.Params, func(q model.Param) bool { return q.Name == fact.UserData })
	if cb.data >= 0 && a.of < 0 {
		return fmt.Errorf(
			"parameter %s: no parameter carries the user data of %s; say which in [callback] %q", a.Name,
			cb.Name, place)
	}
	switch {
	case fact.Lifetime.Life == rules.Once || fact.Lifetime.Life == rules.Call:
		a.how = byClosure
	case cb.data >= 0:
		a.how = byRef
	default: // registrations could not be told apart
		a.typ = tUintptr
	}
	return nil
}

// userDataOf finds the parameter that carries the user data: of the callback type's own name, or
// the nearest void *.
func (p *calls) userDataOf(f *function, i int, cb *cbtype) string {
	if cb.data < 0 {
		return ""
	}
	want := cb.Params[cb.data].Name
	for _, q := range f.Params {
		if q.Name == want && q.Type == "void *" {
			return q.Name
		}
	}
	for d := 1; d < len(f.Params); d++ {
		for _, j := range []int{i + d, i - d} {
			if j >= 0 && j < len(f.Params) && f.Params[j].Type == "void *" {
				return f.Params[j].Name
			}
		}
	}
	return ""
}

// pairParams marks the parameters that follow from another one.
func (p *calls) pairParams(f *function) error {
	for i, a := range f.params {
		switch a.how {
		case byBuffer:
			l := f.params[a.of]
			if l.how != byArg || !l.typ.scalar() {
				return fmt.Errorf("parameter %s: %s is not a length", a.Name, l.Name)
			}
			l.how, l.of = byLen, i
		case byClosure, byRef:
			if a.of >= 0 {
				d := f.params[a.of]
				d.how, d.of = byUserData, i
			}
		}
	}
	return nil
}

// nameParams names arguments and results, no two alike.
func (p *calls) nameParams(f *function) {
	used := map[string]bool{}
	for _, a := range f.params {
		n := argName(a.Name)
		if a.isResult() {
			n = resultName(a.Name)
			if t, ok := taken[n]; ok {
				n = t
			}
		}
		for used[n] || p.isPackageName(n) {
			n += "Arg"
		}
		used[n] = true
		a.name = n
	}
}

func (p *calls) isPackageName(n string) bool {
	return strings.HasPrefix(n, "proc") && len(n) > 4 && n[4] >= 'A' && n[4] <= 'Z'
}

func (a *param) isResult() bool { return a.how == byOut || a.how == byOutText || a.how == byBuffer }

// chooseForm lays out the result slots and picks the cheapest form of the call.
func (p *calls) chooseForm(f *function) {
	f.via = viaRegs
	if len(f.params) > maxRegs {
		f.via = viaWords
	}
	if len(f.params) > maxWords {
		f.via = viaFrame
	}
	switch {
	case f.ret.kind == kStruct,
		f.ret.kind == kString,
		f.ret.kind == kPtr,
		f.ret.kind == kUnsafe,
		f.ret.size > 4:
		f.via = viaFrame
	}
	for _, a := range f.params {
		if a.how == byArg && (a.typ.kind == kFloat || a.typ.kind == kStruct) {
			f.via = viaFrame
		}
	}
	for _, a := range f.params {
		words := 1
		switch a.how {
		case byOutText:
		case byOut:
			words = (a.typ.size + 7) / 8
		default:
			continue
		}
		if f.slots+words <= outWords {
			a.slot = f.slots
			f.slots += words
		}
	}
}

// planRefForm adds the form of a function whose run-once callback is a registration that its owner
// releases.
func (p *calls) planRefForm(f *function) error {
	g := *f
	name, err := p.namer.name("func", refKey(f.Name), f.goName+"Ref")
	if err != nil {
		return err
	}
	g.goName, g.params, g.ref = name, nil, true
	for _, a := range f.params {
		b := *a
		if b.how == byClosure {
			b.how = byRef
		}
		g.params = append(g.params, &b)
	}
	p.funcs = append(p.funcs, &g)
	return nil
}

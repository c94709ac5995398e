package emit

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/gpuevent/gpuevent/gen/model"
)

// renderFunctions writes z<group>.go: functions in the order of their names, and their procs.
func (p *Plan) renderFunctions(parts map[string]*jen.File) {
	groups := map[string][]*function{}
	for _, f := range p.funcs {
		groups[f.file] = append(groups[f.file], f)
	}
	for name, fs := range groups {
		sort.Slice(fs, func(i, j int) bool { return fs[i].goName < fs[j].goName })
		file := p.file()
		p.renderProcs(file, fs)
		for _, f := range fs {
			p.renderFunction(file, f)
		}
		parts["z"+name+".go"] = file
	}
}

func (p *Plan) renderProcs(file *jen.File, fs []*function) {
	seen := map[string]bool{}
	file.Var().DefsFunc(func(g *jen.Group) {
		for _, f := range fs {
			if seen[f.proc] {
				continue
			}
			seen[f.proc] = true
			g.Id(f.proc).Op("=").Qual(dlPath, "Proc").Values(
				jen.Id("Lib").Op(":").Op("&").Qual(dlPath, p.Rules.Binding.Library),
				jen.Id("Symbol").Op(":").Lit(f.Name), jen.Id("Since").Op(":").Lit(f.Since))
		}
	})
}

func (f *function) results() []*param {
	var rs []*param
	for _, a := range f.params {
		if a.isResult() {
			rs = append(rs, a)
		}
	}
	return rs
}

func (f *function) args() []*param {
	var as []*param
	for _, a := range f.params {
		switch a.how {
		case byArg, byString, byClosure, byRef:
			as = append(as, a)
		}
	}
	return as
}

// value tells whether the C function's own result is a Go result.
func (p *Plan) value(f *function) bool { return f.ret != p.result.typ && f.ret.kind != kVoid }

func (p *Plan) renderFunction(file *jen.File, f *function) {
	file.Line()
	p.functionDoc(f).to(file)
	results := f.results()
	named := len(results) > 1 || len(results) == 1 && p.value(f)
	var args, outs []typed
	for _, a := range f.args() {
		args = append(args, typed{a.name, a.goType()})
	}
	if p.value(f) {
		outs = append(outs, typed{"value", f.ret.code()})
	}
	for _, a := range results {
		outs = append(outs, typed{a.name, a.typ.code()})
	}
	fn := file.Func().Id(f.goName).Params(grouped(args)...)
	switch {
	case len(outs) == 0:
		fn.Error()
	case named:
		fn.Params(grouped(append(outs, typed{"err", jen.Error()}))...)
	default:
		fn.Params(outs[0].typ, jen.Error())
	}
	fn.BlockFunc(func(g *jen.Group) { (&body{p: p, f: f, g: g}).write() })
}

// typed is a name and its type.
type typed struct {
	name string
	typ  *jen.Statement
}

// grouped declares names; neighbours of one type share it.
func grouped(ts []typed) []jen.Code {
	var out []jen.Code
	for i := 0; i < len(ts); {
		j := i
		var names []jen.Code
		for j < len(ts) && ts[j].typ.GoString() == ts[i].typ.GoString() {
			names = append(names, jen.Id(ts[j].name))
			j++
		}
		out = append(out, jen.List(names...).Add(ts[i].typ))
		i = j
	}
	return out
}

func (a *param) goType() *jen.Statement {
	switch a.how {
	case byClosure:
		return jen.Id(a.cb.goName)
	case byRef:
		return jen.Op("*").Id(a.cb.ref)
	}
	return a.typ.code()
}

// body writes the statements of one function.
type body struct {
	p *Plan
	f *function
	g *jen.Group
}

func (b *body) write() {
	f, g := b.f, b.g
	g.List(jen.Id("addr"), jen.Err()).Op(":=").Id(f.proc).Dot("Addr").Call()
	b.fail(jen.Err())
	b.prepare()
	switch f.via {
	case viaFrame:
		b.frame()
	default:
		limit := "Max" + f.via
		words := make([]jen.Code, 0, len(f.params))
		for _, a := range f.params {
			words = append(words, b.word(a))
		}
		fields := []jen.Code{jen.Id("Fn").Op(":").Id("addr")}
		if len(words) > 0 {
			fields = append(fields, jen.Id("A").Op(":").Index(jen.Qual(ccallPath, limit)).Uintptr().Values(words...))
		}
		g.Id("call").Op(":=").Qual(ccallPath, f.via).Values(fields...)
		if b.needsCode() {
			g.Id("rc").Op(":=").Id("call").Dot("Call").Call()
		} else {
			g.Id("call").Dot("Call").Call()
		}
	}
	b.finish()
}

func (b *body) needsCode() bool { return b.f.ret.kind != kVoid }

// fail returns zero values and an error, if err is one.
func (b *body) fail(err *jen.Statement) {
	b.g.If(jen.Err().Op("!=").Nil()).Block(b.returns(func(a *param) jen.Code { return a.typ.zero() }, b.f.ret.zero(), err))
}

func (b *body) returns(of func(*param) jen.Code, value, err jen.Code) *jen.Statement {
	return jen.ReturnFunc(func(g *jen.Group) {
		if b.p.value(b.f) {
			g.Add(value)
		}
		for _, a := range b.f.results() {
			g.Add(of(a))
		}
		g.Add(err)
	})
}

// prepare makes what the call needs: C texts, result slots, buffers, registrations.
func (b *body) prepare() {
	g := b.g
	for _, a := range b.f.params {
		if a.how != byString {
			continue
		}
		g.List(jen.Id(a.name+"Text"), jen.Err()).Op(":=").Qual(ccallPath, "CString").Call(jen.Id(a.name))
		b.fail(jen.Qual("fmt", "Errorf").Call(jen.Lit(b.f.Name+": "+a.Name+": %w"), jen.Err()))
	}
	if b.f.slots > 0 {
		g.Id("out").Op(":=").Qual(ccallPath, "NewOut").Call()
	}
	for _, a := range b.f.params {
		switch {
		case a.how == byOut && a.slot < 0:
			g.Id(a.name + "At").Op(":=").New(a.typ.code())
		case a.how == byBuffer:
			g.Id(a.name+"Buf").Op(":=").Make(jen.Index().Byte(), jen.Lit(a.size))
		case a.how == byClosure && a.cb.data < 0:
			g.Var().Id(a.name + "Word").Uintptr()
			g.If(jen.Id(a.name).Op("!=").Nil()).Block(
				jen.Id("slot").Op(":=").Id(a.cb.slots()).Dot("Take").Call(jen.Id(a.name)),
				jen.Defer().Id(a.cb.slots()).Dot("Give").Call(jen.Id("slot")),
				jen.Id(a.name+"Word").Op("=").Id("slot").Dot("Addr").Call(),
			)
		case a.how == byClosure:
			life := "Once"
			if a.lifetime == "call" {
				life = "Held"
			}
			g.Var().List(jen.Id(a.name+"Word"), jen.Id(a.name+"Data")).Uintptr()
			g.If(jen.Id(a.name).Op("!=").Nil()).Block(
				jen.List(jen.Id(a.name+"Word"), jen.Id(a.name+"Data")).Op("=").List(
					jen.Id(a.cb.trampoline()).Dot("Addr").Call(),
					jen.Qual(callbackPath, "Add").Call(jen.Id(a.name), jen.Qual(callbackPath, life))),
			)
		}
	}
}

// word is a parameter as an argument word.
func (b *body) word(a *param) jen.Code {
	pointer := func(x jen.Code) *jen.Statement { return jen.Qual(ccallPath, "Ptr").Call(x) }
	cast := func(x jen.Code) *jen.Statement { return jen.Qual("unsafe", "Pointer").Call(x) }
	switch a.how {
	case byOut, byOutText:
		if a.slot >= 0 {
			return jen.Id("out").Dot("Word").Call(jen.Lit(a.slot))
		}
		return pointer(cast(jen.Id(a.name + "At")))
	case byString:
		return pointer(cast(jen.Id(a.name + "Text")))
	case byBuffer:
		return pointer(cast(jen.Qual("unsafe", "SliceData").Call(jen.Id(a.name + "Buf"))))
	case byLen:
		return jen.Uintptr().Call(jen.Len(jen.Id(b.f.params[a.of].name + "Buf")))
	case byClosure:
		return jen.Id(a.name + "Word")
	case byRef:
		return jen.Id(a.name).Dot("Fn").Call()
	case byUserData:
		if cb := b.f.params[a.of]; cb.how == byClosure {
			return jen.Id(cb.name + "Data")
		}
		return jen.Id(b.f.params[a.of].name).Dot("UserData").Call()
	}
	switch a.typ.kind {
	case kPtr:
		return pointer(cast(jen.Id(a.name)))
	case kUnsafe:
		return pointer(jen.Id(a.name))
	case kBool:
		return jen.Qual(ccallPath, "Bool").Call(jen.Id(a.name))
	case kFunc:
		return jen.Id(a.name)
	}
	if a.typ.name == "uintptr" {
		return jen.Id(a.name)
	}
	return jen.Uintptr().Call(jen.Id(a.name))
}

// frame writes a call of the general form.
func (b *body) frame() {
	f, g := b.f, b.g
	g.Id("call").Op(":=").Qual(ccallPath, "New").Call(jen.Id("addr"))
	if f.ret.kind == kStruct {
		g.Id("value").Op(b.valueOp()).New(f.ret.code())
		g.Id("call").Dot("Result").Call(jen.Qual("unsafe", "Pointer").Call(jen.Id("value")), jen.Qual("unsafe", "Sizeof").Call(jen.Op("*").Id("value")))
	}
	for _, a := range f.params {
		switch {
		case a.how == byArg && a.typ.kind == kFloat:
			g.Id("call").Dot(map[int]string{4: "Float32", 8: "Float64"}[a.typ.size]).Call(b.floatArg(a))
		case a.how == byArg && a.typ.kind == kStruct:
			g.Id("call").Dot("Struct").Call(jen.Qual("unsafe", "Pointer").Call(jen.Op("&").Id(a.name)), jen.Qual("unsafe", "Sizeof").Call(jen.Id(a.name)))
		default:
			g.Id("call").Dot("Int").Call(b.word(a))
		}
	}
	g.Id("call").Dot("Call").Call()
	switch {
	case f.ret.kind == kVoid, f.ret.kind == kStruct:
	case f.ret.kind == kString, f.ret.kind == kPtr, f.ret.kind == kUnsafe:
		g.Id("word").Op(":=").Id("call").Dot("R0")
	case f.ret.size > 4:
		g.Id("word").Op(":=").Id("call").Dot("R0")
	default:
		g.Id("rc").Op(":=").Int32().Call(jen.Id("call").Dot("R0"))
	}
	g.Id("call").Dot("Free").Call()
}

func (b *body) valueOp() string { return ":=" }

func (b *body) floatArg(a *param) *jen.Statement {
	if a.typ.named {
		return jen.Id(map[int]string{4: "float32", 8: "float64"}[a.typ.size]).Call(jen.Id(a.name))
	}
	return jen.Id(a.name)
}

// finish keeps alive what C used, takes the results and returns.
func (b *body) finish() {
	f, g := b.f, b.g
	keep := func(name string) { g.Qual("runtime", "KeepAlive").Call(jen.Id(name)) }
	for _, a := range f.params {
		switch {
		case a.how == byString:
			keep(a.name + "Text")
		case a.how == byBuffer:
			keep(a.name + "Buf")
		case a.how == byOut && a.slot < 0:
			keep(a.name + "At")
		case a.how == byArg && (a.typ.kind == kPtr || a.typ.kind == kUnsafe):
			keep(a.name)
		case a.how == byClosure && a.cb.data >= 0 && a.lifetime == "call":
			g.Qual(callbackPath, "Release").Call(jen.Id(a.name + "Data"))
		case a.how == byClosure && a.cb.data >= 0 && f.ret == b.p.result.typ:
			g.If(jen.Id("rc").Op("!=").Lit(0)).Block(jen.Qual(callbackPath, "Release").Call(jen.Id(a.name + "Data")))
		}
	}
	op := ":="
	if len(f.results()) > 1 || len(f.results()) == 1 && b.p.value(f) {
		op = "="
	}
	read := map[*param]jen.Code{}
	for _, a := range f.results() {
		switch {
		case a.how == byOut && a.slot < 0:
			read[a] = jen.Op("*").Id(a.name + "At")
			continue
		case a.how == byBuffer:
			read[a] = jen.Qual(ccallPath, "GoString").Call(jen.Qual("unsafe", "Pointer").Call(jen.Qual("unsafe", "SliceData").Call(jen.Id(a.name + "Buf"))))
			continue
		case a.how == byOutText && a.slot >= 0:
			g.Id(a.name).Op(op).Qual(ccallPath, "GoString").Call(
				jen.Op("*").Parens(jen.Op("*").Qual("unsafe", "Pointer")).Call(jen.Id("out").Dot("At").Call(jen.Lit(a.slot))))
		default:
			g.Id(a.name).Op(op).Op("*").Parens(jen.Op("*").Add(a.typ.code())).Call(jen.Id("out").Dot("At").Call(jen.Lit(a.slot)))
		}
		read[a] = jen.Id(a.name)
	}
	if f.slots > 0 {
		g.Id("out").Dot("Free").Call(jen.Lit(f.slots))
	}
	err := jen.Nil()
	if f.ret == b.p.result.typ {
		err = jen.Id("result").Call(jen.Id("rc"))
	}
	g.Add(b.returns(func(a *param) jen.Code { return read[a] }, b.value(), err))
}

// value is the C function's own result in Go.
func (b *body) value() jen.Code {
	t := b.f.ret
	switch t.kind {
	case kString:
		return jen.Qual(ccallPath, "TextAt").Call(jen.Id("word"))
	case kPtr:
		return jen.Parens(t.code()).Call(jen.Qual(ccallPath, "Pointer").Call(jen.Id("word")))
	case kUnsafe:
		return jen.Qual(ccallPath, "Pointer").Call(jen.Id("word"))
	case kStruct:
		return jen.Op("*").Id("value")
	case kBool:
		return jen.Id("rc").Op("&").Lit(0xff).Op("!=").Lit(0)
	}
	if t.size > 4 {
		if t.name == "uintptr" {
			return jen.Id("word")
		}
		return t.code().Call(jen.Id("word"))
	}
	if t.name == "int32" {
		return jen.Id("rc")
	}
	return t.code().Call(jen.Id("rc"))
}

// functionDoc is what a user reads about a function.
func (p *Plan) functionDoc(f *function) *doc {
	d := &doc{}
	text := p.Rules.Docs.Functions[f.Name]
	isRef := strings.HasSuffix(f.goName, "Ref") && p.Rules.Binding.Refs[f.Name] != "" && f.goName != p.namer.goOf[[2]string{"func", f.Name}]
	switch {
	case isRef:
		d.para("%s is [%s] with a registration that its owner releases, to be used %s.", f.goName, p.namer.goOf[[2]string{"func", f.Name}], p.Rules.Binding.Refs[f.Name])
	case text == "":
		d.para("%s calls %s.", f.goName, f.Name)
	default:
		d.para("%s %s", f.goName, sentence(text))
	}
	d.code(prototype(f.Name, f.Ret, f.Params)...)
	var facts []string
	switch {
	case p.Rules.Binding.Places.Needs == "":
	case slices.Contains(p.Rules.Facts.Context.None, f.Name) || slices.Contains(p.Rules.Facts.Device.None, f.Name):
		facts = append(facts, p.Rules.Binding.Places.None)
	default:
		facts = append(facts, p.Rules.Binding.Places.Needs)
	}
	if s := p.since(f.Span); s != "" {
		facts = append(facts, s)
	}
	if s := p.superseded(f.Function); s != "" {
		facts = append(facts, s)
	}
	if why := p.Rules.Binding.Missing[f.Name]; why != "" {
		facts = append(facts, "Libraries may lack it: "+sentence(why))
	}
	d.para("%s", strings.Join(facts, " "))
	d.list(p.paramNotes(f))
	for _, v := range f.Variants {
		if !sameProto(v, f.Function) {
			d.para("In %s the prototype was:", p.stretch(v.From, v.To))
			d.code(prototype(f.Name, v.Ret, v.Params)...)
		}
	}
	if g, ok := p.Rules.Docs.Groups[f.Group]; ok && g.Page != "" {
		d.para("See %s", g.Page)
	}
	d.para("%s", p.deprecated(f.Span, f.Internal))
	return d
}

func (p *Plan) stretch(from, to string) string {
	if from == to {
		return p.vendor() + " " + from
	}
	return fmt.Sprintf("%s %s to %s", p.vendor(), from, to)
}

// sameProto compares types only: a parameter that was renamed changes nothing for a caller.
func sameProto(v model.Prototype, f *model.Function) bool {
	return v.Ret == f.Ret && slices.EqualFunc(v.Params, f.Params, func(a, b model.Param) bool { return a.Type == b.Type })
}

// paramNotes are the items of a function's doc: what is kept, what NULL means, how callbacks live.
func (p *Plan) paramNotes(f *function) []string {
	var items []string
	for _, a := range f.params {
		place := f.Name + "." + a.Name
		kept := p.Rules.Facts.Retains[place]
		switch {
		case a.how == byClosure && a.cb.data < 0, a.how == byClosure && a.lifetime == "call":
			items = append(items, a.name+" is called before the function returns; it may be nil.")
			continue
		case a.how == byClosure:
			items = append(items, a.name+" runs once, on a thread of the driver's; nil passes no function."+p.refHint(f))
			continue
		case a.how == byRef:
			items = append(items, fmt.Sprintf("%s stays registered until its owner releases it%s; nil passes no function.", a.name, p.until(a)))
			continue
		case a.how == byUserData:
			continue
		}
		if kept != "" && a.how == byArg {
			items = append(items, fmt.Sprintf("%s is kept after the call: %s.", a.name, kept))
		}
		if dir := p.Rules.Facts.Direction[place]; strings.HasSuffix(dir, ":optional") && a.how == byArg {
			items = append(items, a.name+" may be nil.")
		}
	}
	return items
}

// refHint points to the form of a function for callbacks that run more than once.
func (p *Plan) refHint(f *function) string {
	if why := p.Rules.Binding.Refs[f.Name]; why != "" {
		return fmt.Sprintf(" Use [%sRef] %s.", f.goName, why)
	}
	return ""
}

func (p *Plan) until(a *param) string {
	if c, ok := strings.CutPrefix(a.lifetime, "until:"); ok {
		if g := p.namer.goOf[[2]string{"func", c}]; g != "" {
			return ", not before [" + g + "]"
		}
	}
	return ""
}

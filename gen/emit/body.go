package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/gpuevent/gpuevent/gen/rules"
)

// body writes the statements of one function.
type body struct {
	p *renderer
	f *function
	g *jen.Group
}

func (b *body) write() {
	f, g := b.f, b.g
	g.List(jen.Id("addr"), jen.Err()).Op(":=").Id(f.proc).Dot("Addr").Call()
	b.fail(jen.Err())
	b.before()
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
			fields = append(fields,
				jen.Id("A").Op(":").Index(jen.Qual(ccallPath, limit)).Uintptr().Values(words...))
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

// before lets a hand-written function refuse the arguments.
func (b *body) before() {
	check := b.p.Rules.Binding.Before[b.f.Name]
	if check == "" {
		return
	}
	b.g.Add(jen.Err()).Op("=").Id(check).CallFunc(func(g *jen.Group) {
		for _, a := range b.f.args() {
			g.Id(a.name)
		}
	})
	b.fail(jen.Err())
}

func (b *body) needsCode() bool { return b.f.ret.kind != kVoid }

// fail returns zero values and an error, if err is one.
func (b *body) fail(err *jen.Statement) { b.g.Add(b.failing(err)) }

func (b *body) failing(err *jen.Statement) *jen.Statement {
	zero := func(a *param) jen.Code { return a.typ.zero() }
	return jen.If(jen.Err().Op("!=").Nil()).Block(b.returns(zero, b.f.ret.zero(), err))
}

// wrapped is err with the names of the function and the parameter.
func (b *body) wrapped(a *param) *jen.Statement {
	return jen.Qual("fmt", "Errorf").Call(jen.Lit(b.p.prefix()+b.f.Name+": "+a.Name+": %w"), jen.Err())
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
		b.fail(b.wrapped(a))
	}
	for _, a := range b.f.params {
		if a.how == byClosure && a.cb.data < 0 {
			b.takeSlot(a)
		}
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
		case a.how == byClosure && a.cb.data >= 0:
			life := "Once"
			if a.lifetime.Life == rules.Call {
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

// takeSlot gets the C function of a callback without user data for the time of the call.
func (b *body) takeSlot(a *param) {
	b.g.Var().Id(a.name + "Word").Uintptr()
	b.g.If(jen.Id(a.name).Op("!=").Nil()).Block(
		jen.List(jen.Id("slot"), jen.Err()).Op(":=").Id(a.cb.slots()).Dot("Take").Call(jen.Id(a.name)),
		b.failing(b.wrapped(a)),
		jen.Defer().Id(a.cb.slots()).Dot("Give").Call(jen.Id("slot")),
		jen.Id(a.name+"Word").Op("=").Id("slot").Dot("Addr").Call(),
	)
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
		g.Id("value").Op(":=").New(f.ret.code())
		g.Id("call").
			Dot("Result").
			Call(jen.Qual("unsafe", "Pointer").Call(jen.Id("value")), jen.Qual("unsafe", "Sizeof").
				Call(jen.Op("*").Id("value")))
	}
	for _, a := range f.params {
		switch {
		case a.how == byArg && a.typ.kind == kFloat:
			g.Id("call").Dot(map[int]string{4: "Float32", 8: "Float64"}[a.typ.size]).Call(b.floatArg(a))
		case a.how == byArg && a.typ.kind == kStruct:
			g.Id("call").
				Dot("Struct").
				Call(jen.Qual("unsafe", "Pointer").Call(jen.Op("&").Id(a.name)), jen.Qual("unsafe", "Sizeof").
					Call(jen.Id(a.name)))
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
		case a.how == byArg && (a.typ.kind == kPtr || a.typ.kind == kUnsafe || a.typ.kind == kStruct &&
			b.p.pointers(a.typ)):
			keep(a.name)
		case a.how == byClosure && a.cb.data >= 0 && a.lifetime.Life == rules.Call:
			g.Qual(callbackPath, "Release").Call(jen.Id(a.name + "Data"))
		case a.how == byClosure && a.cb.data >= 0 && f.ret == b.p.result.typ:
			g.If(jen.Id("rc").Op("!=").Lit(0)).
				Block(jen.Qual(callbackPath, "Release").Call(jen.Id(a.name + "Data")))
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
			read[a] = jen.Qual(ccallPath, "GoString").
				Call(jen.Qual("unsafe", "Pointer").Call(jen.Qual("unsafe", "SliceData").
					Call(jen.Id(a.name + "Buf"))))
			continue
		case a.how == byOutText && a.slot >= 0:
			g.Id(a.name).Op(op).Qual(ccallPath, "GoString").Call(
				jen.Op("*").
					Parens(jen.Op("*").Qual("unsafe", "Pointer")).
					Call(jen.Id("out").Dot("At").Call(jen.Lit(a.slot))),
			)
		default:
			g.Id(a.name).
				Op(op).
				Op("*").
				Parens(jen.Op("*").Add(a.typ.code())).
				Call(jen.Id("out").Dot("At").Call(jen.Lit(a.slot)))
		}
		read[a] = jen.Id(a.name)
	}
	if f.slots > 0 {
		g.Id("out").Dot("Free").Call(jen.Lit(f.slots))
	}
	err := jen.Nil()
	if f.ret == b.p.result.typ {
		err = jen.Id("result").Call(jen.Op("&").Id(f.proc), jen.Id("rc"))
	}
	g.Add(b.returns(func(a *param) jen.Code { return read[a] }, b.value(), err))
}

// pointers reports whether a value of the type holds pointers to memory that must stay while C
// runs.
func (p *typing) pointers(t *gtype) bool {
	switch t.kind {
	case kPtr, kUnsafe:
		return true
	case kArray:
		return p.pointers(t.elem)
	case kStruct:
		for _, s := range slices.Concat(p.structs, p.olderStructs) {
			if s.typ == t {
				return slices.ContainsFunc(s.members, func(m *member) bool { return p.pointers(m.typ) })
			}
		}
	}
	return false
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

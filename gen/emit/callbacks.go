package emit

import (
	"fmt"
	"sort"

	"github.com/dave/jennifer/jen"
)

func (cb *cbtype) trampoline() string { return "trampoline" + cb.goName }
func (cb *cbtype) slots() string      { return "slots" + cb.goName }
func (cb *cbtype) enter() string      { return "enter" + cb.goName }

// renderCallbacks writes zcallbacks.go: the Go types of callbacks, their registrations, and what C
// calls.
func (p *renderer) renderCallbacks(parts map[string]*jen.File) {
	if len(p.callbacks) == 0 {
		return
	}
	f := p.file()
	sort.Slice(p.callbacks,
		func(i, j int) bool { return p.callbacks[i].goName < p.callbacks[j].goName })
	for _, cb := range p.callbacks {
		f.Line()
		d := p.typeDoc(cb.goName, cb.Name)
		d.code(prototype("(*"+cb.Name+")", cb.Ret, cb.Params)...)
		if !cb.unsupported {
			d.para(
				"It may be called on any thread, while other Go code runs. A panic in it is reported and "+
					"does not reach C, which gets %s. %s",
				cb.panickedText(),
				p.since(cb.Span),
			)
		}
		d.to(f)
		if cb.unsupported {
			f.Type().Id(cb.goName).Uintptr()
			continue
		}
		var params []typed
		for i, q := range cb.params {
			if i != cb.data && !q.hidden {
				params = append(params, typed{q.name, q.goType()})
			}
		}
		f.Type().Id(cb.goName).Func().Params(grouped(params)...).Do(func(s *jen.Statement) {
			if cb.ret.kind != kVoid {
				s.Add(cb.ret.code())
			}
		})
		p.renderTrampoline(f, cb)
		if cb.ref != "" {
			p.renderRef(f, cb)
		}
	}
	parts["zcallbacks.go"] = f
}

func (cb *cbtype) panickedText() string {
	if cb.ret.kind == kVoid {
		return "no result"
	}
	return cb.panicked
}

// renderTrampoline writes what C calls. Words arrive as C passed them; only their low bits count.
// Pointers arrive as pointers, because they may be to Go memory.
func (p *renderer) renderTrampoline(f *jen.File, cb *cbtype) {
	var words []typed
	for i, q := range cb.params {
		if i != cb.data && (q.typ.kind == kPtr || q.typ.kind == kUnsafe) {
			words = append(words, typed{q.name, q.typ.code()})
		} else {
			words = append(words, typed{q.name, jen.Uintptr()})
		}
	}
	call := func(run *jen.Statement) []jen.Code {
		fn := jen.Id("fn").CallFunc(func(g *jen.Group) {
			for i, q := range cb.params {
				switch {
				case i == cb.data, q.hidden:
				case q.length != nil:
					g.String().Call(jen.Qual("unsafe", "Slice").Call(jen.Id(q.name), jen.Id(q.length.name)))
				case q.typ.kind == kPtr || q.typ.kind == kUnsafe || q.typ.name == "uintptr":
					g.Id(q.name)
				case q.typ.kind == kBool:
					g.Id(q.name).Op("&").Lit(0xff).Op("!=").Lit(0)
				default:
					g.Add(q.typ.code()).Call(jen.Id(q.name))
				}
			}
		})
		if cb.ret.kind == kVoid {
			return []jen.Code{
				run.Call(append(cb.runArgs(), jen.Func().Params(jen.Id("fn").Id(cb.goName)).Block(fn))...),
				jen.Return(jen.Lit(0)),
			}
		}
		return []jen.Code{
			jen.Id("ret").Op(":=").Uintptr().Call(jen.Id(cb.panicked)),
			run.Call(
				append(
					cb.runArgs(),
					jen.Func().Params(jen.Id("fn").Id(cb.goName)).Block(jen.Id("ret").Op("=").Uintptr().Call(fn)),
				)...),
			jen.Return(jen.Id("ret")),
		}
	}
	f.Line()
	if cb.data < 0 {
		f.Var().
			Id(cb.slots()).
			Op("=").
			Qual(callbackPath, "Slots").
			Values(jen.Id("New").Op(":").Id(cb.enter()))
		f.Line()
		f.Comment(fmt.Sprintf("// %s makes the function that C calls for a %s.", cb.enter(), cb.Name))
		f.Func().Id(cb.enter()).Params(jen.Id("slot").Op("*").Qual(callbackPath, "Slot")).Any().Block(
			jen.Return(jen.Func().Params(grouped(words)...).Uintptr().
				Block(call(jen.Qual(callbackPath, "RunSlot"))...)),
		)
		return
	}
	f.Var().
		Id(cb.trampoline()).
		Op("=").
		Qual(callbackPath, "Trampoline").
		Values(jen.Id("Fn").Op(":").Id(cb.enter()))
	f.Line()
	f.Comment(fmt.Sprintf("// %s is the function that C calls for a %s.", cb.enter(), cb.Name))
	f.Func().
		Id(cb.enter()).
		Params(grouped(words)...).
		Uintptr().
		Block(call(jen.Qual(callbackPath, "Run"))...)
}

func (cb *cbtype) runArgs() []jen.Code {
	if cb.data < 0 {
		return []jen.Code{jen.Lit(cb.Name), jen.Id("slot")}
	}
	return []jen.Code{jen.Lit(cb.Name), jen.Id(cb.params[cb.data].name)}
}

// renderRef writes the registration that its owner releases.
func (p *renderer) renderRef(f *jen.File, cb *cbtype) {
	f.Line()
	d := &doc{}
	d.para(
		"%s is a [%s] that C may call any number of times, until its owner calls Release. Release it "+
			"only when C can no longer call it: "+
			"after it was unregistered, or when the graphs and objects that use it are destroyed. A later "+
			"call is reported and does nothing.",
		cb.ref,
		cb.goName,
	)
	d.para(
		"Its two words go where C takes a function and its user data, such as the fields of a struct. "+
			"Both are 0 for a nil %s.",
		cb.ref,
	)
	d.to(f)
	f.Type().Id(cb.ref).Struct(jen.Id("ref").Qual(callbackPath, "Ref"))
	f.Line()
	f.Comment(fmt.Sprintf("// %s registers fn for C.", cb.construct))
	f.Func().Id(cb.construct).Params(jen.Id("fn").Id(cb.goName)).Op("*").Id(cb.ref).Block(
		jen.Return(jen.Op("&").Id(cb.ref).Values(jen.Qual(callbackPath, "NewRef").
			Call(jen.Op("&").Id(cb.trampoline()), jen.Id("fn")))),
	)
	for _, m := range []struct{ name, doc string }{
		{"Fn", "// Fn returns the C function pointer."},
		{"UserData", "// UserData returns the word that C passes to the function."},
	} {
		f.Line()
		f.Comment(m.doc)
		f.Func().Params(jen.Id("r").Op("*").Id(cb.ref)).Id(m.name).Params().Uintptr().Block(
			jen.If(jen.Id("r").Op("==").Nil()).Block(jen.Return(jen.Lit(0))),
			jen.Return(jen.Id("r").Dot("ref").Dot(m.name).Call()))
	}
	f.Line()
	f.Comment("// Release ends the registration. It may be called again, and on nil.")
	f.Func().Params(jen.Id("r").Op("*").Id(cb.ref)).Id("Release").Params().Block(
		jen.If(jen.Id("r").Op("!=").Nil()).Block(jen.Id("r").Dot("ref").Dot("Release").Call()))
}

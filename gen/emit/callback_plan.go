package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

// byOwner is the lifetime of a registration that no fact tells: its owner releases it.
var byOwner = rules.Lifetime{Life: rules.ByObject}

// cbtype is a callback type of the API.
type cbtype struct {
	*model.Typedef
	goName, ref, construct string // HostFn, HostFnRef, NewHostFn
	// the parameter that carries the registration, -1 if the C type has none
	data        int
	params      []*cbparam
	ret         *gtype
	panicked    string // what C gets from a callback that panicked
	unsupported bool
}

type cbparam struct {
	name   string
	typ    *gtype
	length *cbparam // of a text: the parameter that says how long it is, which Go code does not see
	hidden bool
}

func (p *typing) declareCallbacks() error {
	for i := range p.Model.Typedefs {
		t := &p.Model.Typedefs[i]
		if t.Kind != "callback" {
			continue
		}
		g, err := p.namer.name("type", t.Name, p.namer.typ(t.Name), "Callback", "CallbackFunc")
		if err != nil {
			return err
		}
		p.callbacks = append(p.callbacks, &cbtype{Typedef: t, goName: g, data: -1})
	}
	return nil
}

func (p *typing) planCallbacks() error {
	for _, cb := range p.callbacks {
		fact, ok := p.Rules.Facts.Callback[cb.Name]
		if !ok {
			fact = rules.Callback{UserData: guessUserData(cb.Params), Lifetime: byOwner}
			p.Guesses = append(
				p.Guesses,
				rules.Guess{
					Place:  cb.Name,
					Choice: "callback with user data " + quoted(fact.UserData) + ", released by its owner",
				},
			)
		}
		ret, err := p.res.parse(cb.Ret)
		if err != nil {
			return err
		}
		cb.ret = ret
		if ret.kind == kPtr || ret.kind == kUnsafe { // memory that is not Go's
			cb.ret = tUintptr
		} else if ret.kind != kVoid && !ret.scalar() {
			cb.unsupported = true
			p.unbound("type", cb.Name, "a callback that returns %s can't be written in Go", cb.Ret)
		}
		cb.panicked = "0"
		if ret == p.result.typ {
			for _, v := range p.result.values {
				if v.Name == p.Rules.Binding.Unknown {
					cb.panicked = v.goName
				}
			}
			if cb.panicked == "0" {
				return fmt.Errorf("specs/%s.toml: %s returns %s, and 0 is success: name what C gets from a "+
					"callback that panicked, unknown in [package]", p.Rules.API, cb.Name, cb.Ret)
			}
		}
		for i, q := range cb.Params {
			if q.Type == "..." {
				cb.unsupported = true
				p.unbound("type", cb.Name, "a variadic callback can't be written in Go%s", p.takers(cb.Name))
				continue
			}
			t, err := p.res.parse(q.Type)
			if err != nil {
				return err
			}
			if q.Name == fact.UserData && fact.UserData != "" {
				cb.data = i
			}
			if t.kind == kFloat || t.kind == kStruct {
				cb.unsupported = true
				p.unbound("type", cb.Name, "a callback that takes %s by value can't be written in Go", q.Type)
			}
			cb.params = append(cb.params, &cbparam{name: argName(q.Name), typ: t})
		}
		p.pairTexts(cb)
		if cb.data < 0 || cb.unsupported {
			continue
		}
		if cb.ref, err = p.namer.name("type", refKey(cb.Name), cb.goName+"Ref",
			"Registration"); err != nil {
			return err
		}
		if cb.construct, err = p.namer.name("func", newKey(cb.Name), "New"+cb.goName,
			"Registration"); err != nil {
			return err
		}
	}
	return nil
}

// takers names the functions that take a callback.
func (p *typing) takers(c string) string {
	text := ""
	for _, f := range p.Model.Functions {
		for _, q := range f.Params {
			if string(q.Type) == c {
				text += "; " + f.Name + " takes it"
			}
		}
	}
	return text
}

// pairTexts makes strings of the texts that a rule names.
func (p *typing) pairTexts(cb *cbtype) {
	for i, q := range cb.Params {
		of, ok := p.Rules.Binding.Texts[cb.Name+"."+q.Name]
		if !ok || cb.params[i].typ.kind != kPtr || cb.params[i].typ.elem.size != 1 {
			continue
		}
		if j := slices.IndexFunc(cb.Params, func(l model.Param) bool { return l.Name == of }); j >= 0 {
			cb.params[i].length, cb.params[j].hidden = cb.params[j], true
		}
	}
}

// goType is what Go code sees.
func (q *cbparam) goType() *jen.Statement {
	if q.length != nil {
		return jen.String()
	}
	return q.typ.code()
}

// guessUserData finds the void * that a callback type's user data is.
func guessUserData(ps []model.Param) string {
	for _, p := range ps {
		if p.Type == "void *" && strings.Contains(strings.ToLower(p.Name), "data") {
			return p.Name
		}
	}
	if i := slices.IndexFunc(ps, func(p model.Param) bool { return p.Type == "void *" }); i >= 0 {
		return ps[i].Name
	}
	return ""
}

func quoted(s string) string { return `"` + s + `"` }

func (p *typing) callbackOf(c string) *cbtype {
	i := slices.IndexFunc(p.callbacks, func(cb *cbtype) bool { return cb.Name == c })
	if i < 0 {
		return nil
	}
	return p.callbacks[i]
}

package emit

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

// structShape is what the lock says of a struct or union: its size and alignment, on all targets
// where that differs.
func structShape(s *model.Struct) string {
	word := "struct"
	if s.Union {
		word = "union"
	}
	var b strings.Builder
	b.WriteString(word)
	for i, l := range s.Layouts {
		if i == 0 || l.Size != s.Layouts[0].Size || l.Align != s.Layouts[0].Align {
			fmt.Fprintf(&b, " %d/%d", l.Size, l.Align)
		}
	}
	return b.String()
}

// shape fills in the shapes and the items of names, for the lock.
func (p *calls) shape(names []rules.Name) {
	shapes, items := map[[2]string]string{}, map[[2]string][]string{}
	for _, f := range p.funcs {
		c := f.Name
		if f.ref {
			c = refKey(c)
		}
		shapes[[2]string{"func", c}] = p.signature(f)
		items[[2]string{"func", c}] = append(paramItems(f.Params), f.guard.items()...)
	}
	typ := func(c, shape string) { shapes[[2]string{"type", c}] = shape }
	for _, e := range p.enums {
		if e.typ != nil {
			typ(e.Name, "enum "+e.base())
		}
	}
	for _, h := range p.handles {
		typ(h.Name, "handle")
	}
	for _, t := range p.typedefs {
		if t.alias {
			typ(t.Name, "= "+t.target.text())
		} else {
			typ(t.Name, t.target.text())
		}
	}
	var nested func(list []*structure)
	nested = func(list []*structure) {
		for _, s := range list {
			typ(s.key, structShape(s.Struct))
			items[[2]string{"type", s.key}] = s.items()
			nested(s.nested)
		}
	}
	nested(p.structs)
	nested(p.olderStructs)
	for _, cb := range p.callbacks {
		typ(cb.Name, cb.signature())
		items[[2]string{"type", cb.Name}] = paramItems(cb.Params)
		typ(refKey(cb.Name), "registration")
		shapes[[2]string{"func", newKey(cb.Name)}] =
			signature([]string{cb.goName}, []string{"*" + cb.ref})
	}
	for _, in := range p.inits {
		shapes[[2]string{"func", newKey(in.c)}] = signature(nil, []string{in.typ})
	}
	for _, e := range p.enums {
		for _, v := range e.values {
			if !v.skip {
				shapes[[2]string{"const", v.Name}] = strconv.FormatInt(v.Value, 10)
			}
		}
	}
	for _, k := range p.consts {
		if n, ok := new(big.Int).SetString(k.Value, 0); ok && k.Kind != "string" {
			shapes[[2]string{"const", k.Name}] = n.String()
		}
	}
	for i := range names {
		key := [2]string{names[i].Kind, names[i].C}
		names[i].Shape = shapes[key]
		for _, item := range items[key] {
			names[i].Items += item + "\n"
		}
	}
}

// paramItems are the names of parameters as the lock has them.
func paramItems(params []model.Param) []string {
	var names []string
	for _, q := range params {
		names = append(names, q.Name)
	}
	if names == nil {
		return nil
	}
	return []string{"(" + strings.Join(names, ", ") + ")"}
}

func (g *guard) items() []string {
	if g == nil {
		return nil
	}
	return []string{strings.TrimSpace("layout " + g.of + " " + g.from + " " + g.below)}
}

// items are the members of a struct by their C names. Reserved bytes are none: later versions use
// them.
func (s *structure) items() []string {
	var out []string
	add := func(c string, offset int, place string, typ *gtype) {
		out = append(out, fmt.Sprintf("%s %d%s %s", c, offset, place, typ.text()))
	}
	at := map[string]int{}
	for _, m := range s.members {
		at[m.goName] = m.offset
		for _, b := range m.bits {
			add(b.c, m.offset+max(b.word, 0)*b.typ.size, fmt.Sprintf(".%d:%d", b.first, b.width), b.typ)
		}
		switch {
		case m.packed != nil:
			add(m.c, m.offset, "", m.packed)
		case !m.hidden && m.c != "":
			add(m.c, m.offset, "", m.typ)
		}
	}
	for _, a := range s.access {
		add(a.c, at[a.data]+a.offset, "", a.typ)
	}
	return out
}

// refKey and newKey are the names under which the lock has what C has no name for: the registration
// of a callback, or a function's form that takes one, and a constructor.
func refKey(c string) string { return c + ".ref" }
func newKey(c string) string { return c + ".new" }

// signature is the Go type of a function.
func (p *calls) signature(f *function) string {
	var args, results []string
	for _, a := range f.args() {
		args = append(args, a.goText())
	}
	if p.value(f) {
		results = append(results, f.ret.text())
	}
	for _, a := range f.results() {
		results = append(results, a.typ.text())
	}
	return signature(args, append(results, "error"))
}

func (a *param) goText() string {
	switch a.how {
	case byClosure:
		return a.cb.goName
	case byRef:
		return "*" + a.cb.ref
	}
	return a.typ.text()
}

// signature is the Go type of a callback.
func (cb *cbtype) signature() string {
	if cb.unsupported {
		return "uintptr"
	}
	var args, results []string
	for i, q := range cb.params {
		switch {
		case i == cb.data, q.hidden:
		case q.length != nil:
			args = append(args, "string")
		default:
			args = append(args, q.typ.text())
		}
	}
	if cb.ret.kind != kVoid {
		results = append(results, cb.ret.text())
	}
	return signature(args, results)
}

// text is the type as Go source spells it.
func (t *gtype) text() string {
	switch t.kind {
	case kVoid:
		return ""
	case kPtr:
		return "*" + t.elem.text()
	case kArray:
		return fmt.Sprintf("[%d]%s", t.n, t.elem.text())
	case kFunc:
		return "uintptr"
	case kUnsafe:
		if !t.named {
			return "unsafe.Pointer"
		}
	}
	return t.name
}

// signature is the type of a Go function.
func signature(args, results []string) string {
	s := "func(" + strings.Join(args, ", ") + ")"
	switch len(results) {
	case 0:
		return s
	case 1:
		return s + " " + results[0]
	}
	return s + " (" + strings.Join(results, ", ") + ")"
}

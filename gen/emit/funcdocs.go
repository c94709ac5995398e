package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

// functionDoc is the doc comment of a function.
func (p *renderer) functionDoc(f *function) *doc {
	d := &doc{}
	text := p.inGo(p.Rules.Docs.Functions[f.Name], true)
	switch {
	case f.ref:
		d.para("%s is [%s] with a registration that its owner releases. Use it %s.", f.goName,
			p.namer.goOf[[2]string{"func", f.Name}], p.Rules.Binding.Refs[f.Name])
	case text == "":
		d.para("%s calls %s.", f.goName, f.Name)
	default:
		d.para("%s %s", f.goName, sentence(text))
	}
	d.code(prototype(f.Name, f.Ret, f.Params)...)
	var facts []string
	switch {
	case p.Rules.Binding.Places.Needs == "":
	case slices.Contains(p.Rules.Facts.Context.None, f.Name) ||
		slices.Contains(p.Rules.Facts.Device.None, f.Name):
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
	if s := p.missing(f.Name); s != "" {
		facts = append(facts, s)
	}
	if s := p.guardNote(f); s != "" {
		facts = append(facts, s)
	}
	d.para("%s", strings.Join(facts, " "))
	d.list(p.paramNotes(f))
	for _, v := range f.Variants {
		if !sameProto(v, f.Function) {
			d.para("In %s the prototype was:", p.stretch(v.From, v.To))
			d.code(prototype(f.Name, v.Ret, v.Params)...)
		}
	}
	if g, ok := p.Rules.Docs.Groups[p.groupOf(f.Function)]; ok && g.Page != "" {
		d.para("See %s", g.Page)
	}
	d.para("%s", p.deprecated(f.Span, f.Internal))
	return d
}

func (p spec) stretch(from, to string) string {
	if from == to {
		return p.vendor() + " " + from
	}
	return fmt.Sprintf("%s %s to %s", p.vendor(), from, to)
}

// sameProto compares types only: renaming a parameter changes nothing for a caller.
func sameProto(v model.Prototype, f *model.Function) bool {
	return v.Ret == f.Ret &&
		slices.EqualFunc(v.Params, f.Params, func(a, b model.Param) bool { return a.Type == b.Type })
}

// paramNotes are the items of a function's doc: what is kept, what NULL means, how callbacks live.
func (p *renderer) paramNotes(f *function) []string {
	var items []string
	for _, a := range f.params {
		place := f.Name + "." + a.Name
		kept := p.Rules.Facts.Retains[place]
		switch {
		case a.how == byClosure && a.cb.data < 0, a.how == byClosure && a.lifetime.Life == rules.Call:
			items = append(items, a.name+" is called before the function returns; it may be nil.")
			continue
		case a.how == byClosure:
			items = append(items,
				a.name+" runs once, on a driver thread; nil means no function."+p.refHint(f))
			continue
		case a.how == byRef:
			items = append(
				items,
				fmt.Sprintf("%s stays registered until its owner releases it%s; nil means no function.", a.name,
					p.until(a)),
			)
			continue
		case a.how == byUserData:
			continue
		}
		if says := p.Rules.Binding.GoTypes[place].Says; says != "" && a.how == byArg {
			items = append(items, a.name+" is "+sentence(says))
		}
		if kept != "" && a.how == byArg {
			items = append(items, fmt.Sprintf("%s is used after the call: %s.", a.name, kept))
		}
		if p.Rules.Facts.Direction[place].Optional && a.how == byArg {
			items = append(items, a.name+" may be nil.")
		}
	}
	return items
}

// refHint names the form of a function for callbacks that run more than once.
func (p *renderer) refHint(f *function) string {
	if why := p.Rules.Binding.Refs[f.Name]; why != "" {
		return fmt.Sprintf(" Use [%sRef] %s.", f.goName, why)
	}
	return ""
}

func (p *renderer) until(a *param) string {
	if a.lifetime.Life == rules.Until {
		if g := p.namer.goOf[[2]string{"func", a.lifetime.End}]; g != "" {
			return ", not before [" + g + "]"
		}
	}
	return ""
}

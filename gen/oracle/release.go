package oracle

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gpuevent/gpuevent/gen/model"
)

// release is one release's view of the API, or the union of all in the newest shapes.
type release struct {
	version   int
	functions map[string]*model.Function
	enums     map[string]*model.Enum
	structs   map[string]*model.Struct
	typedefs  map[string]*model.Typedef
	consts    map[string]*model.Const
	owner     map[string]string // enumerator -> the enum that declares it
	number    map[string]int64  // enumerator -> its number
}

// history is all releases of an API.
type history struct {
	union *release
	all   []*release // oldest first
	m     *model.Model
}

func newHistory(m *model.Model) (*history, error) {
	h := &history{m: m}
	for _, v := range m.Versions {
		view, err := m.View(v.Name)
		if err != nil {
			return nil, err
		}
		h.all = append(h.all, newRelease(view, v.Number))
	}
	h.union = newRelease(m, 0)
	h.union.settle(h.all)
	return h, nil
}

func newRelease(m *model.Model, version int) *release {
	r := &release{version: version, functions: map[string]*model.Function{},
		enums: map[string]*model.Enum{}, structs: map[string]*model.Struct{},
		typedefs: map[string]*model.Typedef{}, consts: map[string]*model.Const{},
		owner: map[string]string{}, number: map[string]int64{}}
	for i, f := range m.Functions {
		r.functions[f.Name] = &m.Functions[i]
	}
	for i, e := range m.Enums {
		r.enums[e.Name] = &m.Enums[i]
		for _, v := range e.Values {
			r.owner[v.Name], r.number[v.Name] = e.Name, v.Value
		}
	}
	for i, s := range m.Structs {
		r.structs[s.Name] = &m.Structs[i]
	}
	for i, t := range m.Typedefs {
		r.typedefs[t.Name] = &m.Typedefs[i]
	}
	for i, c := range m.Consts {
		r.consts[c.Name] = &m.Consts[i]
	}
	return r
}

// settle decides what a name is in the union where releases disagree: what the newest of them says.
func (u *release) settle(all []*release) {
	section, owner := map[string]string{}, map[string]string{}
	for _, r := range all {
		mark(section, r.structs, "struct")
		mark(section, r.enums, "enum")
		mark(section, r.typedefs, "typedef")
		maps.Copy(owner, r.owner)
		mark(owner, r.consts, "")
	}
	keep(u.structs, func(name string) bool { return section[name] == "struct" })
	for name, e := range u.enums { // the name means another type by now; the enumerators remain
		if section[name] != "enum" {
			u.enums[name] = &model.Enum{Name: name, Bare: true, Signed: e.Signed, Wide: e.Wide,
				Values: e.Values}
		}
	}
	keep(u.typedefs, func(name string) bool { return section[name] == "typedef" })
	keep(u.consts, func(name string) bool { return owner[name] == "" })
	u.owner = owner
}

func mark[T any](m map[string]string, items map[string]*T, as string) {
	for name := range items {
		m[name] = as
	}
}

func keep[T any](items map[string]*T, ok func(name string) bool) {
	maps.DeleteFunc(items, func(name string, _ *T) bool { return !ok(name) })
}

// values are the enumerators of all releases of the enum named, in the union's order.
func (h *history) values(enum string) []string {
	var out []string
	for _, e := range h.m.Enums {
		if e.Name == enum {
			for _, v := range e.Values {
				out = append(out, v.Name)
			}
		}
	}
	return out
}

// enumerators are those of all enums, enum by enum.
func (h *history) enumerators() []string {
	var out []string
	seen := map[string]bool{}
	for _, e := range h.m.Enums {
		for _, v := range e.Values {
			if !seen[v.Name] {
				seen[v.Name] = true
				out = append(out, v.Name)
			}
		}
	}
	return out
}

// names are the sorted names of a section over all releases.
func names[T any](h *history, section func(*release) map[string]*T) []string {
	all := map[string]bool{}
	for _, r := range h.all {
		for name := range section(r) {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// guarded writes what text returns for each release, under the conditions of the preprocessor that
// select it. Entities that stand under the same conditions one after the other share them.
func (w *writer) guarded(entities []string, text func(r *release, name string) string) {
	open := ""
	for _, name := range entities {
		parts := w.parts(func(r *release) string { return text(r, name) })
		if len(parts) == 1 {
			if open != parts[0].cond {
				w.endif(open)
				if open = parts[0].cond; open != "" {
					w.line("#if " + open)
				}
			}
			w.line(parts[0].text)
			continue
		}
		w.endif(open)
		open = ""
		for i, p := range parts {
			w.line([]string{"#if ", "#elif "}[min(i, 1)] + p.cond)
			w.line(p.text)
		}
		if len(parts) > 0 {
			w.line("#endif")
		}
	}
	w.endif(open)
}

func (w *writer) endif(open string) {
	if open != "" {
		w.line("#endif")
	}
}

// part is a text and the condition under which it stands; no condition: always.
type part struct{ cond, text string }

// parts groups the releases by text. Texts that are empty are left out.
func (w *writer) parts(text func(*release) string) []part {
	var parts []part
	union, placed := text(w.union), false
	for i := 0; i < len(w.all); {
		t, j := text(w.all[i]), i+1
		for j < len(w.all) && text(w.all[j]) == t {
			j++
		}
		if t != "" {
			cond := w.stretch(i, j)
			switch {
			case t == union && i == 0 && j == len(w.all):
				cond = ""
			case t == union:
				// Of several equal stretches each may serve the union; only one condition is true at a time.
				cond, placed = "ORACLE_ALL || "+cond, true
			default:
				cond = "!ORACLE_ALL && " + cond
			}
			placed = placed || cond == ""
			parts = append(parts, part{cond, t})
		}
		i = j
	}
	if union != "" && !placed {
		parts = append([]part{{"ORACLE_ALL", union}}, parts...)
	}
	return parts
}

// stretch is the condition for the releases from i up to j, not included.
func (w *writer) stretch(i, j int) string {
	switch {
	case i == 0 && j == len(w.all):
		return "!ORACLE_ALL" // never alone: the caller's text differs in the union
	case i == 0:
		return fmt.Sprintf("ORACLE_VERSION < %d", w.all[j].version)
	case j == len(w.all):
		return fmt.Sprintf("ORACLE_VERSION >= %d", w.all[i].version)
	}
	return fmt.Sprintf("O_IN(%d, %d)", w.all[i].version, w.all[j].version)
}

package oracle

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
)

func functionNames(h *history) []string {
	return names(h, func(r *release) map[string]*model.Function { return r.functions })
}

// functions writes a definition for every function.
func (w *writer) functions() {
	w.guarded(functionNames(w.history), func(r *release, name string) string {
		f := w.lastForm(r, name)
		if f == nil {
			return ""
		}
		var b strings.Builder
		fmt.Fprintf(&b, "O_API %s {\n", w.declare(f.Ret, name+"("+w.params(f.Params)+")", ""))
		fmt.Fprintf(&b, "    o_enter(%q);\n", name)
		for i, p := range f.Params {
			if p.Type != "..." {
				fmt.Fprintf(&b, "    O_ARG(%d, %s);\n", i, p.Name)
			}
		}
		by := w.counted(r, f)
		for i, p := range f.Params {
			if by[i] >= 0 {
				fmt.Fprintf(&b, "    size_t o_n%d = %s; /* elements of %s */\n", i,
					w.many(by[i], f.Params[by[i]]), p.Name)
			}
		}
		for i, p := range f.Params {
			b.WriteString(w.touch(r, f, i, p, by[i] >= 0))
		}
		b.WriteString(w.result(r, f))
		b.WriteString("}")
		return b.String()
	})
}

// lastForm is a function as a release has it. In the union, typedefs that have come to mean another
// type since the function's last release are replaced by what they meant then.
func (w *writer) lastForm(r *release, name string) *model.Function {
	f := r.functions[name]
	if f == nil || r != w.union {
		return f
	}
	last := w.all[len(w.all)-1]
	for _, x := range slices.Backward(w.all) {
		if x.functions[name] != nil {
			last = x
			break
		}
	}
	g := *f
	g.Params = slices.Clone(f.Params)
	for i, p := range g.Params {
		if p.Type == "..." {
			continue
		}
		c := w.parse(p.Type)
		base := c
		for base.Kind != model.Named {
			base = base.Elem
		}
		then, now := last.typedefs[base.Name], r.typedefs[base.Name]
		if then != nil && now != nil && then.Kind == "alias" && then.Type != now.Type &&
			w.parse(then.Type).Kind == model.Named {
			base.Name = string(then.Type)
			g.Params[i].Type = c.Type()
		}
	}
	return &g
}

// many is how many elements a count says there are.
func (w *writer) many(j int, q model.Param) string {
	if w.parse(q.Type).Kind == model.Pointer {
		return fmt.Sprintf("%s && o_may(%d) ? o_many((long long)*%s) : 1", q.Name, j, q.Name)
	}
	return fmt.Sprintf("o_many((long long)%s)", q.Name)
}

// touch is what the oracle does with what a parameter points to: one object, or as many as its
// count says.
func (w *writer) touch(r *release, f *model.Function, i int, p model.Param, counted bool) string {
	if p.Type == "..." {
		return ""
	}
	size := fmt.Sprintf("sizeof *%s", p.Name)
	if counted {
		size += fmt.Sprintf(" * o_n%d", i)
	}
	switch w.shapeOf(r, p.Type) {
	case text:
		return fmt.Sprintf("    o_string(%d, %s);\n", i, p.Name)
	case textOut:
		return fmt.Sprintf("    o_put_text(%d, %s);\n", i, p.Name)
	case textGiven:
		return fmt.Sprintf("    o_give_text(%d, (void *)%s);\n", i, p.Name)
	case readOnly:
		return fmt.Sprintf("    o_read(%d, %s, %s, O_CLASS(*%s));\n", i, p.Name, size, p.Name)
	case writable:
		return fmt.Sprintf("    o_write(%d, (void *)%s, %s, O_CLASS(*%s));\n", i, p.Name, size, p.Name)
	case function:
		return fmt.Sprintf("    if (%s && o_may(%d)) o_call(o_call_%s, (void *)%s, %s);\n", p.Name, i,
			place(string(p.Type)), p.Name, w.userData(r, f, i))
	}
	return ""
}

// userData is the parameter that carries the data of the callback at i: the pointer to void of the
// name that the callback's type has for it, else the next one behind it, else the nearest before.
func (w *writer) userData(r *release, f *model.Function, i int) string {
	if t := r.typedefs[string(f.Params[i].Type)]; t != nil {
		if k := userDataOf(t.Params); k >= 0 {
			for _, p := range f.Params {
				if p.Type == "void *" && p.Name == t.Params[k].Name {
					return p.Name
				}
			}
		}
	}
	for _, p := range f.Params[i+1:] {
		if p.Type == "void *" {
			return p.Name
		}
	}
	for j := i - 1; j >= 0; j-- {
		if f.Params[j].Type == "void *" {
			return f.Params[j].Name
		}
	}
	return "0"
}

// userDataName matches what headers call the word that a callback gets back.
var userDataName = regexp.MustCompile(`(?i:data|payload|user|context|closure|cookie)`)

// userDataOf is the parameter of a callback that carries its user data: of several pointers to void
// the one with a telling name, else the first; -1 if there is none.
func userDataOf(ps []model.Param) int {
	first := -1
	for i, p := range ps {
		if p.Type != "void *" {
			continue
		}
		if userDataName.MatchString(p.Name) {
			return i
		}
		if first < 0 {
			first = i
		}
	}
	return first
}

// result ends a function: the API's code as it was told, anything else as a pattern.
func (w *writer) result(r *release, f *model.Function) string {
	c := w.parse(f.Ret)
	switch {
	case c.Kind == model.Named && c.Name == "void":
		return ""
	case r.enums[c.Name] != nil:
		return fmt.Sprintf("    return (%s)o_code;\n", f.Ret)
	case c.Kind == model.Pointer && c.Elem.Kind == model.Named && c.Elem.Name == "char":
		return "    o_note(O_WROTE_TEXT, -1, o_text(-1), strlen(o_text(-1)));\n    return o_text(-1);\n"
	}
	bits := ""
	if f.Ret == "_Bool" { // it has no other values
		bits = "    *(unsigned char *)&o_result &= 1;\n"
	}
	return fmt.Sprintf("    %s;\n    o_pattern(-1, &o_result, sizeof o_result);\n"+bits+
		"    o_note_of(O_WROTE, -1, &o_result, sizeof o_result, O_CLASS(o_result));\n"+
		"    return o_result;\n",
		w.declare(f.Ret, "o_result", ""))
}

// callbacks writes, for every callback type, a function that calls one.
func (w *writer) callbacks() {
	w.guarded(names(w.history, func(r *release) map[string]*model.Typedef { return r.typedefs }),
		func(r *release, name string) string {
			t := r.typedefs[name]
			if t == nil || t.Kind != "callback" {
				return ""
			}
			var b strings.Builder
			fmt.Fprintf(&b, "static void o_call_%s(void *o_at, void *o_user) {\n    %s o_fn = (%s)o_at;\n",
				place(name), place(name), place(name))
			var args []string
			for i := range t.Params {
				if t.Params[i].Type == "..." {
					break
				}
				args = append(args, fmt.Sprintf("o_a%d", i))
				b.WriteString(w.callbackArg(r, t.Params, i))
			}
			call := fmt.Sprintf("o_fn(%s)", strings.Join(args, ", "))
			if t.Ret == "void" {
				fmt.Fprintf(&b, "    %s;\n    o_note(O_CB_RESULT, 0, \"\", 0);\n", call)
			} else {
				fmt.Fprintf(&b, "    %s = %s;\n", w.declare(t.Ret, "o_r", ""), call)
				b.WriteString("    o_note_of(O_CB_RESULT, 0, &o_r, sizeof o_r, O_CLASS(o_r));\n")
			}
			b.WriteString("    (void)o_user;\n}")
			return b.String()
		})
}

// callbackArg declares and fills argument i of a callback. One pointer to void is the user data; a
// size behind a text is its length.
func (w *writer) callbackArg(r *release, ps []model.Param, i int) string {
	p := ps[i]
	name := fmt.Sprintf("o_a%d", i)
	decl := w.declare(p.Type, name, "")
	note := fmt.Sprintf("    o_note_of(O_CB_ARG, %d, &%s, sizeof %s, O_CLASS(%s));\n", i, name, name,
		name)
	switch {
	case i == userDataOf(ps):
		return fmt.Sprintf("    %s = o_user;\n", decl) + note
	case p.Type == "void *", p.Type == "const void *":
		return fmt.Sprintf("    %s = o_cb_points(%d, 16);\n", decl, i) + note
	}
	if i > 0 && p.Type == "size_t" {
		if s := w.shapeOf(r, ps[i-1].Type); s == text || s == textOut {
			return fmt.Sprintf("    %s = strlen(o_a%d);\n", decl, i-1) + note
		}
	}
	c := w.parse(p.Type)
	switch w.shapeOf(r, p.Type) {
	case text, textOut:
		return fmt.Sprintf("    %s = o_cb_text(%d);\n", decl, i) + note
	case readOnly, writable, textGiven:
		return fmt.Sprintf("    %s = o_cb_points(%d, sizeof *%s);\n", decl, i, name) + note
	}
	if c.Kind == model.Pointer && c.Const || c.Const {
		return fmt.Sprintf("    %s = 0;\n", decl) + note
	}
	return fmt.Sprintf("    %s;\n    o_pattern(%d, &%s, sizeof %s);\n", decl, 64+i, name, name) + note
}

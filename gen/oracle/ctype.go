package oracle

import (
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
)

// parse takes a type apart; a type that doesn't parse was never let into a spec.
func (w *writer) parse(t model.Type) *model.C {
	c, err := t.Parse()
	if err != nil {
		w.fail(err)
		return &model.C{Name: "int"}
	}
	return c
}

// declare spells the declaration of name with type t. base replaces the base type's spelling if it
// is not empty.
func (w *writer) declare(t model.Type, name, base string) string {
	c := w.parse(t)
	if base == "" {
		base = place(c.Base())
	}
	return c.DeclareAs(base, name)
}

// place makes a word of a name such as "cuFoo.bar", which the model gives to a function pointer
// type without a name.
func place(name string) string {
	if strings.Contains(name, ".") {
		return "o_place_" + strings.ReplaceAll(name, ".", "_")
	}
	return name
}

// shape is what a parameter means to the oracle.
type shape int

const (
	plain     shape = iota // nothing but its word
	text                   // const char *
	textOut                // char *
	textGiven              // char **, const char **
	readOnly               // const T *
	writable               // T *
	function               // a callback
)

// shapeOf looks at a parameter's type as it is spelled: what a typedef hides is a handle.
func (w *writer) shapeOf(r *release, t model.Type) shape {
	c := w.parse(t)
	if c.Kind == model.Named {
		if d := r.typedefs[c.Name]; d != nil && d.Kind == "callback" {
			return function
		}
		return plain
	}
	if c.Kind != model.Pointer {
		return plain // an array parameter is a pointer, and the model spells it so
	}
	e := c.Elem
	switch {
	case e.Kind == model.Named && e.Name == "char" && e.Const:
		return text
	case e.Kind == model.Named && e.Name == "char":
		return textOut
	case e.Kind == model.Pointer && !e.Const && e.Elem.Kind == model.Named && e.Elem.Name == "char":
		return textGiven
	case !w.complete(r, e):
		return plain
	case constant(e):
		return readOnly
	}
	return writable
}

// constant reports whether C forbids to write to c.
func constant(c *model.C) bool {
	for c.Kind == model.Array {
		c = c.Elem
	}
	return c.Const
}

// complete reports whether C knows the size of c.
func (w *writer) complete(r *release, c *model.C) bool {
	for c.Kind == model.Array {
		c = c.Elem
	}
	if c.Kind == model.Pointer {
		return true
	}
	if d := r.typedefs[c.Name]; d != nil {
		return d.Kind != "alias" || w.complete(r, w.parse(d.Type))
	}
	if tag, ok := strings.CutPrefix(c.Name, "struct "); ok {
		return r.tagged(tag, false)
	}
	if tag, ok := strings.CutPrefix(c.Name, "union "); ok {
		return r.tagged(tag, true)
	}
	return c.Name != "void"
}

func (r *release) tagged(tag string, union bool) bool {
	for _, s := range r.structs {
		if s.Tag == tag && s.Union == union {
			return true
		}
	}
	return false
}

package oracle

import (
	"regexp"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
)

// countName matches what the headers call a number of elements. A size or a length is one of bytes.
var countName = regexp.MustCompile(`^n[A-Z_]|^nb|(?i:num|count|entries|capacity)`)

// most is the largest count that C heeds: a word that is no count is hardly ever as small.
const most = 4

// counted finds for each pointer parameter of a function the parameter that says how many elements
// it points to, or -1. The generator's facts are left aside on purpose: a wrong one must not hide
// behind itself.
//
// The array stands beside its count, on the left if there is a pointer on both sides; more arrays
// of the same count stand to the left of it. A count that C writes through a pointer counts only
// what looks like an array, for a pair of single results looks alike otherwise.
func (w *writer) counted(r *release, f *model.Function) []int {
	by := make([]int, len(f.Params))
	for i := range by {
		by[i] = -1
	}
	for j, q := range f.Params {
		through, ok := w.isCount(r, q)
		if !ok {
			continue
		}
		array := func(i int) bool {
			return i >= 0 && i < len(f.Params) && by[i] < 0 && w.isArray(r, f.Params[i]) &&
				!countName.MatchString(f.Params[i].Name)
		}
		beside := func(i int) bool { return array(i) && (!through || plural(f.Params[i].Name)) }
		i := j - 1
		if !beside(i) {
			i = j + 1
		}
		if !beside(i) {
			continue
		}
		by[i] = j
		for i--; i < j && array(i) &&
			(plural(f.Params[i].Name) || f.Params[i].Type == f.Params[i+1].Type); i-- {
			by[i] = j
		}
	}
	return by
}

// isCount reports whether a parameter may say how many elements there are, and whether it does so
// through a pointer.
func (w *writer) isCount(r *release, p model.Param) (through, ok bool) {
	if p.Type == "..." || !countName.MatchString(p.Name) {
		return false, false
	}
	c := w.parse(p.Type)
	if c.Kind == model.Pointer {
		through, c = true, c.Elem
	}
	return through, c.Kind == model.Named && model.IsBase(c.Name) && c.Name != "void" &&
		c.Name != "char" && c.Name != "float" && c.Name != "double"
}

// isArray reports whether a parameter may point to several elements. What points to memory of the
// library does not.
func (w *writer) isArray(r *release, p model.Param) bool {
	if p.Type == "..." {
		return false
	}
	switch w.shapeOf(r, p.Type) {
	case readOnly, writable:
		e := w.parse(p.Type).Elem
		return constant(e) || e.Kind != model.Pointer || !constant(e.Elem)
	}
	return false
}

func plural(name string) bool {
	name = strings.TrimSuffix(strings.TrimSuffix(name, "_out"), "Out")
	return strings.HasSuffix(name, "s") || strings.HasSuffix(name, "List") ||
		strings.HasSuffix(name, "Array")
}

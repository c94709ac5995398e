package rules

import (
	"regexp"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
)

// Guess is a decision that no rule covers.
type Guess struct {
	Place  string // function.param
	Choice string
}

var (
	outName   = regexp.MustCompile(`^(p|ph|pp|phtex)[A-Z]|^out[A-Z]|(_out|Out|_return|_ret)$`)
	countName = regexp.MustCompile(`^n[A-Z_]|(?i:^p?num|count|size|len(gth)?$|capacity)`)
	getName   = regexp.MustCompile(`^[a-z]+[A-Za-z0-9]*Get[A-Z]`)
)

// GuessDirection decides how a pointer parameter is passed if neither a fact nor const decides it.
// A parameter is a result only if its name or the header's own mark says so and no other parameter
// looks like a count; otherwise it stays the caller's pointer, which is always correct. handle
// reports whether a C type is a handle: a handle is a single result even beside a count of other
// things.
func GuessDirection(f *model.Function, i int, handle func(c string) bool) string {
	p := f.Params[i]
	t, err := p.Type.Parse()
	if err != nil || t.Kind != model.Pointer {
		return "in"
	}
	counted, arrays := false, false // by number or by pointer to one; are there arrays
	for j, q := range f.Params {
		qt, err := q.Type.Parse()
		if j == i || err != nil {
			continue
		}
		number := qt.Kind == model.Named || qt.Kind == model.Pointer && qt.Elem.Kind == model.Named &&
			model.IsBase(qt.Elem.Name) && qt.Elem.Name != "char"
		isCount := countName.MatchString(q.Name)
		counted = counted || number && isCount
		arrays = arrays || qt.Kind == model.Pointer && !isCount && !qt.Elem.Const
	}
	// these are often four values
	isOut := p.Dir == "out" || p.Dir == "" && outName.MatchString(p.Name) && t.Elem.Name != "float"
	plural := strings.HasSuffix(strings.TrimSuffix(strings.TrimSuffix(p.Name, "_out"), "Out"), "s")
	switch e := t.Elem; {
	case e.Kind == model.Named && e.Name == "void":
		return "buffer"
	case e.Kind == model.Named && e.Name == "char":
		for _, q := range f.Params {
			if strings.EqualFold(q.Name, "len") || strings.EqualFold(q.Name, "length") {
				return "string:" + q.Name
			}
		}
		return "buffer"
	case e.Kind == model.Named && handle(e.Name) && isOut && outName.MatchString(p.Name) && !plural:
		return "out"
	case counted:
		return "buffer"
	case e.Kind == model.Pointer && e.Elem.Kind == model.Named && e.Elem.Name == "char" &&
		e.Elem.Const:
		return "out:string"
	case isOut && !(arrays && countName.MatchString(p.Name)):
		return "out"
	case p.Dir == "" && !arrays && getName.MatchString(f.Name) && e.Kind == model.Named &&
		(model.IsBase(e.Name) || handle(e.Name)) && !plural:
		return "out"
	}
	return "inout"
}

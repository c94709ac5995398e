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
	outName   = regexp.MustCompile(`^(p|ph|pp|phtex)[A-Z]|(_out|Out|_return|_ret)$`)
	countName = regexp.MustCompile(`(?i)(^n(um)?[A-Z_]|^num|count|size|len(gth)?$|capacity)`)
)

// GuessDirection decides how a pointer parameter travels, when neither a fact nor const tells. It calls a parameter a result only where
// the name or the header's own mark says so and no other parameter looks like a count; else it stays the caller's pointer.
func GuessDirection(f *model.Function, i int) string {
	p := f.Params[i]
	t, err := p.Type.Parse()
	if err != nil || t.Kind != model.Pointer {
		return "in"
	}
	counted := false
	for j, q := range f.Params {
		if qt, err := q.Type.Parse(); j != i && err == nil && qt.Kind == model.Named && countName.MatchString(q.Name) {
			counted = true
		}
	}
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
	case counted:
		return "buffer"
	case e.Kind == model.Pointer && e.Elem.Kind == model.Named && e.Elem.Name == "char" && e.Elem.Const:
		return "out:string"
	case p.Dir == "out" || p.Dir == "" && outName.MatchString(p.Name):
		return "out"
	}
	return "inout"
}

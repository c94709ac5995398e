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
	countName = regexp.MustCompile(`^n[A-Z_]|(?i:^p?(num|nb|max)|count|cnt|size|len(gth)?$|` +
		`capacity|entries|elements|total)`)
	getName    = regexp.MustCompile(`^[a-z]+[A-Za-z0-9]*(Get|_get_)`)
	lengthName = regexp.MustCompile(`(?i)^(len|length)$`)
	// integers with these names are no counts: they choose one of several things
	choiceName = regexp.MustCompile(`(?i:^h?(flags?|dev(ice)?|index|idx|ordinal|id|priority|port|` +
		`channel|attr(ib(ute)?)?|mode|type|kind|reserved\d*|pid|tid)$)|[a-z0-9](Flags|Dev|Device|` +
		`Index|Idx|Ordinal|Id|ID|Priority|Mode|Type|Kind)$|_(flags|dev|device|index|idx|id|mode|type)$`)
	singular = regexp.MustCompile(`(?i)(ss|us|flags|bytes)$`)
)

// largeResult is how many bytes a struct may have to be guessed as a result, which is copied.
const largeResult = 4096

// GuessDirection decides how a pointer parameter is passed if neither a fact nor const decides it.
// A wrong result lets C write beyond what Go holds for it, so a parameter is a result only if its
// name or the header's own mark says so, nothing beside it may be a count, and it points to one
// value of a fixed size that C does not read. Otherwise it stays the caller's pointer, which is
// always correct.
func GuessDirection(f *model.Function, i int, types *Shapes) Direction {
	p := f.Params[i]
	t, err := p.Type.Parse()
	if err != nil || t.Kind != model.Pointer {
		return Direction{Way: In}
	}
	counted, others, texts := false, 0, 0
	for j, q := range f.Params {
		if j == i {
			continue
		}
		counted = counted || types.mayCount(q)
		if qt, err := q.Type.Parse(); err == nil && qt.Kind == model.Pointer && !types.Handle(q.Type) {
			others++
			if e := qt.Elem; e.Kind == model.Named && (e.Name == "char" || e.Name == "void") {
				texts++
			}
		}
	}
	e := t.Elem
	switch {
	case e.Kind == model.Named && e.Name == "void":
		return Direction{Way: Buffer}
	case e.Kind == model.Named && e.Name == "char":
		for _, q := range f.Params {
			if lengthName.MatchString(q.Name) && types.number(string(q.Type)) && texts == 0 {
				return Direction{Way: Text, Length: q.Name}
			}
		}
		return Direction{Way: Buffer}
	case counted:
		return Direction{Way: Buffer}
	case e.Kind == model.Pointer && e.Elem.Kind == model.Named && e.Elem.Name == "char" &&
		e.Elem.Const:
		return Direction{Way: OutText}
	case !types.oneValue(e) || plural(p.Name):
		return Direction{Way: InOut}
	case countName.MatchString(p.Name) && others > 0: // how many there are of something else
		return Direction{Way: InOut}
	case p.Dir == "out", p.Dir == "" && outName.MatchString(p.Name):
		return Direction{Way: Out}
	case p.Dir == "" && others == 0 && getName.MatchString(f.Name) && e.Kind == model.Named &&
		(model.IsBase(e.Name) || types.Handle(model.Type(e.Name))):
		return Direction{Way: Out}
	}
	return Direction{Way: InOut}
}

// plural reports whether a parameter is named after several things.
func plural(name string) bool {
	name = strings.TrimSuffix(strings.TrimSuffix(name, "_out"), "Out")
	return strings.HasSuffix(name, "s") && !singular.MatchString(name)
}

package header

import (
	"maps"
	"slices"

	"modernc.org/cc/v4"

	"github.com/gpuevent/gpuevent/gen/model"
)

// wrappers makes aliases of inline functions that do nothing but hand their parameters to another
// function.
func (u *unit) wrappers() {
	for _, name := range slices.Sorted(maps.Keys(u.bodies)) {
		f := u.bodies[name]
		sp := declSpecs(f.DeclarationSpecifiers)
		if !sp.inline && !sp.static || name[0] == '_' {
			continue
		}
		target := forwards(f)
		if u.functions[target] != nil && target != name {
			u.aliases[name] = &model.Alias{Name: name, Kind: "function",
				Spans: []model.AliasSpan{{Target: target}}}
		}
	}
}

// forwards is the function that a body of the form { return g(a, b); } calls with its own
// parameters, all, in order. Casts count as nothing, for a wrapper may go from one name of a type
// to another.
func forwards(f *cc.FunctionDefinition) string {
	toks := cc.NodeTokens(f.CompoundStatement)
	w := words(toks)
	if len(w) < 6 || w[0] != "{" || w[len(w)-1] != "}" {
		return ""
	}
	w = w[1 : len(w)-1]
	// cc puts C's implicit definition of __func__ first.
	if i := slices.Index(w, ";"); slices.Contains(w[:max(i, 0)], "__func__") {
		w = w[i+1:]
	}
	if len(w) > 0 && w[0] == "return" {
		w = w[1:]
	}
	if len(w) < 4 || !ident(w[0]) || w[1] != "(" || w[len(w)-1] != ";" || w[len(w)-2] != ")" {
		return ""
	}
	target, args := w[0], w[2:len(w)-2]
	var names []string
	if l := paramList(f.Declarator); l != nil {
		for p := l.ParameterList; p != nil; p = p.ParameterList {
			if n := p.ParameterDeclaration.Declarator.Name(); n != "" {
				names = append(names, n)
			}
		}
	}
	if !slices.Equal(arguments(args), names) {
		return ""
	}
	return target
}

// paramList is the parameter list of a function definition, which may return a pointer.
func paramList(d *cc.Declarator) *cc.ParameterTypeList {
	for dd := d.DirectDeclarator; dd != nil; dd = dd.DirectDeclarator {
		if dd.Case == cc.DirectDeclaratorFuncParam {
			return dd.ParameterTypeList
		}
	}
	return nil
}

// arguments are call arguments without their casts.
func arguments(w []string) []string {
	var out []string
	for len(w) > 0 {
		end := 0
		for depth := 0; end < len(w); end++ {
			switch w[end] {
			case "(":
				depth++
			case ")":
				depth--
			}
			if depth == 0 && w[end] == "," {
				break
			}
		}
		out = append(out, uncast(w[:end]))
		if end == len(w) {
			break
		}
		w = w[end+1:]
	}
	return out
}

func uncast(w []string) string {
	w = unparen(w)
	for len(w) > 3 && w[0] == "(" {
		end := slices.Index(w, ")")
		if end < 0 {
			break
		}
		w = unparen(w[end+1:])
	}
	if len(w) == 1 {
		return w[0]
	}
	return "?"
}

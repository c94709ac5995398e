package header

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"modernc.org/cc/v4"

	"github.com/gpuevent/gpuevent/gen/model"
)

// intMacro is a macro's integer value.
func (u *unit) intMacro(name string) (int64, bool) {
	m := u.ast.Macros[name]
	if m == nil || m.IsFnLike {
		return 0, false
	}
	switch v := m.Value().(type) {
	case cc.Int64Value:
		return int64(v), true
	case cc.UInt64Value:
		return int64(v), true
	}
	return 0, false
}

// macros sorts the vendor's object-like macros into aliases and constants.
func (u *unit) macros() {
	for _, name := range slices.Sorted(maps.Keys(u.ast.Macros)) {
		m := u.ast.Macros[name]
		if m.IsFnLike || name[0] == '_' || !u.files.vendor(m.Position().Filename) ||
			u.files.isForeign(m.Position().Filename) {
			continue
		}
		target := u.resolve(name)
		if target != "" && u.alias(name, target) || !u.partOfAPI(name) {
			continue
		}
		c := u.constant(m)
		if enum := u.enumerators[target]; target != "" && enum != "" {
			c = u.enumConst(enum, target)
		}
		if c != nil {
			c.Name, c.Span = name, u.span(m)
			u.consts[name] = c
		}
	}
}

// partOfAPI tells the API's own macros from plumbing by the shape of the name: the API's prefix, no
// include guard, and not what the version number is made of.
func (u *unit) partOfAPI(name string) bool {
	if u.api.versionMacro(name) || name == u.api.Internal || slices.Contains(u.api.Switches, name) {
		return false
	}
	for _, s := range []string{"_H", "_H_", "_H__", "_HPP"} {
		if strings.HasSuffix(name, s) {
			return false
		}
	}
	for _, p := range u.api.Prefixes {
		rest, ok := strings.CutPrefix(name, p)
		if ok && rest != "" && (strings.HasSuffix(p, "_") || rest[0] < 'a' || rest[0] > 'z') {
			return true
		}
	}
	return false
}

// resolve follows a macro that is another name, also through macros like ID(x) that give their
// argument back, to a name that is no macro any more. It is empty for all other macros.
func (u *unit) resolve(name string) string {
	seen := map[string]bool{}
	for cur := name; !seen[cur]; {
		seen[cur] = true
		m := u.ast.Macros[cur]
		if m == nil {
			return cur
		}
		if m.IsFnLike {
			return ""
		}
		next := u.single(m.ReplacementList())
		if next == "" {
			return ""
		}
		if next == cur { // #define f f
			return cur
		}
		cur = next
	}
	return ""
}

// single is the one identifier that tokens stand for.
func (u *unit) single(toks []cc.Token) string {
	w := words(toks)
	for len(w) > 2 && w[0] == "(" && w[len(w)-1] == ")" {
		w = w[1 : len(w)-1]
	}
	switch {
	case len(w) == 1 && ident(w[0]):
		return w[0]
	case len(w) == 4 && ident(w[0]) && w[1] == "(" && ident(w[2]) && w[3] == ")":
		m := u.ast.Macros[w[0]]
		if m == nil || !m.IsFnLike || len(m.Params) != 1 {
			return ""
		}
		if body := words(m.ReplacementList()); len(body) == 1 && body[0] == m.Params[0].SrcStr() {
			return w[2]
		}
	}
	return ""
}

func words(toks []cc.Token) []string {
	var w []string
	for _, t := range toks {
		if s := strings.TrimSpace(t.SrcStr()); s != "" {
			w = append(w, s)
		}
	}
	return w
}

func ident(s string) bool {
	for i, r := range s {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// alias adds name if its target is a function or a type.
func (u *unit) alias(name, target string) bool {
	a := &model.Alias{Name: name, Spans: []model.AliasSpan{{Target: target}}}
	switch {
	case u.functions[target] != nil:
		a.Kind = "function"
	case u.structs[target] != nil || u.enums[target] != nil || u.typedefs[target] != nil:
		a.Kind = "type"
	default:
		return false
	}
	if name != target {
		u.aliases[name] = a
	}
	return true
}

// enumConst is the constant of a macro that names an enumerator.
func (u *unit) enumConst(enum, target string) *model.Const {
	for _, v := range u.enums[enum].Values {
		if v.Name == target {
			return &model.Const{Kind: "int", Value: strconv.FormatInt(v.Value, 10),
				Type: model.Type(u.enums[enum].CName())}
		}
	}
	return nil
}

// constant is a macro's value, or nil if it has none that is part of an API.
func (u *unit) constant(m *cc.Macro) *model.Const {
	c := &model.Const{}
	body := u.body(m)
	c.Type = u.cast(body)
	t := m.Type()
	isPointer := t != nil && t.Kind() == cc.Ptr
	switch v := m.Value().(type) {
	case cc.StringValue:
		c.Kind, c.Value, c.Type = "string", strings.TrimRight(string(v), "\x00"), ""
		if c.Value == "" || strings.ContainsAny(c.Value, " \t\n") {
			return nil // a message, not a value
		}
		return c
	case cc.Float64Value:
		c.Kind, c.Value = "float", strconv.FormatFloat(float64(v), 'g', -1, 64)
		if t != nil && t.Kind() == cc.Float {
			c.Type = "float"
		}
		return c
	case cc.Int64Value:
		c.Kind, c.Value = "int", strconv.FormatInt(int64(v), 10)
		if t != nil && !cc.IsSignedInteger(t) && v >= 0 {
			c.Kind = "uint"
		}
		if isPointer {
			c.Kind, c.Value = "pointer", strconv.FormatUint(uint64(v), 10)
		}
	case cc.UInt64Value:
		c.Kind, c.Value = "uint", strconv.FormatUint(uint64(v), 10)
		if isPointer {
			c.Kind = "pointer"
		}
	default:
		return nil
	}
	if c.Type == "" && t != nil && !isPointer && t.Size() == 8 {
		c.Type = "long long"
		if c.Kind == "uint" {
			c.Type = "unsigned long long"
		}
	}
	if h := hexLiteral(body, c.Value); h != "" {
		c.Value = h
	}
	return c
}

// body is the macro's text, followed through macros that only name another one.
func (u *unit) body(m *cc.Macro) []string {
	for range 16 {
		next := u.ast.Macros[u.single(m.ReplacementList())]
		if next == nil || next.IsFnLike {
			break
		}
		m = next
	}
	return words(m.ReplacementList())
}

// cast is the type in a body that is a cast: "CUstream" of ((CUstream)0x1).
func (u *unit) cast(body []string) model.Type {
	body = unparen(body)
	if len(body) < 4 || body[0] != "(" {
		return ""
	}
	end := slices.Index(body, ")")
	if end < 2 || end == len(body)-1 {
		return ""
	}
	name := body[1:end]
	stars := 0
	for len(name) > 0 && name[len(name)-1] == "*" {
		name, stars = name[:len(name)-1], stars+1
	}
	if len(name) == 0 || slices.ContainsFunc(name, func(w string) bool { return !ident(w) }) {
		return ""
	}
	s := strings.Join(name, " ")
	if stars > 0 {
		s += " " + strings.Repeat("*", stars)
	}
	t := model.Type(s)
	if _, err := t.Parse(); err != nil {
		return ""
	}
	base := name[len(name)-1]
	if !model.IsBase(strings.Join(name, " ")) && u.typedefs[base] == nil && u.enums[base] == nil &&
		u.structs[base] == nil {
		return ""
	}
	return t
}

// unparen takes parentheses around a whole body off.
func unparen(body []string) []string {
	for len(body) > 2 && body[0] == "(" {
		depth, end := 0, -1
		for i, w := range body {
			switch w {
			case "(":
				depth++
			case ")":
				depth--
			}
			if depth == 0 {
				end = i
				break
			}
		}
		if end != len(body)-1 {
			break
		}
		body = body[1:end]
	}
	return body
}

// hexLiteral is the literal of a body that is one hexadecimal number, with or without a cast, if it
// has the value.
func hexLiteral(body []string, value string) string {
	body = unparen(body)
	if len(body) > 3 && body[0] == "(" {
		if i := slices.Index(body, ")"); i > 0 {
			body = unparen(body[i+1:])
		}
	}
	if len(body) != 1 || !strings.HasPrefix(strings.ToLower(body[0]), "0x") {
		return ""
	}
	s := strings.TrimRight(body[0], "uUlL")
	n, err := strconv.ParseUint(s, 0, 64)
	if err != nil || strconv.FormatUint(n, 10) != value {
		return ""
	}
	return s
}

package header

import (
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/gpuevent/gpuevent/gen/model"
)

// node is a C type as a declaration spells it. Types are taken from the syntax and not from the
// type checker, because only the syntax keeps every typedef name and the place of every const.
type node struct {
	kind     kind
	name     string // named: as a Type spells it
	key      string // named: "struct tag", if that is what stands there or what the name was given to
	cnst     bool
	elem     *node // pointer, array; a function's result
	len      int64
	params   []param
	variadic bool
}

type param struct {
	name string
	node *node
}

type kind int

const (
	named kind = iota
	pointer
	array
	function
)

// specs are a declaration's specifiers, sorted out.
type specs struct {
	types      []*cc.TypeSpecifier
	cnst       bool
	typedef    bool
	static     bool
	inline     bool
	deprecated bool
	attributes []*cc.AttributeSpecifierList // all of the above
	// of a struct that is defined here
	own []*cc.AttributeSpecifierList
}

func declSpecs(l *cc.DeclarationSpecifiers) specs {
	var s specs
	for ; l != nil; l = l.DeclarationSpecifiers {
		s.attribute(l.AttributeSpecifierList)
		switch l.Case {
		case cc.DeclarationSpecifiersStorage:
			switch l.StorageClassSpecifier.Case {
			case cc.StorageClassSpecifierTypedef:
				s.typedef = true
			case cc.StorageClassSpecifierStatic:
				s.static = true
			}
		case cc.DeclarationSpecifiersTypeSpec:
			s.add(l.TypeSpecifier)
		case cc.DeclarationSpecifiersTypeQual:
			s.qualify(l.TypeQualifier)
		case cc.DeclarationSpecifiersFunc:
			s.inline = s.inline || l.FunctionSpecifier.Case == cc.FunctionSpecifierInline
		}
	}
	return s
}

func listSpecs(l *cc.SpecifierQualifierList) specs {
	var s specs
	for ; l != nil; l = l.SpecifierQualifierList {
		s.attribute(l.AttributeSpecifierList)
		switch l.Case {
		case cc.SpecifierQualifierListTypeSpec:
			s.add(l.TypeSpecifier)
		case cc.SpecifierQualifierListTypeQual:
			s.qualify(l.TypeQualifier)
		}
	}
	return s
}

func (s *specs) add(t *cc.TypeSpecifier) {
	s.types = append(s.types, t)
	if t.Case == cc.TypeSpecifierStructOrUnion {
		u := t.StructOrUnionSpecifier
		if u.Case == cc.StructOrUnionSpecifierDef {
			s.own = append(s.own, u.AttributeSpecifierList, u.AttributeSpecifierList2)
		}
		s.attribute(u.AttributeSpecifierList)
		s.attribute(u.AttributeSpecifierList2)
	}
}

func (s *specs) attribute(l *cc.AttributeSpecifierList) {
	if l != nil {
		s.attributes = append(s.attributes, l)
		s.deprecated = s.deprecated || hasDeprecated(l)
	}
}

func (s *specs) qualify(q *cc.TypeQualifier) {
	s.cnst = s.cnst || q.Case == cc.TypeQualifierConst
	s.attribute(q.AttributeSpecifierList)
}

// tagged gives the tag that the specifiers name, "struct tag", or the definition that has none.
func (s *specs) tagged() (string, cc.Node) {
	for _, t := range s.types {
		switch t.Case {
		case cc.TypeSpecifierStructOrUnion:
			u := t.StructOrUnionSpecifier
			if tag := u.Token.SrcStr(); tag != "" {
				return unionOrStruct(u) + " " + tag, nil
			}
			return "", u
		case cc.TypeSpecifierEnum:
			if tag := t.EnumSpecifier.Token2.SrcStr(); tag != "" {
				return "enum " + tag, nil
			}
			return "", t.EnumSpecifier
		}
	}
	return "", nil
}

func unionOrStruct(s *cc.StructOrUnionSpecifier) string {
	if s.StructOrUnion.Case == cc.StructOrUnionUnion {
		return "union"
	}
	return "struct"
}

func isTag(name string) bool {
	return strings.HasPrefix(name, "struct ") || strings.HasPrefix(name, "union ")
}

// attributes calls f with the names in a list of attributes, without underscores around them.
func attributes(l *cc.AttributeSpecifierList, f func(name string, at cc.Node)) {
	for ; l != nil; l = l.AttributeSpecifierList {
		for v := l.AttributeSpecifier.AttributeValueList; v != nil; v = v.AttributeValueList {
			f(strings.Trim(v.AttributeValue.Token.SrcStr(), "_"), v.AttributeValue)
		}
	}
}

// alignedTo is the alignment that attributes ask for, 0 for none. Without a number it is the
// largest of the target, which is 16.
func alignedTo(lists ...*cc.AttributeSpecifierList) int {
	align := 0
	for _, l := range lists {
		attributes(l, func(name string, at cc.Node) {
			v, ok := at.(*cc.AttributeValue)
			if !ok || name != "aligned" {
				return
			}
			n := 16
			if list := v.ArgumentExpressionList; list != nil {
				switch value := list.AssignmentExpression.Value().(type) {
				case cc.Int64Value:
					n = int(value)
				case cc.UInt64Value:
					n = int(value)
				}
			}
			align = max(align, n)
		})
	}
	return align
}

func hasDeprecated(l *cc.AttributeSpecifierList) bool {
	found := false
	attributes(l, func(name string, _ cc.Node) { found = found || name == "deprecated" })
	return found
}

// layoutAttributes change sizes or offsets, and cc ignores them or does not say that it heeded
// them.
var layoutAttributes = map[string]bool{
	"packed": true, "mode": true, "vector_size": true, "ext_vector_type": true, "ms_struct": true,
	"gcc_struct":           true,
	"scalar_storage_order": true, "transparent_union": true,
}

// checkLayout refuses attributes without which a layout would be wrong without a word. A definition
// may be packed.
func (u *unit) checkLayout(s specs, lists ...*cc.AttributeSpecifierList) {
	for _, l := range append(lists, s.attributes...) {
		attributes(l, func(name string, at cc.Node) {
			if layoutAttributes[name] && !(name == "packed" && slices.Contains(s.own, l)) {
				u.failf(at, "the attribute %s is not supported: it changes layouts", name)
			}
		})
	}
}

// base is the type that specifiers name. place names an enum that has no name of its own.
func (u *unit) base(s specs, place string) *node {
	n := &node{kind: named, cnst: s.cnst}
	words := map[string]int{}
	for _, t := range s.types {
		switch t.Case {
		case cc.TypeSpecifierStructOrUnion:
			sp := t.StructOrUnionSpecifier
			n.name = unionOrStruct(sp)
			if tag := sp.Token.SrcStr(); tag != "" {
				n.key = n.name + " " + tag
				n.name = n.key
				if typedef := u.names[n.key]; typedef != "" {
					n.name = typedef
				}
			} else if typedef := u.anonymous[sp]; typedef != "" {
				n.name = typedef
			}
			return n
		case cc.TypeSpecifierEnum:
			n.name = u.enumName(t.EnumSpecifier, place)
			return n
		case cc.TypeSpecifierTypeName:
			name := t.Token.SrcStr()
			if f := u.foreign[name]; f != nil && !u.vendor[name] && !model.IsBase(name) {
				c := *f
				c.cnst = c.cnst || n.cnst
				return &c
			}
			n.name = name
			return n
		case cc.TypeSpecifierTypeofExpr, cc.TypeSpecifierTypeofType, cc.TypeSpecifierAtomic,
			cc.TypeSpecifierComplex, cc.TypeSpecifierImaginary:
			u.failf(t, "types like this one are not supported")
			n.name = "int"
			return n
		}
		words[t.Token.SrcStr()]++
	}
	n.name = arithmetic(words)
	return n
}

// arithmetic is the canonical spelling of a type made of keywords in any order.
func arithmetic(words map[string]int) string {
	has := func(names ...string) bool {
		for _, n := range names {
			if words[n] > 0 {
				return true
			}
		}
		return false
	}
	unsigned := ""
	if has("unsigned") {
		unsigned = "unsigned "
	}
	switch {
	case has("void"):
		return "void"
	case has("_Bool", "bool"):
		return "_Bool"
	case has("float", "_Float32"):
		return "float"
	case has("double", "_Float64"):
		if has("long") {
			return "long double"
		}
		return "double"
	case has("_Float16"):
		return "_Float16"
	case has("char"):
		if has("signed", "__signed__", "__signed") {
			return "signed char"
		}
		return unsigned + "char"
	case has("short"):
		return unsigned + "short"
	case words["long"] > 1:
		return unsigned + "long long"
	case has("long"):
		return unsigned + "long"
	case has("int", "signed", "unsigned", "__signed__", "__signed") || len(words) == 0:
		return unsigned + "int"
	}
	for w := range words {
		return w
	}
	return "int"
}

// declarator wraps base in what a declarator says about its name.
func (u *unit) declarator(base *node, d *cc.Declarator, place string) *node {
	if d == nil {
		return base
	}
	return u.direct(pointers(base, d.Pointer), d.DirectDeclarator, place)
}

func pointers(n *node, p *cc.Pointer) *node {
	for ; p != nil; p = p.Pointer {
		n = &node{kind: pointer, elem: n}
		for q := p.TypeQualifiers; q != nil; q = q.TypeQualifiers {
			n.cnst = n.cnst || q.TypeQualifier != nil && q.TypeQualifier.Case == cc.TypeQualifierConst
		}
	}
	return n
}

func (u *unit) direct(n *node, d *cc.DirectDeclarator, place string) *node {
	if d == nil {
		return n
	}
	switch d.Case {
	case cc.DirectDeclaratorIdent:
		return n
	case cc.DirectDeclaratorDecl:
		return u.declarator(n, d.Declarator, place)
	case cc.DirectDeclaratorFuncParam:
		return u.direct(u.fn(n, d.ParameterTypeList, place), d.DirectDeclarator, place)
	case cc.DirectDeclaratorFuncIdent:
		return u.direct(&node{kind: function, elem: n}, d.DirectDeclarator, place)
	}
	return u.direct(&node{kind: array, elem: n, len: u.length(d, d.AssignmentExpression)},
		d.DirectDeclarator, place)
}

func (u *unit) abstract(n *node, d *cc.AbstractDeclarator, place string) *node {
	if d == nil {
		return n
	}
	return u.directAbstract(pointers(n, d.Pointer), d.DirectAbstractDeclarator, place)
}

func (u *unit) directAbstract(n *node, d *cc.DirectAbstractDeclarator, place string) *node {
	if d == nil {
		return n
	}
	switch d.Case {
	case cc.DirectAbstractDeclaratorDecl:
		return u.abstract(n, d.AbstractDeclarator, place)
	case cc.DirectAbstractDeclaratorFunc:
		return u.directAbstract(u.fn(n, d.ParameterTypeList, place), d.DirectAbstractDeclarator, place)
	}
	return u.directAbstract(&node{kind: array, elem: n, len: u.length(d, d.AssignmentExpression)},
		d.DirectAbstractDeclarator, place)
}

func (u *unit) length(at cc.Node, e cc.ExpressionNode) int64 {
	if e == nil {
		return 0
	}
	switch v := e.Value().(type) {
	case cc.Int64Value:
		if v >= 0 {
			return int64(v)
		}
	case cc.UInt64Value:
		if v < 1<<62 {
			return int64(v)
		}
	}
	u.failf(at, "an array's length is no constant")
	return 0
}

func (u *unit) fn(result *node, l *cc.ParameterTypeList, place string) *node {
	f := &node{kind: function, elem: result}
	if l == nil {
		return f
	}
	f.variadic = l.Case == cc.ParameterTypeListVar
	for pl := l.ParameterList; pl != nil; pl = pl.ParameterList {
		d := pl.ParameterDeclaration
		sp := declSpecs(d.DeclarationSpecifiers)
		for _, t := range sp.types {
			if t.Case == cc.TypeSpecifierStructOrUnion &&
				t.StructOrUnionSpecifier.Case == cc.StructOrUnionSpecifierDef {
				u.failf(d, "a struct is defined inside of a parameter list")
			}
		}
		p := param{name: d.Declarator.Name()}
		at := place + "." + p.name
		if d.Case == cc.ParameterDeclarationDecl {
			p.node = u.declarator(u.base(sp, at), d.Declarator, at)
		} else {
			p.node = u.abstract(u.base(sp, at), d.AbstractDeclarator, at)
		}
		f.params = append(f.params, p)
	}
	if len(f.params) == 1 && f.params[0].name == "" && f.params[0].node.kind == named &&
		f.params[0].node.name == "void" {
		f.params = nil
	}
	return f
}

// decay is what a parameter of array or function type really is, and drops the const of the
// parameter itself.
func decay(n *node) *node {
	switch n.kind {
	case array:
		return &node{kind: pointer, elem: n.elem}
	case function:
		return &node{kind: pointer, elem: n}
	}
	if n.cnst {
		c := *n
		c.cnst = false
		return &c
	}
	return n
}

// spell is the node's canonical spelling. A function pointer without a typedef becomes a callback
// typedef named after its place.
func (u *unit) spell(n *node, place string) model.Type { return u.ctype(n, place).Type() }

func (u *unit) ctype(n *node, place string) *model.C {
	switch n.kind {
	case pointer:
		if n.elem.kind == function {
			t := &model.Typedef{Name: place, Kind: "callback"}
			t.Ret, t.Params = u.prototype(n.elem, place)
			u.typedefs[place] = t
			return &model.C{Kind: model.Named, Name: place, Const: n.cnst}
		}
		if n.elem.kind == named && u.fnTypedefs[n.elem.name] {
			return &model.C{Kind: model.Named, Name: n.elem.name, Const: n.cnst}
		}
		return &model.C{Kind: model.Pointer, Const: n.cnst, Elem: u.ctype(n.elem, place)}
	case array:
		return &model.C{Kind: model.Array, Len: n.len, Elem: u.ctype(n.elem, place)}
	case function: // only behind a typedef or a pointer, both handled above
		return u.ctype(&node{kind: pointer, elem: n}, place)
	}
	return &model.C{Kind: model.Named, Name: n.name, Const: n.cnst}
}

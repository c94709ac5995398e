package header

import (
	"fmt"
	"slices"

	"modernc.org/cc/v4"

	"github.com/gpuevent/gpuevent/gen/model"
)

// deprecated marks a Span until stamp puts the version's name there.
const deprecated = "yes"

// unit is one header as one target sees it.
type unit struct {
	api    api
	files  *files
	ast    *cc.AST
	target model.Target

	packing *packing

	docs       map[string]*docs                  // per vendor file
	names      map[string]string                 // "struct tag" -> the typedef that names it
	anonymous  map[cc.Node]string                // an unnamed definition -> the typedef that names it
	defined    map[string]bool                   // "struct tag" with a definition
	resized    map[string]bool                   // packed structs whose size cc does not know
	realigned  map[string]bool                   // or whose alignment
	alien      map[string]bool                   // types of foreign headers
	specs      map[string]cc.Node                // "struct tag" -> its definition
	vendor     map[string]bool                   // the vendor's own typedef names
	foreign    map[string]*node                  // typedefs of our stand-in headers, taken apart
	fnTypedefs map[string]bool                   // typedefs of a function, not of a pointer to one
	bodies     map[string]*cc.FunctionDefinition // functions that the header defines

	functions   map[string]*model.Function
	enums       map[string]*model.Enum
	structs     map[string]*model.Struct
	typedefs    map[string]*model.Typedef
	consts      map[string]*model.Const
	aliases     map[string]*model.Alias
	enumerators map[string]string // enumerator -> enum
	hidden      []string
	err         error
}

// failf keeps the first thing that a header says and the model can't hold.
func (u *unit) failf(n cc.Node, format string, args ...any) {
	if u.err == nil {
		pos := n.Position()
		u.err = fmt.Errorf("%s:%d: %s", pos.Filename, pos.Line, fmt.Sprintf(format, args...))
	}
}

func (u *unit) read() error {
	u.docs = map[string]*docs{}
	u.names, u.anonymous = map[string]string{}, map[cc.Node]string{}
	u.defined, u.specs = map[string]bool{}, map[string]cc.Node{}
	u.vendor, u.foreign, u.fnTypedefs = map[string]bool{}, map[string]*node{}, map[string]bool{}
	u.bodies = map[string]*cc.FunctionDefinition{}
	u.functions, u.enums = map[string]*model.Function{}, map[string]*model.Enum{}
	u.structs, u.typedefs = map[string]*model.Struct{}, map[string]*model.Typedef{}
	u.consts, u.aliases = map[string]*model.Const{}, map[string]*model.Alias{}
	u.enumerators, u.alien = map[string]string{}, map[string]bool{}
	u.resized, u.realigned = map[string]bool{}, map[string]bool{}

	for l := u.ast.TranslationUnit; l != nil; l = l.TranslationUnit {
		u.name(l.ExternalDeclaration)
	}
	for l := u.ast.TranslationUnit; l != nil; l = l.TranslationUnit {
		u.declare(l.ExternalDeclaration)
	}
	for name := range u.bodies {
		if _, ok := u.functions[name]; ok {
			delete(u.functions, name) // declared here, but defined here too: no symbol of the library
			u.hidden = append(u.hidden, name)
		}
	}
	slices.Sort(u.hidden)
	u.prune()
	u.wrappers()
	u.macros()
	return u.err
}

// span is what is known of an entity's history at its declaration: the optional header that it
// stands in.
func (u *unit) span(at cc.Node) model.Span {
	return model.Span{Header: u.files.optional[at.Position().Filename]}
}

// name finds out what the header calls its structs, unions and enums, before anything refers to
// them.
func (u *unit) name(x *cc.ExternalDeclaration) {
	if x == nil || x.Case != cc.ExternalDeclarationDecl || x.Declaration.Case != cc.DeclarationDecl {
		return
	}
	d := x.Declaration
	sp := declSpecs(d.DeclarationSpecifiers)
	u.defineIn(sp)
	if !sp.typedef {
		return
	}
	mine := u.files.vendor(d.Position().Filename) || u.files.vendor(d.Token.Position().Filename)
	first := true
	for l := d.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
		decl := l.InitDeclarator.Declarator
		name := decl.Name()
		if !mine {
			if _, ok := u.foreign[name]; !ok {
				u.foreign[name] = u.declarator(u.base(sp, name), decl, name)
			}
			continue
		}
		u.vendor[name] = true
		if !plain(decl) || !first {
			continue
		}
		key, def := sp.tagged()
		switch {
		case key != "":
			if _, ok := u.names[key]; !ok {
				u.names[key] = name
			}
		case def != nil:
			u.anonymous[def] = name
		}
		first = false
	}
}

// defineIn notes the tags that are defined in specifiers, also inside of other structs.
func (u *unit) defineIn(sp specs) {
	for _, t := range sp.types {
		switch t.Case {
		case cc.TypeSpecifierStructOrUnion:
			s := t.StructOrUnionSpecifier
			if s.Case != cc.StructOrUnionSpecifierDef || empty(s) {
				continue
			}
			if tag := s.Token.SrcStr(); tag != "" {
				u.defined[unionOrStruct(s)+" "+tag] = true
				u.specs[unionOrStruct(s)+" "+tag] = s
			}
			for l := s.StructDeclarationList; l != nil; l = l.StructDeclarationList {
				if l.StructDeclaration.Case == cc.StructDeclarationDecl {
					u.defineIn(listSpecs(l.StructDeclaration.SpecifierQualifierList))
				}
			}
		case cc.TypeSpecifierEnum:
			if e := t.EnumSpecifier; e.Case == cc.EnumSpecifierDef && e.Token2.SrcStr() != "" {
				u.defined["enum "+e.Token2.SrcStr()] = true
			}
		}
	}
}

// plain reports a declarator that is a name and nothing else.
func plain(d *cc.Declarator) bool {
	return d.Pointer == nil && d.DirectDeclarator != nil &&
		d.DirectDeclarator.Case == cc.DirectDeclaratorIdent
}

// declare reads one declaration of the vendor's.
func (u *unit) declare(x *cc.ExternalDeclaration) {
	switch {
	case x == nil:
	case x.Case == cc.ExternalDeclarationFuncDef:
		f := x.FunctionDefinition
		if name := f.Declarator.Name(); u.files.vendor(f.Declarator.Position().Filename) &&
			!u.files.isForeign(f.Declarator.Position().Filename) {
			u.bodies[name] = f
		}
	case x.Case == cc.ExternalDeclarationDecl && x.Declaration.Case == cc.DeclarationDecl:
		d := x.Declaration
		// The first token may come out of a macro of another file, the closing semicolon hardly.
		if u.files.vendor(d.Token.Position().Filename) || u.files.vendor(d.Position().Filename) {
			u.declaration(d)
		}
	}
}

func (u *unit) declaration(d *cc.Declaration) {
	sp := declSpecs(d.DeclarationSpecifiers)
	u.checkLayout(sp, d.AttributeSpecifierList)
	u.define(sp)
	dep := sp.deprecated || hasDeprecated(d.AttributeSpecifierList)
	for l := d.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
		decl := l.InitDeclarator.Declarator
		name := decl.Name()
		n := u.declarator(u.base(sp, name), decl, name)
		u.checkLayout(specs{}, l.AttributeSpecifierList, l.InitDeclarator.AttributeSpecifierList)
		gone := dep || hasDeprecated(l.AttributeSpecifierList) ||
			hasDeprecated(l.InitDeclarator.AttributeSpecifierList)
		switch {
		case sp.typedef:
			u.typedef(name, n, gone, decl)
		case n.kind == function && !sp.static && !u.files.isForeign(decl.Position().Filename):
			u.function(name, n, gone, d)
		}
	}
}

// empty reports a definition without members, which C does not have: a header makes one to take a
// name away. It counts as one of a struct that nobody defines.
func empty(s *cc.StructOrUnionSpecifier) bool { return s.StructDeclarationList == nil }

// define adds the structs, unions and enums that specifiers define.
func (u *unit) define(sp specs) {
	for _, t := range sp.types {
		switch t.Case {
		case cc.TypeSpecifierStructOrUnion:
			s := t.StructOrUnionSpecifier
			if s.Case != cc.StructOrUnionSpecifierDef || empty(s) {
				continue
			}
			tag := s.Token.SrcStr()
			name := u.anonymous[s]
			bare := false
			if tag != "" {
				if name = u.names[unionOrStruct(s)+" "+tag]; name == "" {
					name, bare = tag, true
				}
			}
			if name == "" {
				continue // a variable's, or behind a pointer only: nobody can name it
			}
			st := u.structOf(s, name)
			st.Name, st.Bare, st.Span = name, bare, u.span(s)
			u.alien[name] = u.files.isForeign(s.Position().Filename)
			if sp.deprecated {
				st.Deprecated = deprecated
			}
			u.structs[name] = st
		case cc.TypeSpecifierEnum:
			if e := t.EnumSpecifier; e.Case == cc.EnumSpecifierDef {
				u.enum(e, u.enumName(e, ""), sp.deprecated)
			}
		}
	}
}

func (u *unit) typedef(name string, n *node, dep bool, at cc.Node) {
	if s, ok := u.structs[name]; ok && n.kind == named && (n.name == name) {
		if dep {
			s.Deprecated = deprecated
		}
		return
	}
	if n.kind == named && n.name == name {
		if _, ok := u.enums[name]; ok {
			return
		}
		// typedef struct X X: names the tag, which may be defined later or never.
		key := n.key
		if key == "" || u.defined[key] {
			return
		}
		n = &node{kind: named, name: key}
	}
	t := &model.Typedef{Name: name, Kind: "alias", Span: u.span(at)}
	if dep {
		t.Deprecated = deprecated
	}
	switch fn := n; {
	case n.kind == function, n.kind == pointer && n.elem.kind == function:
		if n.kind == pointer {
			fn = n.elem
		} else {
			u.fnTypedefs[name] = true
		}
		t.Kind = "callback"
		t.Ret, t.Params = u.prototype(fn, name)
	case n.kind == pointer && u.opaque(n.elem):
		t.Kind = "handle"
		t.Type = u.spell(n, name)
	default:
		t.Type = u.spell(n, name)
	}
	u.addTypedef(t, at)
}

func (u *unit) addTypedef(t *model.Typedef, at cc.Node) {
	if old, ok := u.typedefs[t.Name]; ok {
		if old.Kind != t.Kind || old.Type != t.Type || old.Ret != t.Ret {
			u.failf(at, "the typedef %s has two meanings", t.Name)
		}
		return
	}
	u.typedefs[t.Name] = t
	u.alien[t.Name] = u.alien[t.Name] || u.files.isForeign(at.Position().Filename)
}

// opaque reports a struct or union that the header never defines.
func (u *unit) opaque(n *node) bool {
	if n.kind != named {
		return false
	}
	key := n.key
	if t, ok := u.typedefs[n.name]; ok && key == "" && t.Kind == "alias" {
		key = string(t.Type)
	}
	return isTag(key) && !u.defined[key]
}

func (u *unit) function(name string, n *node, dep bool, d *cc.Declaration) {
	f := &model.Function{Name: name, Span: u.span(d)}
	f.Ret, f.Params = u.prototype(n, name)
	f.Group = u.docsOf(d.Token).group(d.Token.Position().Line)
	dirs := u.docsOf(d.Token).directions(d.Token.Position().Offset)
	for i := range f.Params {
		f.Params[i].Dir = dirs[f.Params[i].Name]
	}
	if old, ok := u.functions[name]; ok {
		// Declared twice: C makes sure that the types agree.
		if old.Deprecated != "" {
			dep = true
		}
		if old.Group != "" {
			f = old
		}
	}
	if dep {
		f.Deprecated = deprecated
	}
	u.functions[name] = f
}

// prototype spells the result and the parameters of a function type; place names what has no name
// of its own.
func (u *unit) prototype(n *node, place string) (model.Type, []model.Param) {
	ret := u.spell(n.elem, place+".result")
	var params []model.Param
	for i, p := range n.params {
		name := p.name
		if name == "" {
			name = fmt.Sprintf("arg%d", i)
		}
		params = append(params, model.Param{Name: name, Type: u.spell(decay(p.node), place+"."+name)})
	}
	if n.variadic {
		params = append(params, model.Param{Name: "...", Type: "..."})
	}
	return ret, params
}

package model

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// C is the parsed form of a Type.
type C struct {
	Kind  Kind
	Name  string // base types and named types, without const
	Const bool
	Elem  *C    // pointers and arrays
	Len   int64 // arrays
}

// Kind is one of the three shapes of a C type.
type Kind int

// The shapes of a C type.
const (
	Named Kind = iota
	Pointer
	Array
)

// ErrType is wrapped by the error of Type.Parse for a text that is not a C type in canonical form.
var ErrType = errors.New("malformed C type")

// maxTypeDepth bounds pointers and arrays around one base type; a C header has three or four.
const maxTypeDepth = 64

// Parse parses the spelling: "const char **" is a pointer to a pointer to a const char.
func (t Type) Parse() (*C, error) {
	p := &typeParser{toks: lexType(string(t))}
	c, err := p.parse()
	if err != nil {
		return nil, fmt.Errorf("%w %q: %w", ErrType, string(t), err)
	}
	return c, nil
}

// String is the canonical spelling.
func (c *C) String() string { return c.spell("", c.Base()) }

// Declare spells the declaration of a name: "const char *name", "int a[4]", "int (*p)[4]".
func (c *C) Declare(name string) string { return c.spell(name, c.Base()) }

// DeclareAs is Declare with another name for the type that the pointers and arrays are of.
func (c *C) DeclareAs(base, name string) string { return c.spell(name, base) }

// Declare spells the declaration of a name. Types without a spelling, such as the dots of variadic
// functions, stay as they are.
func (t Type) Declare(name string) string {
	c, err := t.Parse()
	if err != nil || t == "..." {
		return string(t)
	}
	return c.Declare(name)
}

// Base is the name of the type that the pointers and arrays are of.
func (c *C) Base() string {
	for c.Kind != Named {
		c = c.Elem
	}
	return c.Name
}

// Type is the canonical spelling as a Type.
func (c *C) Type() Type { return Type(c.String()) }

// spell builds the declaration inside out around decl, as C declarators read.
func (c *C) spell(decl, base string) string {
	switch c.Kind {
	case Pointer:
		d := "*"
		if c.Const {
			d += "const"
			if decl != "" && decl[0] != '[' && decl[0] != ')' {
				d += " "
			}
		}
		d += decl
		if c.Elem.Kind == Array {
			d = "(" + d + ")"
		}
		return c.Elem.spell(d, base)
	case Array:
		return c.Elem.spell(decl+"["+strconv.FormatInt(c.Len, 10)+"]", base)
	}
	s := base
	if c.Const {
		s = "const " + s
	}
	switch {
	case decl == "":
		return s
	case decl[0] == '[':
		return s + decl
	}
	return s + " " + decl
}

// typeParser reads an abstract declarator: a base, then stars, parentheses and array lengths.
type typeParser struct {
	toks  []string
	depth int
}

func (p *typeParser) peek() string {
	if len(p.toks) == 0 {
		return ""
	}
	return p.toks[0]
}

func (p *typeParser) next() string {
	t := p.peek()
	if t != "" {
		p.toks = p.toks[1:]
	}
	return t
}

func (p *typeParser) parse() (*C, error) {
	base := &C{}
	if p.peek() == "const" {
		base.Const = true
		p.next()
	}
	var words []string
	for isWord(p.peek()) {
		if p.peek() == "const" {
			return nil, errors.New("const stands left of the base type or right of a star")
		}
		words = append(words, p.next())
	}
	if err := checkWords(words); err != nil {
		return nil, err
	}
	base.Name = strings.Join(words, " ")
	c, err := p.declarator(base)
	if err != nil {
		return nil, err
	}
	if t := p.peek(); t != "" {
		return nil, fmt.Errorf("unexpected %q", t)
	}
	return c, nil
}

func (p *typeParser) declarator(c *C) (*C, error) {
	if p.depth++; p.depth > maxTypeDepth {
		return nil, errors.New("nested too deep")
	}
	for p.peek() == "*" {
		if p.depth++; p.depth > maxTypeDepth {
			return nil, errors.New("nested too deep")
		}
		p.next()
		c = &C{Kind: Pointer, Elem: c}
		if p.peek() == "const" {
			p.next()
			c.Const = true
		}
	}
	var inner []string
	if p.peek() == "(" {
		end := closing(p.toks)
		if end < 0 {
			return nil, errors.New("a parenthesis is not closed")
		}
		if end == 1 {
			return nil, errors.New("a function type has no spelling; name it with a callback typedef")
		}
		inner, p.toks = p.toks[1:end], p.toks[end+1:]
	}
	c, err := p.arrays(c)
	if err != nil || inner == nil {
		return c, err
	}
	sub := &typeParser{toks: inner, depth: p.depth}
	if c, err = sub.declarator(c); err != nil {
		return nil, err
	}
	if t := sub.peek(); t != "" {
		return nil, fmt.Errorf("unexpected %q", t)
	}
	return c, nil
}

// arrays reads the lengths; the first one is the outermost array.
func (p *typeParser) arrays(c *C) (*C, error) {
	var lens []int64
	for p.peek() == "[" {
		if len(lens) > maxTypeDepth {
			return nil, errors.New("nested too deep")
		}
		p.next()
		t := p.next()
		n, err := strconv.ParseInt(t, 10, 64)
		if err != nil || n < 0 || strconv.FormatInt(n, 10) != t {
			return nil, fmt.Errorf("array length %q is not a decimal number", t)
		}
		if p.next() != "]" {
			return nil, errors.New("a bracket is not closed")
		}
		lens = append(lens, n)
	}
	for i := len(lens) - 1; i >= 0; i-- {
		c = &C{Kind: Array, Elem: c, Len: lens[i]}
	}
	return c, nil
}

func closing(toks []string) int {
	depth := 0
	for i, t := range toks {
		switch t {
		case "(":
			depth++
		case ")":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// lexType splits a spelling into words, numbers and single punctuation characters.
func lexType(s string) []string {
	var toks []string
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && (isWordByte(s[j]) || s[j] == '.') {
			j++
		}
		switch {
		case j > i:
			toks = append(toks, s[i:j])
			i = j
		case s[i] == ' ':
			i++
		default:
			toks = append(toks, s[i:i+1])
			i++
		}
	}
	return toks
}

func isWordByte(b byte) bool {
	return b == '_' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9'
}

func isWord(t string) bool {
	return t == "..." || t != "" && isWordByte(t[0]) && (t[0] < '0' || t[0] > '9')
}

// baseNames are the type names that every C program has, in canonical spelling.
var baseNames = map[string]bool{
	"void": true, "_Bool": true, "char": true, "signed char": true, "unsigned char": true,
	"short": true, "unsigned short": true, "int": true, "unsigned int": true, "long": true,
	"unsigned long": true,
	"long long":     true, "unsigned long long": true, "float": true, "double": true,
	"long double": true, "_Float16": true,
	"size_t": true, "ptrdiff_t": true, "wchar_t": true, "intptr_t": true, "uintptr_t": true,
	"intmax_t": true, "uintmax_t": true,
	"int8_t": true, "int16_t": true, "int32_t": true, "int64_t": true,
	"uint8_t": true, "uint16_t": true, "uint32_t": true, "uint64_t": true,
	"struct": true, "union": true, "...": true,
}

// IsBase reports whether name is a type name that needs no declaration in the model: "unsigned
// int", "size_t", "uint64_t". The bare words "struct" and "union" are the type of a field declared
// in place.
func IsBase(name string) bool { return baseNames[name] }

func checkWords(words []string) error {
	switch len(words) {
	case 0:
		return errors.New("no type name")
	case 1:
		return nil
	}
	switch words[0] {
	case "struct", "union", "enum":
		if len(words) == 2 {
			return nil
		}
	}
	if s := strings.Join(words, " "); !baseNames[s] {
		return fmt.Errorf("%q is not a canonical type name", s)
	}
	return nil
}

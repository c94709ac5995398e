package emit

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/gpuevent/gpuevent/gen/model"
)

type kind int

const (
	kVoid kind = iota
	kInt
	kUint
	kFloat
	kBool
	kStruct // structs, and unions as structs with hidden data
	kPtr
	kUnsafe
	kArray
	kString
	kFunc // a callback: uintptr in memory
)

// gtype is the Go type of a C type.
type gtype struct {
	kind   kind
	name   string // the Go name: builtin, or of the package
	named  bool   // name is one of the package's
	elem   *gtype
	n      int64
	c      string // the C type's name where it has one
	size   int    // on linux/amd64
	align  int
	long   bool // C long: half as wide on Windows
	floats bool // a struct with floating-point members
	ints   bool // a struct with other members
}

func builtin(k kind, name string, size int) *gtype {
	return &gtype{kind: k, name: name, size: size, align: size}
}

var (
	tUnsafe  = &gtype{kind: kUnsafe, size: 8, align: 8}
	tUintptr = builtin(kUint, "uintptr", 8)
	tString  = &gtype{kind: kString, name: "string"}
	tVoid    = &gtype{kind: kVoid}
	// on Windows, too, where the nanoseconds are a long and padding
	tTimespec = &gtype{kind: kStruct, name: "Timespec", named: true, size: 16, align: 8, ints: true}
)

// baseTypes are the types that every C program has. char is a byte: texts are its use in both APIs.
var baseTypes = map[string]*gtype{
	"void":               tVoid,
	"_Bool":              builtin(kBool, "bool", 1),
	"char":               builtin(kUint, "byte", 1),
	"signed char":        builtin(kInt, "int8", 1),
	"unsigned char":      builtin(kUint, "uint8", 1),
	"short":              builtin(kInt, "int16", 2),
	"unsigned short":     builtin(kUint, "uint16", 2),
	"int":                builtin(kInt, "int32", 4),
	"unsigned int":       builtin(kUint, "uint32", 4),
	"long":               {kind: kInt, name: "Long", named: true, size: 8, align: 8, long: true},
	"unsigned long":      {kind: kUint, name: "ULong", named: true, size: 8, align: 8, long: true},
	"long long":          builtin(kInt, "int64", 8),
	"unsigned long long": builtin(kUint, "uint64", 8),
	"float":              builtin(kFloat, "float32", 4),
	"double":             builtin(kFloat, "float64", 8),
	"_Float16":           builtin(kUint, "uint16", 2),
	"size_t":             tUintptr,
	"ptrdiff_t":          builtin(kInt, "int64", 8),
	"intptr_t":           builtin(kInt, "int64", 8),
	"uintptr_t":          tUintptr,
	"intmax_t":           builtin(kInt, "int64", 8),
	"uintmax_t":          builtin(kUint, "uint64", 8),
	"int8_t":             builtin(kInt, "int8", 1),
	"int16_t":            builtin(kInt, "int16", 2),
	"int32_t":            builtin(kInt, "int32", 4),
	"int64_t":            builtin(kInt, "int64", 8),
	"uint8_t":            builtin(kUint, "uint8", 1),
	"uint16_t":           builtin(kUint, "uint16", 2),
	"uint32_t":           builtin(kUint, "uint32", 4),
	"uint64_t":           builtin(kUint, "uint64", 8),
	"struct timespec":    tTimespec,
}

func arrayOf(e *gtype, n int64) *gtype {
	return &gtype{kind: kArray, elem: e, n: n, size: e.size * int(n), align: e.align}
}

func ptr(e *gtype) *gtype { return &gtype{kind: kPtr, elem: e, size: 8, align: 8} }

// code is the type in Go source.
func (t *gtype) code() *jen.Statement {
	switch t.kind {
	case kPtr:
		return jen.Op("*").Add(t.elem.code())
	case kUnsafe:
		if t.named {
			return jen.Id(t.name)
		}
		return jen.Qual("unsafe", "Pointer")
	case kArray:
		return jen.Index(jen.Lit(int(t.n))).Add(t.elem.code())
	case kFunc:
		return jen.Uintptr()
	}
	return jen.Id(t.name)
}

// pkgCode is the type as another package writes it.
func (t *gtype) pkgCode(path string) *jen.Statement {
	switch {
	case t.kind == kPtr:
		return jen.Op("*").Add(t.elem.pkgCode(path))
	case t.kind == kArray:
		return jen.Index(jen.Lit(int(t.n))).Add(t.elem.pkgCode(path))
	case t.kind == kFunc:
		return jen.Uintptr()
	case t.named:
		return jen.Qual(path, t.name)
	}
	return t.code()
}

// zero is the type's zero value in an expression.
func (t *gtype) zero() *jen.Statement {
	switch t.kind {
	case kPtr, kUnsafe:
		return jen.Nil()
	case kString:
		return jen.Lit("")
	case kBool:
		return jen.False()
	case kStruct, kArray:
		return t.code().Values()
	}
	return jen.Lit(0)
}

func (t *gtype) scalar() bool {
	return t.kind == kInt || t.kind == kUint || t.kind == kBool || t.kind == kFunc
}

// resolver maps C types to Go types.
type resolver struct {
	m       *model.Model
	types   map[string]*gtype    // by C type name
	tags    map[string]string    // "struct tag" -> type name
	handles map[string]*gtype    // by the pointer type that a handle typedef stands for
	dated   map[string][]meaning // what names meant in older versions
	at      string               // the version whose typedefs count; "" for the newest
	bases   map[string]bool      // the types of C itself that something uses
}

func newResolver(m *model.Model) *resolver {
	return &resolver{
		m:       m,
		types:   map[string]*gtype{},
		tags:    map[string]string{},
		handles: map[string]*gtype{},
		dated:   map[string][]meaning{},
		bases:   map[string]bool{},
	}
}

// asOf resolves types as one version means them.
func (r *resolver) asOf(version string, resolve func() error) error {
	defer func(was string) { r.at = was }(r.at)
	r.at = version
	return resolve()
}

// during resolves the types of an entity as the last version that has it means them: a typedef such
// as TOY_X moves on to TOY_X_v2, and a function that headers dropped before that still takes
// TOY_X_v1.
func (r *resolver) during(s model.Span, resolve func() error) error {
	defer func(was string) { r.at = was }(r.at)
	r.at = ""
	if s.Removed != "" {
		for _, v := range r.m.Versions {
			if s.Has(v.Name) {
				r.at = v.Name
			}
		}
	}
	return resolve()
}

func (r *resolver) parse(t model.Type) (*gtype, error) {
	c, err := t.Parse()
	if err != nil {
		return nil, err
	}
	return r.resolve(c)
}

func (r *resolver) resolve(c *model.C) (*gtype, error) {
	switch c.Kind {
	case model.Array:
		e, err := r.resolve(c.Elem)
		if err != nil {
			return nil, err
		}
		return arrayOf(e, c.Len), nil
	case model.Pointer:
		if h := r.handles[handleKey(c)]; h != nil {
			return h, nil
		}
		if c.Elem.Kind == model.Named {
			if c.Elem.Name == "void" {
				return tUnsafe, nil
			}
			if t := r.lookup(c.Elem.Name); t == nil {
				return tUnsafe, nil // an incomplete type
			}
		}
		e, err := r.resolve(c.Elem)
		if err != nil {
			return nil, err
		}
		if e.kind == kVoid {
			return tUnsafe, nil
		}
		return ptr(e), nil
	}
	if t := r.lookup(c.Name); t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("no Go type for the C type %q", c.Name)
}

func (r *resolver) lookup(name string) *gtype {
	if t := baseTypes[name]; t != nil {
		r.bases[name] = true
		return t
	}
	if n, ok := r.tags[name]; ok {
		name = n
	}
	for _, m := range r.dated[name] {
		if r.at == "" || !model.Within(r.at, m.from, m.to) {
			continue
		}
		if t := m.resolve(); t != nil {
			return t
		}
	}
	return r.types[name]
}

// handleKey is the spelling of a pointer type without const.
func handleKey(c *model.C) string { return strings.ReplaceAll(c.String(), "const ", "") }

// Package proof lists what the packages bind, as data that tests compare with C: every function
// with the way each C parameter takes in Go, the layout of every type as the Go compiler of the
// target sees it, and every constant. Only tests import it.
package proof

import (
	"fmt"
	"reflect"
	"unsafe"
)

// API is one vendor API.
type API struct {
	Name      string // as in specs/
	Functions []Function
	Types     []Type
	Consts    []Const
}

// Function is one Go function and the C symbol that it calls. A symbol may have two Go functions:
// see the kind "callbackref".
type Function struct {
	C       string // the exported symbol
	Go      any    // the function value
	Since   string
	Ret     string // what C returns: "result" (the API's result code), "value", "string" or "void"
	Missing string // why no library has the symbol; "" for all that some have
	Gap     Gap    // which libraries lack it otherwise
	Params  []Param
}

// Gap is a stretch of releases whose libraries lack a symbol; see [Function.Lacks].
type Gap struct {
	Why string
	// the first that lacks it, "" for all; the first behind those that has it, "" for none
	From, Until string
}

// Param is one C parameter, in the order of the prototype.
type Param struct {
	C    string // its name
	Kind string // see below
	Arg  int    // the Go parameter that it is, or -1
	// the Go result that it is, or -1; a function whose Ret is "value" or "string" has that as result
	// 0
	Out int
}

// Kinds of parameters.
//
//	arg          the Go argument is passed as it is
//	out          C writes one value, which is a Go result
//	string       a Go string, passed as text that ends in NUL
//	outstring    C writes the address of a text, which is a Go string result
//	buffer       C writes text into a buffer, which is a Go string result
//	len          the size of the buffer
//	callback     a Go func that C calls once, during the call or later
//	callbackcall a Go func that C calls during the call, any number of times
//	callbackref  a registration of a Go func, passed as a C function pointer
//	userdata     the word that the callback's registration is found by; no Go argument
const (
	Arg         = "arg"
	Out         = "out"
	String      = "string"
	OutString   = "outstring"
	Buffer      = "buffer"
	Len         = "len"
	Callback    = "callback"
	CallbackNow = "callbackcall"
	CallbackRef = "callbackref"
	UserData    = "userdata"
)

// Type is a C type and the Go type that stands for it.
type Type struct {
	C      string
	Go     reflect.Type // nil for an incomplete type, of which C programs only use pointers
	Size   uintptr
	Align  uintptr // what C wants; Go's own is at most 8
	Fields []Field // of structs and unions
	Until  string  // the last release with this layout; "" for what the newest that has it declares
	// the address of a new value, of a type whose alignment Go does not have
	New func() uintptr
}

// Field is one member, also of nested structs and unions: C is the path to it, as offsetof takes
// it.
type Field struct {
	C      string
	Offset uintptr
	Size   uintptr
	Type   reflect.Type // of a bit-field, what its methods take and return
	Bits   *Bits        // of a bit-field, whose Offset and Size are 0
}

// Bits are the methods of a bit-field, bound to a value whose memory lies at Base.
type Bits struct {
	Width int
	Base  unsafe.Pointer
	Get   func() uint64
	Set   func(uint64)
}

// Const is an enumerator or a macro.
type Const struct {
	C     string
	Value any // the Go constant
}

// layout describes a struct or union.
func layout[T any](c string, align uintptr, fields func(*T) []Field) Type {
	t := scalar[T](c)
	t.Align = align
	t.Fields = fields(new(T))
	return t
}

// made adds the constructor of a type.
func made[T any](t Type, construct func() *T) Type {
	t.New = func() uintptr { return uintptr(unsafe.Pointer(construct())) }
	return t
}

// UpTo returns a struct's description as that of its layout up to a release.
func (t Type) UpTo(release string) Type {
	t.Until = release
	return t
}

// scalar describes a type without fields.
func scalar[T any](c string) Type {
	t := reflect.TypeFor[T]()
	return Type{C: c, Go: t, Size: t.Size(), Align: uintptr(t.Align())}
}

// at describes the member at p of the value at base.
func at[T any](base unsafe.Pointer, c string, p *T) Field {
	return Field{C: c, Offset: uintptr(unsafe.Pointer(p)) - uintptr(base), Size: unsafe.Sizeof(*p),
		Type: reflect.TypeFor[T]()}
}

// hidden describes an unexported field of the struct at p, part of the value at base.
func hidden[T any](base unsafe.Pointer, c string, p *T, field string) Field {
	f, ok := reflect.TypeFor[T]().FieldByName(field)
	if !ok {
		panic("no field " + field + " in " + reflect.TypeFor[T]().String())
	}
	return Field{C: c, Offset: uintptr(unsafe.Pointer(p)) - uintptr(base) + f.Offset,
		Size: f.Type.Size(), Type: f.Type}
}

// packed describes a field that C packs, which methods copy in and out.
func packed[T, V any](base unsafe.Pointer, c string, p *T, field string, get func() V) Field {
	f := hidden(base, c, p, field)
	f.Type = reflect.TypeFor[V]()
	if got := unsafe.Sizeof(get()); got != f.Size {
		panic(fmt.Sprint(c, " has ", f.Size, " bytes, its method returns ", got))
	}
	return f
}

// bits describes a bit-field of the value at base.
func bits[T bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](
	base unsafe.Pointer, c string, width int, get func() T, set func(T)) Field {
	return Field{C: c, Type: reflect.TypeFor[T](), Bits: &Bits{
		Width: width,
		Base:  base,
		Get: func() uint64 {
			v := reflect.ValueOf(get())
			switch {
			case v.Kind() == reflect.Bool && v.Bool():
				return 1
			case v.CanInt():
				return uint64(v.Int())
			case v.CanUint():
				return v.Uint()
			}
			return 0
		},
		Set: func(x uint64) {
			var t T
			v := reflect.ValueOf(&t).Elem()
			switch {
			case v.Kind() == reflect.Bool:
				v.SetBool(x != 0)
			case v.CanInt():
				v.SetInt(int64(x))
			default:
				v.SetUint(x)
			}
			set(t)
		},
	}}
}

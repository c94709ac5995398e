package kernel

import (
	"fmt"
	"reflect"

	"github.com/gpuevent/gpuevent/internal/image"
)

// Kind says how a parameter is passed.
type Kind uint8

// Kinds of parameters.
const (
	Integer Kind = iota + 1 // a number without a fraction, or a bool
	Float                   // float32 or float64
	Bytes                   // a struct or an array, by value
	Buffer                  // a slice: a pointer to device memory
)

// String returns the kind's name in lower case.
func (k Kind) String() string {
	switch k {
	case Integer:
		return "integer"
	case Float:
		return "float"
	case Bytes:
		return "bytes"
	case Buffer:
		return "buffer"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// InImage returns the kind of a parameter in C that takes what one of kind k takes, as an image
// tells it.
func (k Kind) InImage() image.ParamKind {
	switch k {
	case Integer:
		return image.Integer
	case Float:
		return image.Float
	case Bytes:
		return image.Bytes
	case Buffer:
		return image.Pointer
	}
	return image.Any
}

// Param describes one parameter of a kernel, without the block.
type Param struct {
	Type   reflect.Type // in Go
	Elem   reflect.Type // of a buffer; nil otherwise
	Kind   Kind
	Size   int // in bytes, as C passes it: 8 for a buffer
	Align  int // in C
	Offset int // among the parameters packed by C's rules
}

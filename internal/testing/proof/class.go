package proof

import "reflect"

// Class is how C reads the bits of a value, as O_CLASS of the C text has it.
type Class byte

// Classes. The zero value is a class that nobody knows.
const (
	Boolean  Class = 'b'
	Char     Class = 'c' // plain char, which C leaves open
	Signed   Class = 's'
	Unsigned Class = 'u'
	Floating Class = 'f'
	Other    Class = 'o' // pointers, structs
)

func (c Class) String() string {
	switch c {
	case Boolean:
		return "a _Bool"
	case Char:
		return "a char"
	case Signed:
		return "a signed integer"
	case Unsigned:
		return "an unsigned integer"
	case Floating:
		return "a floating-point number"
	}
	return "no number"
}

// fits reports whether values of a Go type read bits as C does; of an array, its elements.
func (c Class) fits(t reflect.Type) bool {
	for t.Kind() == reflect.Array {
		t = t.Elem()
	}
	v := reflect.New(t).Elem()
	switch c {
	case Boolean:
		return v.Kind() == reflect.Bool
	case Char:
		return v.Kind() == reflect.Int8 || v.Kind() == reflect.Uint8
	case Signed:
		return v.CanInt()
	case Unsigned:
		return v.CanUint()
	case Floating:
		return v.CanFloat()
	case Other: // an address may be an unsigned word
		return v.Kind() != reflect.Bool && !v.CanInt() && !v.CanFloat()
	}
	return true
}

// classes says which Go types may read bits in another way than C. Result codes are int32 in Go,
// because C returns them in a word of which the low half counts.
type classes struct {
	result reflect.Type
	enums  map[reflect.Type]bool // whether it has a number below 0 today
	old    bool                  // C is of one release
}

// fits is [Class.fits], except that an enum may stand for an int, which C programs use for it, and
// that an older release's enum may lack the numbers below 0.
func (s *classes) fits(c Class, t reflect.Type) bool {
	if c.fits(t) {
		return true
	}
	if s == nil || c != Signed && c != Unsigned {
		return false
	}
	for t.Kind() == reflect.Array {
		t = t.Elem()
	}
	signed, enum := s.enums[t]
	return t == s.result || enum && (c == Signed || signed && s.old)
}

// Integer is a number of 64 bits, of which C says whether it is below 0: an int64, or a uint64 for
// what is beyond it.
func Integer(bits uint64, negative bool) any {
	if v := int64(bits); v >= 0 || negative {
		return v
	}
	return bits
}

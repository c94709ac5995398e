package timeline

import (
	"log/slog"
	"math"
	"strconv"
	"time"
)

// Attr is a key and a value of a span or a mark. It is a plain value, so that attributes of any
// kind are passed to [Timeline.Begin] without an allocation. Make one with [Int], [Float],
// [String], [Bool] or [Duration].
type Attr struct {
	Key  string
	text string
	bits uint64
	kind attrKind
}

type attrKind uint8

const (
	textAttr attrKind = iota
	intAttr
	floatAttr
	boolAttr
	durationAttr
)

// MaxAttrs is how many attributes a span keeps; further ones are left out and counted in
// [Stats.AttrsLeftOut].
const MaxAttrs = 16

// String returns an attribute with a text.
func String(key, value string) Attr { return Attr{Key: key, text: value} }

// integer has the types whose values all fit.
type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32
}

// Int returns an attribute with a whole number.
func Int[T integer](key string, value T) Attr {
	return Attr{Key: key, bits: uint64(int64(value)), kind: intAttr}
}

// Float returns an attribute with a number.
func Float(key string, value float64) Attr {
	return Attr{Key: key, bits: math.Float64bits(value), kind: floatAttr}
}

// Bool returns an attribute that is true or false.
func Bool(key string, value bool) Attr {
	a := Attr{Key: key, kind: boolAttr}
	if value {
		a.bits = 1
	}
	return a
}

// Duration returns an attribute with a length of time.
func Duration(key string, value time.Duration) Attr {
	return Attr{Key: key, bits: uint64(value), kind: durationAttr}
}

// Value returns the value: a string, int64, float64, bool or time.Duration.
func (a Attr) Value() any {
	switch a.kind {
	case intAttr:
		return int64(a.bits)
	case floatAttr:
		return math.Float64frombits(a.bits)
	case boolAttr:
		return a.bits != 0
	case durationAttr:
		return time.Duration(a.bits)
	}
	return a.text
}

// number returns the value of a Float.
func (a Attr) number() float64 { return math.Float64frombits(a.bits) }

// String returns the attribute as "key=value".
func (a Attr) String() string { return a.Key + "=" + a.valueText() }

func (a Attr) valueText() string {
	switch a.kind {
	case intAttr:
		return strconv.FormatInt(int64(a.bits), 10)
	case floatAttr:
		return strconv.FormatFloat(math.Float64frombits(a.bits), 'g', -1, 64)
	case boolAttr:
		return strconv.FormatBool(a.bits != 0)
	case durationAttr:
		return time.Duration(a.bits).String()
	}
	return a.text
}

// slog returns the attribute as one of log/slog.
func (a Attr) slog() slog.Attr {
	switch a.kind {
	case intAttr:
		return slog.Int64(a.Key, int64(a.bits))
	case floatAttr:
		return slog.Float64(a.Key, math.Float64frombits(a.bits))
	case boolAttr:
		return slog.Bool(a.Key, a.bits != 0)
	case durationAttr:
		return slog.Duration(a.Key, time.Duration(a.bits))
	}
	return slog.String(a.Key, a.text)
}

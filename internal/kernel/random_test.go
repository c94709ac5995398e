package kernel_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
)

// random makes types that a device can hold, and values of them.
type random struct{ *rand.Rand }

func newRandom(seed uint64) random { return random{rand.New(rand.NewPCG(seed, 1))} }

var scalars = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int8](), reflect.TypeFor[int16](),
	reflect.TypeFor[int32](), reflect.TypeFor[int64](), reflect.TypeFor[uint8](),
	reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](),
	reflect.TypeFor[float32](), reflect.TypeFor[float64](),
}

// typ returns a type whose arrays and structs are at most depth deep.
func (r random) typ(depth int) reflect.Type {
	kind := r.IntN(4)
	switch {
	case depth == 0 || kind < 2:
		return scalars[r.IntN(len(scalars))]
	case kind == 2:
		return reflect.ArrayOf(1+r.IntN(4), r.typ(depth-1))
	}
	fields := make([]reflect.StructField, 1+r.IntN(5))
	for i := range fields {
		fields[i] = reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: r.typ(depth - 1)}
	}
	return reflect.StructOf(fields)
}

// kernel returns the type of a kernel.
func (r random) kernel() reflect.Type {
	in := []reflect.Type{blockType}
	for range r.IntN(9) {
		t := r.typ(3)
		if r.IntN(3) == 0 {
			t = reflect.SliceOf(t)
		}
		in = append(in, t)
	}
	return reflect.FuncOf(in, nil, false)
}

// fill sets v to a random value without NaN.
func (r random) fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 1)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(r.Uint64()) >> (64 - v.Type().Bits()))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(r.Uint64() >> (64 - v.Type().Bits()))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(r.IntN(1 << 20)))
	case reflect.Array:
		for i := range v.Len() {
			r.fill(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			r.fill(v.Field(i))
		}
	default:
		panic(v.Kind())
	}
}

// cLayout returns size and alignment by the rules of the C ABIs that GPUs have.
func cLayout(t reflect.Type) (size, align int) {
	switch t.Kind() {
	case reflect.Bool:
		return 1, 1
	case reflect.Slice:
		return 8, 8
	case reflect.Array:
		size, align = cLayout(t.Elem())
		return size * t.Len(), align
	case reflect.Struct:
		align = 1
		for i := range t.NumField() {
			s, a := cLayout(t.Field(i).Type)
			size, align = (size+a-1)/a*a+s, max(align, a)
		}
		return (size + align - 1) / align * align, align
	}
	return t.Bits() / 8, t.Bits() / 8
}

// encode writes v as C lays it out and leaves padding alone.
func (r random) encode(out []byte, v reflect.Value) {
	put := func(word uint64) {
		for i := range v.Type().Bits() / 8 { // little endian, as every host of the bindings is
			out[i] = byte(word >> (8 * i))
		}
	}
	switch v.Kind() {
	case reflect.Bool:
		out[0] = 0
		if v.Bool() {
			out[0] = 1
		}
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		put(uint64(v.Int()))
	case reflect.Float32:
		put(uint64(math.Float32bits(float32(v.Float()))))
	case reflect.Float64:
		put(math.Float64bits(v.Float()))
	case reflect.Array:
		for i := range v.Len() {
			size, _ := cLayout(v.Type().Elem())
			r.encode(out[i*size:], v.Index(i))
		}
	case reflect.Struct:
		offset := 0
		for i := range v.NumField() {
			s, a := cLayout(v.Field(i).Type())
			offset = (offset + a - 1) / a * a
			r.encode(out[offset:], v.Field(i))
			offset += s
		}
	default:
		put(v.Uint())
	}
}

// noise returns n random bytes at a multiple of 8, for padding and for memory not yet written.
func (r random) noise(n int) []byte {
	words := make([]uint64, n/8+1)
	raw := bytesOf(words)[:n]
	for i := 0; i+8 <= n; i += 8 {
		binary.LittleEndian.PutUint64(raw[i:], r.Uint64())
	}
	return raw
}

package proof

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"
)

// fill writes bytes that differ by seed, index and position. The top byte of each word makes it no
// address that an operating system hands out, so that the garbage collector doesn't mind it where a
// pointer stands.
func fill(b []byte, seed uint64, index int) {
	for i := range b {
		h := seed + uint64(index+1)*0x9e3779b97f4a7c15 + uint64(i)*0xd6e8feb86659fd93
		h ^= h >> 31
		h *= 0x94d049bb133111eb
		h ^= h >> 30
		b[i] = byte(h)
		if i%8 == 7 {
			b[i] = 0x50 | byte(h)&0x0f
		}
	}
}

// raw is the memory of an addressable value.
func raw(v reflect.Value) []byte {
	return unsafe.Slice((*byte)(v.Addr().UnsafePointer()), v.Type().Size())
}

// bytesOf is the memory of any value.
func bytesOf(v reflect.Value) []byte {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return raw(c)
}

// memory is what a pointer argument points to: as large as its type and a good deal more, aligned
// as strictly as any C type.
type memory struct {
	words  []uint64
	bytes  []byte
	before []byte
}

// elements is the count that counts get.
const elements = 3

const (
	memoryAlign = 128
	memoryMore  = 512 // room for texts
)

func newMemory(size uintptr, seed uint64, index int) *memory {
	n := (size + memoryMore + memoryAlign) &^ 7
	m := &memory{words: make([]uint64, n/8)}
	p := unsafe.Pointer(unsafe.SliceData(m.words))
	skip := -uintptr(p) & (memoryAlign - 1)
	m.bytes = unsafe.Slice((*byte)(unsafe.Add(p, skip)), size+memoryMore-8)
	fill(m.bytes, seed^0x5bd1e995, index)
	m.bytes[len(m.bytes)-1] = 0 // it ends, as text
	m.before = append([]byte(nil), m.bytes...)
	return m
}

func (m *memory) pointer() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(m.bytes)) }

// argument makes a value of type t whose bits differ from all other arguments'. Pointers come with
// their memory, which has room for as many elements as a count says in [call.counts].
func argument(t reflect.Type, seed uint64, index int) (reflect.Value, *memory, error) {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(seed&1 == 0)
	case reflect.Float32, reflect.Float64:
		fill(raw(v), seed, index) // a finite number: the exponent is ours
		if t.Kind() == reflect.Float32 {
			bits := *(*uint32)(v.Addr().UnsafePointer())
			*(*uint32)(v.Addr().UnsafePointer()) = bits&0x807fffff | 0x40000000
		} else {
			bits := *(*uint64)(v.Addr().UnsafePointer())
			*(*uint64)(v.Addr().UnsafePointer()) = bits&^(0x7ff<<52) | math.Float64bits(2)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		fill(raw(v), seed, index)
	case reflect.Struct, reflect.Array:
		fill(raw(v), seed, index)
	case reflect.Pointer:
		m := newMemory(elements*t.Elem().Size(), seed, index)
		v.Set(reflect.NewAt(t.Elem(), m.pointer()).Convert(t))
		return v, m, nil
	case reflect.UnsafePointer:
		m := newMemory(1<<12, seed, index) // of a type that Go does not know
		v.SetPointer(m.pointer())
		return v, m, nil
	case reflect.String:
		b := make([]byte, 16)
		fill(b, seed, index)
		v.SetString(fmt.Sprintf("%x", b))
	default:
		return v, nil, fmt.Errorf("no pattern for the Go type %s", t)
	}
	return v, nil, nil
}

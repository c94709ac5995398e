package kernel

import (
	"fmt"
	"reflect"
	"structs"
)

// pointerSize is the size of a pointer on every GPU, whatever the host has.
const pointerSize = 8

var hostLayout = reflect.TypeFor[structs.HostLayout]()

// unfit says why a type cannot lie in device memory.
type unfit struct{ reason, remedy string }

// layout returns C's size and alignment of t, or why t has none that Go shares.
func layout(t reflect.Type) (size, align uintptr, bad *unfit) {
	switch t.Kind() {
	case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8,
		reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return t.Size(), t.Size(), nil
	case reflect.Array:
		if t.Len() == 0 {
			return 0, 0, &unfit{"an array without elements does not exist in C", "leave it out"}
		}
		size, align, bad = layout(t.Elem())
		return size * uintptr(t.Len()), align, bad
	case reflect.Struct:
		return structLayout(t)
	}
	return 0, 0, refuse(t)
}

// element says why elements of type t cannot lie in device memory, nil if they can. Unlike in a
// struct or as an argument, the alignment of complex numbers does not matter there.
func element(t reflect.Type) *unfit {
	if t.Kind() == reflect.Complex64 || t.Kind() == reflect.Complex128 {
		return nil
	}
	_, _, bad := layout(t)
	return bad
}

// structLayout lays t out as C does and compares the size with Go's. Where a field lies elsewhere
// in Go, as on 32-bit hosts, the size differs too: Go never has more padding before a field than C.
func structLayout(t reflect.Type) (size, align uintptr, bad *unfit) {
	align = 1
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type == hostLayout {
			continue
		}
		s, a, bad := layout(f.Type)
		if bad != nil {
			return 0, 0, &unfit{fmt.Sprintf("field %s (%v): %s", f.Name, f.Type, bad.reason),
				bad.remedy}
		}
		size, align = up(size, a)+s, max(align, a)
	}
	if size == 0 {
		return 0, 0, &unfit{"a struct without fields has no common size in C and C++", "leave it out"}
	}
	size = up(size, align)
	if size != t.Size() {
		return 0, 0, &unfit{fmt.Sprintf("%v has %d bytes in C and %d in Go", t, size, t.Size()),
			"add fields of padding"}
	}
	return size, align, nil
}

// up rounds n up to a multiple of align, a power of two.
func up(n, align uintptr) uintptr { return (n + align - 1) &^ (align - 1) }

// refuse says what is wrong with a type that is neither number, struct nor array.
func refuse(t reflect.Type) *unfit {
	switch t.Kind() {
	case reflect.Int:
		return &unfit{"int has no fixed width", "use int32 for C's int, int64 for long long"}
	case reflect.Uint:
		return &unfit{"uint has no fixed width", "use uint32 for C's unsigned, uint64 for size_t"}
	case reflect.Uintptr:
		return &unfit{"uintptr has no fixed width", "use uint64, or a slice for device memory"}
	case reflect.Complex64, reflect.Complex128:
		return &unfit{"complex types are aligned differently by C libraries",
			"use a struct of two floats"}
	case reflect.String:
		return &unfit{"a string is a Go pointer", "use []uint8"}
	case reflect.Pointer:
		return &unfit{"a Go pointer cannot go to a device", fmt.Sprintf("use []%v", t.Elem())}
	case reflect.UnsafePointer:
		return &unfit{"a Go pointer cannot go to a device", "use a slice, or uint64 for an address"}
	case reflect.Slice:
		return &unfit{"a slice stands for a buffer only as a parameter of its own",
			"use uint64 for an address"}
	case reflect.Interface:
		return &unfit{"an interface has no fixed type", "use a concrete type"}
	}
	return &unfit{fmt.Sprintf("a %v cannot go to a device", t.Kind()),
		"use numbers, structs, arrays, or slices of them"}
}

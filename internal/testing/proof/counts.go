package proof

import (
	"encoding/binary"
	"reflect"
)

// setCounts has the counts of arrays say [elements], where Go passes both on as they are. An array
// that is a result in Go is wrong: there is room for one element.
func (k *call) setCounts() {
	k.many = map[int]int{}
	if k.lenient {
		return
	}
	for _, c := range k.counts {
		array, by := k.f.Params[c.array], k.f.Params[c.by]
		switch {
		case array.Kind == Out:
			k.bad(array.C, "C writes as many elements as %s says, the Go result is one", by.C)
		case array.Kind != Arg || by.Kind != Arg || !k.setCount(by):
		case k.args[array.Arg].Kind() == reflect.Pointer:
			k.many[c.array] = elements
		default: // C may write as many elements as fit into what the word points to
			k.args[by.Arg] = reflect.Zero(k.args[by.Arg].Type())
		}
	}
}

// setCount sets a count and reports whether it is one.
func (k *call) setCount(by Param) bool {
	v := reflect.New(k.args[by.Arg].Type()).Elem()
	switch m := k.memories[by.Arg]; {
	case v.CanInt():
		v.SetInt(elements)
	case v.CanUint():
		v.SetUint(elements)
	case v.Kind() == reflect.Pointer && m != nil && v.Type().Elem().Size() <= 8:
		word := binary.LittleEndian.AppendUint64(nil, elements)
		copy(m.bytes, word[:v.Type().Elem().Size()])
		copy(m.before, m.bytes)
		return true
	default:
		return false
	}
	k.args[by.Arg] = v
	return true
}

package kernel

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Element returns why values of a type can't lie in a buffer; nil if they can.
func Element(t reflect.Type) error {
	if bad := element(t); bad != nil {
		return fmt.Errorf("%v: %s; %s", t, bad.reason, bad.remedy)
	}
	return nil
}

// Variable returns the memory of a variable in the place of one in a device's memory: pointer is a
// pointer to it. isVariable is false for what is no pointer. The error says why the variable can't
// be one of a device.
func Variable(pointer any) (memory []byte, isVariable bool, err error) {
	v := reflect.ValueOf(pointer)
	if !v.IsValid() || v.Kind() != reflect.Pointer {
		return nil, false, nil
	}
	t := v.Type().Elem()
	if v.IsNil() {
		return nil, true, fmt.Errorf("a nil pointer to a variable of type %v", t)
	}
	if err := Element(t); err != nil {
		return nil, true, err
	}
	return unsafe.Slice((*byte)(v.UnsafePointer()), t.Size()), true, nil
}

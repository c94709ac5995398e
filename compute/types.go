package compute

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/kernel"
)

// fits has, for each type, why it can't lie in device memory; nil if it can.
var fits sync.Map

// fit returns why a type can't lie in device memory.
func fit(t reflect.Type) error {
	if known, ok := fits.Load(t); ok {
		err, _ := known.(error)
		return err
	}
	err := kernel.Element(t)
	fits.Store(t, err)
	return err
}

// sizeOf returns the size of T, which must fit device memory.
func sizeOf[T any](op string, d *event.Device) (uintptr, error) {
	t := reflect.TypeFor[T]()
	if err := fit(t); err != nil {
		return 0, refusal(op, d, ErrType, "%v", err)
	}
	return unsafe.Sizeof(*new(T)), nil
}

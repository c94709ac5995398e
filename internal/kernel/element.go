package kernel

import (
	"fmt"
	"reflect"
)

// Element returns why values of a type can't lie in a buffer; nil if they can.
func Element(t reflect.Type) error {
	if bad := element(t); bad != nil {
		return fmt.Errorf("%v: %s; %s", t, bad.reason, bad.remedy)
	}
	return nil
}

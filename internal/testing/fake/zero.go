package fake

import "reflect"

// Zero calls a function with the zero value of each parameter and returns its results.
func Zero(fn any) []reflect.Value {
	f := reflect.ValueOf(fn)
	in := make([]reflect.Value, f.Type().NumIn())
	for i := range in {
		in[i] = reflect.Zero(f.Type().In(i))
	}
	return f.Call(in)
}

// Split parts the results of a function into the error, which is the last one, and the names of the
// types of those others that are not zero.
func Split(results []reflect.Value) (nonzero []string, err error) {
	last := len(results) - 1
	err, _ = results[last].Interface().(error)
	for _, r := range results[:last] {
		if !r.IsZero() {
			nonzero = append(nonzero, r.Type().String())
		}
	}
	return nonzero, err
}

package eventtest

import (
	"context"
	"reflect"

	"github.com/gpuevent/gpuevent/event"
)

// callAll calls all methods of an object with harmless arguments. Those that return an error must
// return one with this cause, if cause is not nil. Methods named in except are skipped.
func callAll(k *kit, object any, cause error, except ...string) {
	k.t.Helper()
	v := reflect.ValueOf(object)
	for i := range v.NumMethod() {
		m := v.Type().Method(i)
		if contains(except, m.Name) {
			continue
		}
		f := v.Method(i)
		var in []reflect.Value
		for j := range f.Type().NumIn() {
			if f.Type().IsVariadic() && j == f.Type().NumIn()-1 {
				break
			}
			in = append(in, k.argument(f.Type().In(j)))
		}
		k.NotPanics(func() {
			for _, out := range f.Call(in) {
				if err, isError := out.Interface().(error); cause != nil &&
					out.Type() == reflect.TypeFor[error]() {
					k.True(isError, "%T.%s returned no error", object, m.Name)
					k.ErrorIs(err, cause, "%T.%s", object, m.Name)
				}
			}
		}, "%T.%s", object, m.Name)
	}
}

func contains(all []string, s string) bool {
	for _, a := range all {
		if a == s {
			return true
		}
	}
	return false
}

// argument returns an argument that no method has a reason to refuse.
func (k *kit) argument(t reflect.Type) reflect.Value {
	switch t {
	case reflect.TypeFor[context.Context]():
		return reflect.ValueOf(context.Background())
	case reflect.TypeFor[*event.Stream]():
		return reflect.ValueOf(k.stream())
	case reflect.TypeFor[*event.Event]():
		return reflect.ValueOf(k.event(event.WithTiming()))
	case reflect.TypeFor[func(error)]():
		return reflect.ValueOf(func(error) {})
	case reflect.TypeFor[func() error]():
		return reflect.ValueOf(func() error { return nil })
	}
	return reflect.Zero(t)
}

// answersLike calls all methods of two objects with the same arguments, and wants the same answers.
func answersLike(k *kit, object, like any) {
	k.t.Helper()
	v, w := reflect.ValueOf(object), reflect.ValueOf(like)
	for i := range v.NumMethod() {
		name := v.Type().Method(i).Name
		f, g := v.Method(i), w.Method(i)
		var in []reflect.Value
		for j := range f.Type().NumIn() {
			if f.Type().IsVariadic() && j == f.Type().NumIn()-1 {
				break
			}
			in = append(in, k.argument(f.Type().In(j)))
		}
		k.NotPanics(func() {
			got, want := f.Call(in), g.Call(in)
			for j := range got {
				k.Equal(plain(want[j]), plain(got[j]), "%T.%s", object, name)
			}
		}, "%T.%s", object, name)
	}
}

// plain returns a method's result in a form that can be compared: the text of an error, whether a
// channel is open.
func plain(v reflect.Value) any {
	switch x := v.Interface().(type) {
	case error:
		return x.Error()
	case <-chan struct{}:
		return isOpen(x)
	}
	return v.Interface()
}

package report

import "reflect"

// walk replaces every text of a report, but for keys of maps.
func walk(r *Report, f func(string) string) { walkValue(reflect.ValueOf(r).Elem(), f) }

func walkValue(v reflect.Value, f func(string) string) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() {
			if was := v.String(); was != "" {
				v.SetString(f(was))
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			walkValue(v.Elem(), f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walkValue(v.Index(i), f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				walkValue(v.Field(i), f)
			}
		}
	}
}

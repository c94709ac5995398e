package reallibs_test

import "github.com/gpuevent/gpuevent/internal/testing/bindings"

// excused says why the library of a release lacks a function: a rule of specs/<api>.toml; "" if it
// has to have it.
func excused(api, symbol, release string) string {
	table, _ := bindings.Named(api)
	for i := range table.Functions {
		if f := &table.Functions[i]; f.C == symbol {
			return f.Lacks(release)
		}
	}
	return ""
}

// excusedName says why a library has no name for a result code of its release; "" if it has to have
// one.
func excusedName(api, release string, code int32) string {
	if api == "hip" && release == "6.4.3" && (code == 911 || code == 912) {
		return "declared in 6.4.3, named from 7 on"
	}
	return ""
}

// Package bindings lists all bindings, for the tests that prove each of them. The generator writes
// the list from the specs, so a new API is among them without a line of Go.
package bindings

import (
	"slices"

	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/testing/proof"
)

// API is what tests use of one package.
type API struct {
	*proof.API
	Library *dl.Library
	// Load is the package's own.
	Load func(paths ...string) error
	// Result is the package's error of a result code, nil for success.
	Result func(code int32) error
	// Enum is the C type of the result codes.
	Enum string
	// NoDevices are the settings of environment variables by which the library sees no device.
	NoDevices []string
}

// Named finds an API by its name in the specs.
func Named(name string) (API, bool) {
	i := slices.IndexFunc(All, func(a API) bool { return a.Name == name })
	if i < 0 {
		return API{}, false
	}
	return All[i], true
}

// result makes a [API.Result] of a result type.
func result[R interface {
	~int32 | ~uint32
	error
}](success R) func(int32) error {
	return func(code int32) error {
		if r := R(code); r != success {
			return r
		}
		return nil
	}
}

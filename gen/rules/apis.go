package rules

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrAPI is the error of a name that no file of the specs has.
var ErrAPI = errors.New("unknown API")

// APIs are the names of all APIs that the folder has rules for: <api>.toml.
func APIs(dir string) []string {
	paths, _ := filepath.Glob(filepath.Join(dir, "*.toml")) // the pattern is well-formed
	var names []string
	for _, p := range paths {
		name := strings.TrimSuffix(filepath.Base(p), ".toml")
		if !strings.Contains(name, ".") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// LoadHeader reads how to read an API's headers. Nothing but specs/<api>.toml needs to exist.
func LoadHeader(dir, api string) (*Header, error) {
	path := filepath.Join(dir, api+".toml")
	if _, err := os.Stat(path); err != nil || api == "" || strings.ContainsAny(api, `./\`) {
		return nil, fmt.Errorf("%w %q: %s has %s", ErrAPI, api, filepath.ToSlash(dir),
			strings.Join(APIs(dir), ", "))
	}
	r := &Rules{API: api, sources: map[string]*source{}}
	problems, err := r.read(dir, "toml", &r.Binding, false)
	if err != nil {
		return nil, err
	}
	for _, p := range r.Binding.Header.check() {
		problems = append(problems, r.sources["toml"].key(p[0], p[1], "%s", p[2]))
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return &r.Binding.Header, nil
}

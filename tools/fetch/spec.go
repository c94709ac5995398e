package main

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Spec is what specs/<api>.toml says about the files of an API. Its other keys are the generator's.
type Spec struct {
	Header struct {
		Files    []string `toml:"files"`
		Typedefs string   `toml:"typedefs"`
		Packages []string `toml:"packages"`
		Version  struct {
			Format   []int             `toml:"format"`
			Macros   []string          `toml:"macros"`
			Releases map[string]string `toml:"releases"`
		} `toml:"version"`
	} `toml:"header"`
	Library struct {
		Linux struct {
			Names []string `toml:"names"`
		} `toml:"linux"`
	} `toml:"library"`
}

// Specs are those of all APIs, by name.
type Specs map[string]*Spec

// ErrSpecs is the error of specs that can't be used.
var ErrSpecs = errors.New("specs")

// readSpecs reads specs/<api>.toml of every API in a folder.
func readSpecs(dir string) (Specs, error) {
	files, _ := filepath.Glob(filepath.Join(dir, "*.toml")) // the pattern is well-formed
	specs := Specs{}
	for _, file := range files {
		api := strings.TrimSuffix(filepath.Base(file), ".toml")
		if strings.Contains(api, ".") {
			continue // facts and texts of an API
		}
		s := new(Spec)
		if _, err := toml.DecodeFile(file, s); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrSpecs, file, err)
		}
		specs[api] = s
	}
	if len(specs) == 0 {
		return nil, fmt.Errorf("%w: no <api>.toml in %s: -specs names another folder", ErrSpecs, dir)
	}
	return specs, nil
}

// headers are the API's headers, as an #include names them.
func (s *Spec) headers() []string {
	var names []string
	for _, f := range s.Header.Files {
		names = append(names, strings.TrimPrefix(f, "?"))
	}
	return names
}

// headerRule takes the API's headers from where a package has them, with everything in the folders
// that an #include of them names.
func (s *Spec) headerRule(api, name string) Rule {
	r := Rule{API: api, Packages: []string{name}, Find: s.headers(), To: "include"}
	for _, h := range r.Find {
		pattern := h
		if folder, _, ok := strings.Cut(h, "/"); ok {
			pattern = folder + "/**"
		}
		if !slices.Contains(r.Optional, pattern) {
			r.Optional = append(r.Optional, pattern)
		}
	}
	if s.Header.Typedefs != "" {
		r.Optional = append(r.Optional, path.Join(path.Dir(r.Find[0]), s.Header.Typedefs))
	}
	return r
}

// libraries are patterns of the library's file names, the first choice first, whatever release a
// name ends with.
func (s *Spec) libraries() []string {
	var patterns []string
	for _, name := range s.Library.Linux.Names {
		stem, _, _ := strings.Cut(name, ".so")
		if p := stem + ".so*"; !slices.Contains(patterns, p) {
			patterns = append(patterns, p)
		}
	}
	return patterns
}

// libraryRule takes the API's library and those beside it.
func (s *Spec) libraryRule(api, name string) Rule {
	return Rule{API: api, Packages: []string{name}, Find: s.libraries(), To: "lib",
		Optional: []string{"lib*.so*"}, Shared: true}
}

// parts is of how many numbers the name of a header's version consists.
func (s *Spec) parts() int {
	return max(2, len(s.Header.Version.Macros), len(s.Header.Version.Format))
}

// wanted are the packages that should have the API's headers and that no pin is for: as pins
// without a release. "deb:NAME" and "pip:NAME" say which index has it; without that, names in
// Debian's form for headers, lib…-dev, are Debian's, in one of the suites.
func (s *Spec) wanted(pins []Pin, suites []string) []Pin {
	var wanted []Pin
	for _, name := range s.Header.Packages {
		index, rest, ok := strings.Cut(name, ":")
		if ok {
			name = rest
		} else if index = "pip"; strings.HasPrefix(name, "lib") && strings.HasSuffix(name, "-dev") {
			index = "deb"
		}
		switch {
		case slices.ContainsFunc(pins, func(p Pin) bool { return p.Name() == name }):
		case index == "deb":
			for _, suite := range suites {
				wanted = append(wanted, Pin{Deb: name, Suite: suite})
			}
		default:
			wanted = append(wanted, Pin{Pip: name})
		}
	}
	return wanted
}

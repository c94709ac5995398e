package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"
)

// shared are the packages below the bindings whose tests concern every target.
var shared = []string{".", "./internal/ccall", "./internal/dl", "./internal/callback"}

// binding is an API and the folder of its package.
type binding struct {
	api, oracle, pkg string
	windows          bool // the vendor has a library for Windows
}

// bindings are the APIs that have an oracle.
func bindings(root string) ([]binding, error) {
	const prefix, suffix = "oracle_", ".c"
	// the pattern is well-formed but for what the folder's name may hold
	files, err := filepath.Glob(filepath.Join(root, "internal", "testing", "proof", "testdata",
		prefix+"*"+suffix))
	if err != nil {
		return nil, err
	}
	var all []binding
	for _, file := range files {
		api := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), prefix), suffix)
		var spec struct {
			Package struct{ Name string }
			Library struct {
				Windows struct{ Names []string }
			}
		}
		path := filepath.Join(root, "specs", api+".toml")
		if _, err := toml.DecodeFile(path, &spec); err != nil {
			return nil, fmt.Errorf("the rules of the oracle %s: %w", file, err)
		}
		if spec.Package.Name == "" {
			return nil, fmt.Errorf("%s does not name its package", path)
		}
		all = append(all, binding{api, file, "./" + spec.Package.Name,
			len(spec.Library.Windows.Names) > 0})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no oracle: make generate writes them", root)
	}
	return all, nil
}

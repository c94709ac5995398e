package main

import (
	"flag"
	"os"
	"path/filepath"

	"github.com/gpuevent/gpuevent/gen/internal/cli"
	"github.com/gpuevent/gpuevent/gen/rules"
)

// apiFlags are -api and -specs: an API is known by its rules, specs/<api>.toml.
type apiFlags struct{ name, specs *string }

func apiFlag(fs *flag.FlagSet) apiFlags {
	return apiFlags{
		fs.String("api", "", "`name` of the API, which specs/<name>.toml is for"),
		fs.String("specs", "", "`folder` of the specs and rules; specs here or one folder up if not "+
			"given"),
	}
}

// folder is the folder of the specs.
func (f apiFlags) folder() string {
	if *f.specs != "" {
		return *f.specs
	}
	if _, err := os.Stat("specs"); err != nil {
		return filepath.Join("..", "specs")
	}
	return "specs"
}

// apiHeader is an API's name and how to read its headers.
type apiHeader struct {
	name string
	*rules.Header
}

// load reads the rules for the API's headers.
func (f apiFlags) load() (apiHeader, error) {
	if *f.name == "" {
		return apiHeader{}, cli.Usagef("-api is missing")
	}
	h, err := rules.LoadHeader(f.folder(), *f.name)
	return apiHeader{*f.name, h}, err
}

package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gpuevent/gpuevent/gen/internal/cli"
	"github.com/gpuevent/gpuevent/gen/model"
)

func init() {
	register(cli.Command{
		Name:  "diff",
		Args:  "-api name [-specs dir] [-spec file] [-o file] A B",
		Short: "tell what release B added, removed and changed against release A",
		Long: "A and B are versions of the spec (12.9 13.0), include folders (/usr/local/toy/include) " +
			"or files that parse wrote.\n" +
			"The result is a page of Markdown.",
		Flags: func(fs *flag.FlagSet) func(*cli.Env, []string) error {
			api := apiFlag(fs)
			spec := fs.String("spec", "", "the spec `file`; <api>.json in the folder of the specs if not given")
			out := fs.String("o", "", "write to `file` instead of standard output")
			return func(env *cli.Env, args []string) error {
				if len(args) != 2 {
					return cli.Usagef("two releases are needed, %d given", len(args))
				}
				return diff(env, &differ{env: env, flags: api, specPath: *spec}, args[0], args[1], *out)
			}
		},
	})
}

func diff(env *cli.Env, d *differ, a, b, out string) error {
	from, err := d.release(a)
	if err != nil {
		return err
	}
	to, err := d.release(b)
	if err != nil {
		return err
	}
	if from.API != to.API {
		return cli.Usagef("%s is of %s, %s of %s", a, from.API, b, to.API)
	}
	page := model.Compare(from, to)
	if out != "" {
		err = os.WriteFile(out, []byte(page.Markdown()), 0o644)
	} else {
		_, err = fmt.Fprint(env.Stdout, page.Markdown())
	}
	if err != nil {
		return err
	}
	env.Donef("%s %s to %s: %s", page.API, page.From, page.To, strings.TrimSuffix(page.Summary(), "."))
	return nil
}

// differ finds releases by what the command line calls them; the spec is read at most once.
type differ struct {
	env      *cli.Env
	flags    apiFlags
	specPath string
	spec     *model.Model
}

func (d *differ) release(name string) (model.Release, error) {
	st, err := os.Stat(name)
	switch {
	case err == nil && st.IsDir():
		return d.folder(name)
	case err == nil:
		m, err := model.Load(name)
		if err != nil {
			return model.Release{}, err
		}
		if len(m.Versions) != 1 {
			return model.Release{}, cli.Usagef("%s holds %d releases; name one with -spec %s", name,
				len(m.Versions), name)
		}
		return model.Release{Model: m}, nil
	}
	if d.spec == nil {
		if d.spec, err = d.loadSpec(); err != nil {
			return model.Release{}, err
		}
	}
	return d.spec.Release(name)
}

// folder reads an include folder, or the one inside of a toolkit's.
func (d *differ) folder(dir string) (model.Release, error) {
	api, err := d.flags.load()
	if err != nil {
		return model.Release{}, err
	}
	if _, err := os.Stat(filepath.Join(dir, "include", api.Main())); err == nil {
		dir = filepath.Join(dir, "include")
	}
	return parseDir(d.env, api, dir, "")
}

func (d *differ) loadSpec() (*model.Model, error) {
	if d.specPath != "" {
		return model.Load(d.specPath)
	}
	if *d.flags.name == "" {
		return nil, cli.Usagef("-api is missing")
	}
	return model.Load(filepath.Join(d.flags.folder(), *d.flags.name+".json"))
}

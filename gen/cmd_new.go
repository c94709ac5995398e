package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/gen/draft"
	"github.com/gpuevent/gpuevent/gen/header"
	"github.com/gpuevent/gpuevent/gen/internal/cli"
)

func init() {
	register(cli.Command{
		Name:  "new",
		Args:  "name [-I folder] -header file... [-version name] [-specs dir]",
		Short: "draft the files of an API that has no bindings yet",
		Long: "It reads the headers and writes specs/<name>.toml with what they show, and " +
			"<name>.facts.toml, <name>.docs.toml and\n" +
			"<name>.errors.toml, in which every function, type and result code waits for a text. " +
			"docs/add-an-api.md leads through\n" +
			"the rest. No file is overwritten.",
		Flags: func(fs *flag.FlagSet) func(*cli.Env, []string) error {
			var o draft.Options
			specs := fs.String("specs", "", "`folder` of the specs; specs here or one folder up if not given")
			fs.StringVar(&o.Dir, "I", "", "include `folder`; the first header's if not given")
			fs.StringVar(&o.Version, "version", "", "the release's `name`, if the headers do not tell it")
			fs.Func("header", "a `file` that programs include, below the include folder; repeat it for "+
				"more, with ? in front of one that not every release has", func(s string) error {
				o.Files = append(o.Files, s)
				return nil
			})
			fs.Func("define", "a `macro` to define before the headers: NAME or NAME=value; may be repeated",
				func(s string) error {
					o.Defines = append(o.Defines, s)
					return nil
				})
			fs.Func("foreign", "a `pattern` of headers in the include folder that belong to another API: "+
				"only types that this one uses are bound; may be repeated", func(s string) error {
				o.Foreign = append(o.Foreign, s)
				return nil
			})
			fs.Func("stub", "`file=text`: a stand-in of our own for a header from elsewhere; may be repeated",
				func(s string) error {
					name, text, ok := strings.Cut(s, "=")
					if !ok {
						return errors.New("give the header's name, = and the text")
					}
					if o.Stubs == nil {
						o.Stubs = map[string]string{}
					}
					o.Stubs[name] = text
					return nil
				})
			return func(env *cli.Env, args []string) error {
				if len(args) > 0 { // flags may follow the name
					o.API = args[0]
					if err := fs.Parse(args[1:]); err != nil {
						return cli.Usagef("%v", err)
					}
					args = fs.Args()
				}
				switch {
				case len(args) > 0:
					return cli.Usagef("unexpected %q", args)
				case o.API == "" || len(o.Files) == 0:
					return cli.Usagef("the API's name and -header are needed")
				}
				return newAPI(env, o, apiFlags{&o.API, specs}.folder())
			}
		},
	})
}

func newAPI(env *cli.Env, o draft.Options, specs string) error {
	if o.Dir == "" {
		if filepath.IsAbs(o.Files[0]) || strings.ContainsAny(o.Files[0], `/\`) {
			o.Dir, o.Files[0] = filepath.Split(o.Files[0])
		} else {
			o.Dir = "."
		}
	}
	d, err := draft.New(o)
	if errors.Is(err, header.ErrParse) {
		return fmt.Errorf("%w\na header that these include from elsewhere needs a stand-in: "+
			"-stub 'other.h=typedef struct other *other_t;'", err)
	}
	if err != nil {
		return err
	}
	files := d.Files()
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(specs, name)); err == nil {
			return fmt.Errorf("%w: %s: change it, or remove it for a new draft", fs.ErrExist,
				filepath.Join(specs, name))
		}
	}
	if err := os.MkdirAll(specs, 0o755); err != nil {
		return err
	}
	for _, name := range names {
		path := filepath.Join(specs, name)
		if err := os.WriteFile(path, []byte(files[name]), 0o644); err != nil {
			return err
		}
		env.Progressf("wrote %s", path)
	}
	env.Progressf("\nCheck what was guessed, marked with ? in %s.toml:", o.API)
	for _, u := range d.Unsure {
		env.Progressf("  %s", u)
	}
	folder := "<version>"
	if v := d.Model.Versions[0].Name; v != "0.0" {
		folder = v
	}
	env.Progressf("\nThen, as docs/add-an-api.md describes:\n"+
		"  1. facts:  decide the lines of %[1]s.facts.toml that begin with #\n"+
		"  2. texts:  fill %[1]s.docs.toml and %[1]s.errors.toml, in your own words\n"+
		"  3. header: pin the packages in tools/pins.toml, or put the headers in "+
		".headers/%[1]s/%[2]s/include\n"+
		"  4. spec:   go run ./gen merge -api %[1]s -dir .headers/%[1]s -o specs/%[1]s.json\n"+
		"  5. code:   make generate, which lists what is still missing\n"+
		"  6. proof:  go test .", o.API, folder)
	env.Donef("%s: %s", o.API, counts(d.Model))
	return nil
}

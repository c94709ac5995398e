package main

import (
	"flag"
	"os"
	"path/filepath"
	"slices"

	"github.com/gpuevent/gpuevent/gen/internal/cli"
	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/oracle"
	"github.com/gpuevent/gpuevent/gen/rules"
)

func init() {
	register(cli.Command{
		Name: "oracle",
		Args: "[-specs folder] -out folder [-refs file] " +
			"[-bindings file] [-headers file]",
		Short: "write the C text that proves the bindings",
		Long: "The folder gets a library oracle_<api>.c for each API with a spec, whose functions have " +
			"the prototypes of the spec and note what\n" +
			"they receive. The tests compile it with the machine's C compiler and call every function " +
			"from Go. -refs names the Go file that\n" +
			"lists the constructors of callback registrations for those tests, -bindings the one that " +
			"lists the packages,\n" +
			"and -headers the one that lists the vendors' headers.",
		Flags: func(fs *flag.FlagSet) func(*cli.Env, []string) error {
			specs := fs.String("specs", "specs", "`folder` of the specs")
			out := fs.String("out", "", "`folder` to write to")
			refs := fs.String("refs", "", "Go `file` to write the constructors of registrations to")
			list := fs.String("bindings", "", "Go `file` to write the list of the packages to")
			headers := fs.String("headers", "", "Go `file` to write the list of the headers to")
			return func(env *cli.Env, args []string) error {
				switch {
				case len(args) > 0:
					return cli.Usagef("unexpected %q", args)
				case *out == "":
					return cli.Usagef("-out is missing")
				}
				return writeOracles(env, *specs, *out, *refs, *list, *headers)
			}
		},
	})
}

func writeOracles(env *cli.Env, specs, out, refs, list, headers string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	apis, err := apisOf(specs, "")
	if err != nil {
		return err
	}
	var all []oracle.Subject
	for _, api := range apis {
		m, err := model.Load(filepath.Join(specs, api+".json"))
		if err != nil {
			return err
		}
		r, err := rules.Load(specs, api)
		if err != nil {
			return err
		}
		m.Functions = slices.DeleteFunc(m.Functions,
			func(f model.Function) bool { return r.Binding.Skip[f.Name] != "" })
		text, err := oracle.Emit(m)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, "oracle_"+api+".c"), text, 0o644); err != nil {
			return err
		}
		all = append(all, oracle.Subject{Model: m, Rules: r})
	}
	for _, f := range []struct {
		path  string
		write func([]oracle.Subject) ([]byte, error)
	}{{refs, oracle.Refs}, {list, oracle.Bindings}, {headers, oracle.Headers}} {
		if f.path == "" {
			continue
		}
		text, err := f.write(all)
		if err != nil {
			return err
		}
		if err := os.WriteFile(f.path, text, 0o644); err != nil {
			return err
		}
	}
	env.Donef("oracles of %d APIs", len(apis))
	return nil
}

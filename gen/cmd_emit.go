package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gpuevent/gpuevent/gen/emit"
	"github.com/gpuevent/gpuevent/gen/internal/cli"
	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

func init() {
	register(cli.Command{
		Name:  "emit",
		Args:  "[-specs dir] [-out dir] [-api name] [-check]",
		Short: "write the Go bindings from the specs and their rules",
		Long: "For every specs/<api>.json with a specs/<api>.toml the files z*.go of its package, internal/proof/z<api>.go and the lock of\n" +
			"names are written. Files that are up to date stay untouched, generated ones that have no more use are removed.",
		Flags: func(fs *flag.FlagSet) func(*cli.Env, []string) error {
			specs := fs.String("specs", "specs", "`folder` of the specs and rules")
			out := fs.String("out", ".", "the repository's root `folder`")
			api := fs.String("api", "", "only this API, by `name`")
			check := fs.Bool("check", false, "write nothing; fail if something would change")
			verbose := fs.Bool("v", false, "list every decision that no rule covers")
			return func(env *cli.Env, args []string) error {
				if len(args) > 0 {
					return cli.Usagef("unexpected %q", args)
				}
				return emitAll(env, *specs, *out, *api, *check, *verbose)
			}
		},
	})
}

// apisOf lists the APIs that have both a spec and rules.
func apisOf(specs, only string) ([]string, error) {
	if only != "" {
		return []string{only}, nil
	}
	paths, err := filepath.Glob(filepath.Join(specs, "*.json"))
	if err != nil {
		return nil, err
	}
	var apis []string
	for _, path := range paths {
		api := strings.TrimSuffix(filepath.Base(path), ".json")
		if _, err := os.Stat(filepath.Join(specs, api+".toml")); err == nil {
			apis = append(apis, api)
		}
	}
	if len(apis) == 0 {
		return nil, cli.Usagef("%s has no specs with rules (<api>.json and <api>.toml)", specs)
	}
	return apis, nil
}

// plan loads one API and decides its bindings.
func plan(specs, api string) (*emit.Plan, error) {
	m, err := model.Load(filepath.Join(specs, api+".json"))
	if err != nil {
		return nil, err
	}
	if ps := m.Check(); len(ps) > 0 {
		return nil, fmt.Errorf("specs/%s.json: %w", api, ps[0])
	}
	r, err := rules.Load(specs, api)
	if err != nil {
		return nil, err
	}
	if err := r.Check(m); err != nil {
		return nil, err
	}
	return emit.NewPlan(m, r)
}

func emitAll(env *cli.Env, specs, out, only string, check, verbose bool) error {
	apis, err := apisOf(specs, only)
	if err != nil {
		return err
	}
	drift := 0
	for _, api := range apis {
		n, err := emitAPI(env, specs, out, api, check, verbose)
		if err != nil {
			return err
		}
		drift += n
	}
	if check && drift > 0 {
		return fmt.Errorf("%w: %d generated files; run gen emit and commit them", cli.ErrDrift, drift)
	}
	return nil
}

func emitAPI(env *cli.Env, specs, out, api string, check, verbose bool) (changed int, err error) {
	p, err := plan(specs, api)
	if err != nil {
		return 0, err
	}
	for _, w := range p.Rules.Warnings {
		env.Progressf("%s: warning: %s", api, w.Error())
	}
	for _, u := range p.Unbound {
		env.Progressf("%s: warning: the %s %s is not bound: %s", api, u.Kind, u.C, u.Reason)
	}
	if verbose {
		for _, g := range p.Guesses {
			env.Progressf("%s: decided by heuristic: %s is %s", api, g.Place, g.Choice)
		}
	}
	files, err := p.Files()
	if err != nil {
		return 0, err
	}
	files = append(files, emit.File{Path: "", Data: rules.Encode(p.Names)})
	lock, err := filepath.Rel(out, filepath.Join(specs, api+".lock"))
	if err != nil {
		return 0, err
	}
	files[len(files)-1].Path = filepath.ToSlash(lock)
	changes, err := p.Apply(out, files, !check)
	if err != nil {
		return 0, err
	}
	for _, c := range changes {
		env.Progressf("%s: %s %s", api, c.Kind, c.Path)
	}
	env.Donef("%s: %s, %d new names, %d decisions by heuristic, %d of %d files changed", api, p.Summary(), len(p.Fresh), len(p.Guesses), len(changes), len(files))
	return len(changes), nil
}

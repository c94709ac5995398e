package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
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
		Long: "For every specs/<api>.json with a specs/<api>.toml the files z*.go of its package, " +
			"internal/testing/proof/z<api>.go and the lock of\n" +
			"names and shapes are written, and, where heuristics decided something, a list for review, " +
			"specs/<api>.review.\n" +
			" Files that are up to date stay untouched, generated ones that have no " +
			"more use are removed.",
		Flags: func(fs *flag.FlagSet) func(*cli.Env, []string) error {
			specs := fs.String("specs", "specs", "`folder` of the specs and rules")
			out := fs.String("out", ".", "the repository's root `folder`")
			api := fs.String("api", "", "only this API, by `name`")
			check := fs.Bool("check", false, "write nothing; fail if something would change")
			strict := fs.Bool("strict", false, "fail if a text is missing, a decision is left to "+
				"heuristics or something can't be bound")
			verbose := fs.Bool("v", false, "list every warning and every decision that no rule covers")
			return func(env *cli.Env, args []string) error {
				if len(args) > 0 {
					return cli.Usagef("unexpected %q", args)
				}
				return emitAll(env, *api, options{*specs, *out, *check, *strict, *verbose})
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
	p, err := emit.NewPlan(m, r)
	if err != nil {
		return nil, err
	}
	return p, unbound(specs, p)
}

// unbound refuses what Go can't express and no rule leaves out, and rules that leave nothing out.
func unbound(specs string, p *emit.Plan) error {
	var problems rules.Problems
	api, skip, used := p.Rules.API, p.Rules.Binding.Skip, map[string]bool{}
	text, err := os.ReadFile(filepath.Join(specs, api+".json"))
	if err != nil {
		return err
	}
	for _, u := range p.Unbound {
		if used[u.C] = true; skip[u.C] != "" {
			continue
		}
		line := 0
		if before, _, ok := strings.Cut(string(text), fmt.Sprintf("{\"name\":%q", u.C)); ok {
			line = 1 + strings.Count(before, "\n")
		}
		problems = append(problems, rules.Problem{File: "specs/" + api + ".json", Line: line,
			Msg: fmt.Sprintf("the %s %s: %s; if that will do, say why in specs/%s.toml: [skip] %s = …",
				u.Kind, u.C, u.Reason, api, u.C)})
	}
	for _, c := range slices.Sorted(maps.Keys(skip)) {
		if !used[c] {
			problems = append(problems, rules.Problem{File: "specs/" + api + ".toml",
				Msg: "[skip] " + c + ": Go can express the type; only functions are left out at will"})
		}
	}
	if len(problems) > 0 {
		return problems
	}
	return nil
}

// options are the flags of emit.
type options struct {
	specs, out             string
	check, strict, verbose bool
}

func emitAll(env *cli.Env, only string, opt options) error {
	apis, err := apisOf(opt.specs, only)
	if err != nil {
		return err
	}
	drift := 0
	for _, api := range apis {
		n, err := emitAPI(env, api, opt)
		if err != nil {
			return err
		}
		drift += n
	}
	if opt.check && drift > 0 {
		return fmt.Errorf("%w: %d generated files; run gen emit and commit them", cli.ErrDrift, drift)
	}
	return nil
}

func emitAPI(env *cli.Env, api string, opt options) (changed int, err error) {
	p, err := plan(opt.specs, api)
	if err != nil {
		return 0, err
	}
	if err := warn(env, p, opt); err != nil {
		return 0, err
	}
	files, err := p.Files()
	if err != nil {
		return 0, err
	}
	from, err := filepath.Abs(opt.out)
	if err != nil {
		return 0, err
	}
	to, err := filepath.Abs(opt.specs)
	if err != nil {
		return 0, err
	}
	specs, err := filepath.Rel(from, to)
	if err != nil {
		return 0, err
	}
	beside := func(ext string) string { return filepath.ToSlash(filepath.Join(specs, api+ext)) }
	files = append(files, emit.File{Path: beside(".lock"), Data: rules.Encode(p.Names)},
		emit.File{Path: beside(".review"), Data: p.Review()})
	changes, err := p.Apply(opt.out, files, !opt.check)
	if err != nil {
		return 0, err
	}
	for _, c := range changes {
		env.Progressf("%s: %s %s", api, c.Kind, c.Path)
	}
	env.Donef("%s: %s, %d new names, %d warnings, %d decisions by heuristic, %d of %d files changed",
		api, p.Summary(), len(p.Fresh),
		len(p.Rules.Warnings), len(p.Guesses), len(changes), len(files))
	return len(changes), nil
}

// fewWarnings is how many warnings are shown without -v.
const fewWarnings = 10

// warn tells what the bindings lack and what was decided without a rule.
func warn(env *cli.Env, p *emit.Plan, opt options) error {
	api := p.Rules.API
	var lines []string
	for _, w := range p.Rules.Warnings {
		lines = append(lines, "warning: "+w.Error())
	}
	for _, g := range p.Guesses {
		lines = append(lines, fmt.Sprintf("decided by heuristic: %s is %s", g.Place, g.Choice))
	}
	for i, l := range lines {
		if i == fewWarnings && !opt.verbose {
			env.Progressf("%s: and %d more; -v lists them", api, len(lines)-i)
			break
		}
		env.Progressf("%s: %s", api, l)
	}
	for _, g := range p.Guarded {
		env.Progressf("%s: new guard: %s", api, g)
	}
	for _, u := range p.Unbound {
		env.Progressf("%s: left out by [skip]: the %s %s: %s", api, u.Kind, u.C, u.Reason)
	}
	if n := len(lines); opt.strict && n > 0 {
		return fmt.Errorf("%s: %d warnings and decisions by heuristic; write the texts and facts that "+
			"are missing", api, n)
	}
	return nil
}

package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/gpuevent/gpuevent/gen/header"
	"github.com/gpuevent/gpuevent/gen/internal/cli"
	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

func init() {
	register(cli.Command{
		Name:  "merge",
		Args:  "-api name [-specs dir] [-dir folder] [-I dir]... -o spec",
		Short: "read all header releases and merge them into the spec",
		Long: "-dir holds one folder per release, named after it, each with an include folder: " +
			"12.4/include/toy.h. -I adds an\n" +
			"include folder of an installed toolkit and may be repeated; without both, the toolkit is " +
			"read that the environment names.\n" +
			"A release that the spec has, but whose headers are not there, keeps the spec's view of it.",
		Flags: func(fs *flag.FlagSet) func(*cli.Env, []string) error {
			api := apiFlag(fs)
			dir := fs.String("dir", "", "`folder` with one folder per release")
			out := fs.String("o", "", "the spec `file`: read, merged into, written")
			fresh := fs.Bool("fresh", false, "forget releases that the spec has and the folders don't")
			var more []string
			fs.Func("I", "include `folder` of one more release", func(s string) error {
				more = append(more, s)
				return nil
			})
			return func(env *cli.Env, args []string) error {
				switch {
				case len(args) > 0:
					return cli.Usagef("unexpected %q", args)
				case *api.name == "" || *out == "":
					return cli.Usagef("-api and -o are needed")
				}
				h, err := api.load()
				if err != nil {
					return err
				}
				return merge(env, h, *dir, more, *out, *fresh)
			}
		},
	})
}

// source is a folder to read and the version that its name promises.
type source struct{ dir, version string }

func merge(env *cli.Env, api apiHeader, dir string, more []string, out string, fresh bool) error {
	sources, err := releaseDirs(api.Header, dir)
	if err != nil {
		return err
	}
	for _, d := range more {
		sources = append(sources, source{dir: d})
	}
	if dir == "" && len(more) == 0 {
		if d := installed(api.Header); d != "" {
			sources = append(sources, source{dir: d})
		}
	}
	releases, err := parseAll(env, api, sources)
	if err != nil {
		return err
	}
	old, err := written(api.name, out, fresh)
	if err != nil {
		return err
	}
	extra, err := supplementOf(out, api.name)
	if err != nil {
		return err
	}
	if extra != nil {
		if releases, err = supplemented(env, api, extra, old.Versions, sources, releases); err != nil {
			return err
		}
	}
	if releases, err = keep(env, old, out, extra, releases); err != nil {
		return err
	}
	if len(releases) == 0 {
		return fmt.Errorf("%w: no release of %s in %q", header.ErrNoHeader, api.name, dir)
	}
	slices.SortFunc(releases, func(a, b model.Release) int {
		return model.CompareVersions(a.Name(), b.Name())
	})
	m, err := model.Merge(releases)
	if err != nil {
		return err
	}
	if ps := m.Check(); len(ps) > 0 {
		return fmt.Errorf("merged %s: %w", api.name, ps[0])
	}
	if err := m.Save(out); err != nil {
		return err
	}
	env.Donef("%s: %d releases, %s to %s: %s", out, len(m.Versions), m.Versions[0].Name,
		m.Versions[len(m.Versions)-1].Name, counts(m))
	return nil
}

// releaseDirs finds the folders <dir>/<version>/include that have the API's header.
func releaseDirs(h *rules.Header, dir string) ([]source, error) {
	if dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // all releases may still come out of the spec
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", header.ErrNoHeader, err)
	}
	var out []source
	for _, e := range entries {
		inc := filepath.Join(dir, e.Name(), "include")
		if _, err := os.Stat(filepath.Join(inc, h.Main())); err == nil {
			out = append(out, source{inc, e.Name()})
		}
	}
	return out, nil
}

// parseAll reads the folders, two at a time.
func parseAll(env *cli.Env, api apiHeader, sources []source) ([]model.Release, error) {
	releases := make([]model.Release, len(sources))
	errs := make([]error, len(sources))
	var wg sync.WaitGroup
	slots := make(chan struct{}, 2)
	for i, s := range sources {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			releases[i], errs[i] = parseDir(env, api, s.dir, s.version)
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return releases, nil
}

// written reads the spec as it is; without one, or if it is to be forgotten, it has no releases.
func written(api, spec string, fresh bool) (*model.Model, error) {
	if fresh {
		return &model.Model{}, nil
	}
	old, err := model.Load(spec)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &model.Model{}, nil
	case err != nil:
		return nil, fmt.Errorf("%w\nrepair the spec, or start anew with -fresh", err)
	case old.API != api:
		return nil, cli.Usagef("%s is a spec of %s, not of %s", spec, old.API, api)
	}
	return old, nil
}

// keep adds the releases that only the spec still knows.
func keep(env *cli.Env, old *model.Model, spec string, extra *header.Supplement,
	releases []model.Release) ([]model.Release, error) {
	for _, v := range old.Versions {
		if gone(v, extra) {
			continue
		}
		if slices.ContainsFunc(releases, func(r model.Release) bool { return r.Name() == v.Name }) {
			continue
		}
		r, err := old.Release(v.Name)
		if err != nil {
			return nil, err
		}
		env.Progressf("%s %s: its headers are not there, keeping what %s says", old.API, v.Name, spec)
		releases = append(releases, r)
	}
	return releases, nil
}

// counts is the summary of what a model holds.
func counts(m *model.Model) string {
	values, fields := 0, 0
	for _, e := range m.Enums {
		values += len(e.Values)
	}
	for _, s := range m.Structs {
		fields += len(s.Fields)
	}
	return fmt.Sprintf("%d functions, %d enums with %d values, %d structs with %d fields, %d "+
		"typedefs, %d constants, %d aliases",
		len(m.Functions), len(m.Enums), values, len(m.Structs), fields, len(m.Typedefs), len(m.Consts),
		len(m.Aliases))
}

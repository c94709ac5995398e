package main

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/gen/header"
	"github.com/gpuevent/gpuevent/gen/internal/cli"
	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

func init() {
	register(cli.Command{
		Name:  "supplement",
		Args:  "[-api name] [-specs dir] -dir folder",
		Short: "check supplements against the files that they were made from",
		Long: "A supplement, specs/<api>.supplement.toml, is what a release declares beyond the newest " +
			"header that is available. It is\n" +
			"read on top of that header, as merge does, and compared with the file that it names. -dir " +
			"holds one folder per API, and\n" +
			"that one folder per release.",
		Flags: func(fs *flag.FlagSet) func(*cli.Env, []string) error {
			api := apiFlag(fs)
			dir := fs.String("dir", "", "`folder` with one folder per API")
			return func(env *cli.Env, args []string) error {
				switch {
				case len(args) > 0:
					return cli.Usagef("unexpected %q", args)
				case *dir == "":
					return cli.Usagef("-dir is missing")
				}
				names := rules.APIs(api.folder())
				if *api.name != "" {
					names = []string{*api.name}
				}
				var errs []error
				for _, name := range names {
					errs = append(errs, crossCheck(env, api.folder(), name, filepath.Join(*dir, name)))
				}
				return errors.Join(errs...)
			}
		},
	})
}

func crossCheck(env *cli.Env, specs, name, dir string) error {
	s, err := header.LoadSupplement(specs, name)
	if err != nil || s == nil {
		return err
	}
	h, err := rules.LoadHeader(specs, name)
	if err != nil {
		return err
	}
	sources, err := releaseDirs(h, dir)
	if err != nil {
		return err
	}
	sources = slices.DeleteFunc(sources, func(src source) bool {
		return model.CompareVersions(src.version, s.Version) >= 0
	})
	if len(sources) == 0 {
		env.Donef("%s was not checked: there is no header in %s that it adds to", s.File, dir)
		return nil
	}
	newest := slices.MaxFunc(sources, func(a, b source) int {
		return model.CompareVersions(a.version, b.version)
	})
	r, err := header.Parse(header.Options{API: name, Header: *h, Dir: newest.dir,
		Version: newest.version, Supplement: s})
	if err != nil {
		return err
	}
	differs, there, err := s.CrossCheck(r, filepath.Join(dir, s.Version))
	switch {
	case err != nil:
		return err
	case !there:
		env.Donef("%s was not checked: %s is not in %s", s.File, s.Check.File,
			filepath.Join(dir, s.Version))
	case len(differs) > 0:
		return fmt.Errorf("%w %s differs from its source:\n  %s", header.ErrSupplement, s.File,
			strings.Join(differs, "\n  "))
	default:
		env.Donef("%s agrees with %s of %s", s.File, s.Check.File, s.Source)
	}
	return nil
}

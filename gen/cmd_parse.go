package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/gpuevent/gpuevent/gen/header"
	"github.com/gpuevent/gpuevent/gen/internal/cli"
	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

func init() {
	register(cli.Command{
		Name:  "parse",
		Args:  "-api name [-specs dir] [-I dir] [-version name] [-o file]",
		Short: "read one header release and write its model as JSON",
		Long: "Without -I the include folder of the toolkit is read that the environment names " +
			"(roots in [header]). The C\n" +
			"compiler of the machine is not used. The version is taken from the header; where that knows " +
			"less than the release\n" +
			"does, give -version or a folder named <version>/include.",
		Flags: func(fs *flag.FlagSet) func(*cli.Env, []string) error {
			api := apiFlag(fs)
			dir := fs.String("I", "", "include `folder`")
			version := fs.String("version", "", "the release's `name`")
			out := fs.String("o", "", "write to `file` instead of standard output")
			return func(env *cli.Env, args []string) error {
				if len(args) > 0 {
					return cli.Usagef("unexpected %q", args)
				}
				h, err := api.load()
				if err != nil {
					return err
				}
				r, err := parseDir(env, h, *dir, *version)
				if err != nil {
					return err
				}
				if err := writeModel(env, r.Model, *out); err != nil {
					return err
				}
				env.Donef("%s %s: %s", r.API, r.Name(), counts(r.Model))
				return nil
			}
		},
	})
}

// parseDir reads the release in an include folder; without one it reads the toolkit that the
// environment names.
func parseDir(env *cli.Env, api apiHeader, dir, version string) (model.Release, error) {
	if dir == "" {
		if dir = installed(api.Header); dir == "" {
			return model.Release{}, cli.Usagef("-I is missing, and %s no toolkit with headers of %s",
				noneOf(api.Roots), api.name)
		}
	}
	if version == "" && !api.Version.Exact {
		version = releaseBeside(dir)
	}
	env.Progressf("reading %s headers in %s", api.name, dir)
	return header.Parse(header.Options{API: api.name, Header: *api.Header, Dir: dir, Version: version})
}

// noneOf is the beginning of a sentence about variables of the environment.
func noneOf(variables []string) string {
	if len(variables) == 0 {
		return "no variable names"
	}
	return strings.Join(variables, " and ") + " name"
}

// installed is the include folder of the toolkit that the environment names, if it has the API's
// header.
func installed(h *rules.Header) string {
	for _, v := range h.Roots {
		if root := os.Getenv(v); root != "" {
			dir := filepath.Join(root, "include")
			if _, err := os.Stat(filepath.Join(dir, h.Main())); err == nil {
				return dir
			}
		}
	}
	return ""
}

var releaseName = regexp.MustCompile(`(?:^|-)(\d+\.\d+(?:\.\d+)*)`)

// releaseBeside finds the full version beside an include folder: in the toolkit's own file, or in
// the name of the folder above.
func releaseBeside(dir string) string {
	root := filepath.Dir(filepath.Clean(dir))
	if data, err := os.ReadFile(filepath.Join(root, ".info", "version")); err == nil {
		if m := releaseName.FindStringSubmatch(strings.TrimSpace(string(data))); m != nil {
			return m[1]
		}
	}
	if m := releaseName.FindStringSubmatch(filepath.Base(root)); m != nil {
		return m[1]
	}
	return ""
}

func writeModel(env *cli.Env, m *model.Model, out string) error {
	if out != "" {
		return m.Save(out)
	}
	data, err := m.Encode()
	if err != nil {
		return err
	}
	_, err = env.Stdout.Write(data)
	return err
}

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
)

func init() {
	register(cli.Command{
		Name:  "parse",
		Args:  "-api name [-I dir] [-version name] [-o file]",
		Short: "read one header release and write its model as JSON",
		Long: "Without -I the include folder of CUDA_PATH or ROCM_PATH is read. The C compiler of the " +
			"machine is not used.\n" +
			"The version is taken from the header; a HIP header does not know its patch level, so give " +
			"-version or a folder\n" +
			"named <version>/include.",
		Flags: func(fs *flag.FlagSet) func(*cli.Env, []string) error {
			api := apiFlag(fs)
			dir := fs.String("I", "", "include `folder`")
			version := fs.String("version", "", "the release's `name`")
			out := fs.String("o", "", "write to `file` instead of standard output")
			return func(env *cli.Env, args []string) error {
				if len(args) > 0 {
					return cli.Usagef("unexpected %q", args)
				}
				r, err := parseDir(env, *api, *dir, *version)
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

func apiFlag(fs *flag.FlagSet) *string {
	return fs.String("api", "", "`name` of the API: "+strings.Join(header.APIs(), " or "))
}

// parseDir reads the release in an include folder; without one it reads the toolkit that the
// environment names.
func parseDir(env *cli.Env, api, dir, version string) (model.Release, error) {
	if api == "" {
		return model.Release{}, cli.Usagef("-api is missing")
	}
	if dir == "" {
		if dir = installed(api); dir == "" {
			return model.Release{}, cli.Usagef("-I is missing, and CUDA_PATH and ROCM_PATH name no "+
				"toolkit with headers of %s", api)
		}
	}
	if version == "" && api == "hip" {
		version = hipRelease(dir)
	}
	env.Progressf("reading %s headers in %s", api, dir)
	return header.Parse(header.Options{API: api, Dir: dir, Version: version})
}

// installed is the include folder of the toolkit that the environment names, if it has the API's
// header.
func installed(api string) string {
	main, err := header.Header(api)
	if err != nil {
		return ""
	}
	for _, v := range []string{"CUDA_PATH", "CUDA_HOME", "ROCM_PATH", "HIP_PATH"} {
		if root := os.Getenv(v); root != "" {
			dir := filepath.Join(root, "include")
			if _, err := os.Stat(filepath.Join(dir, main)); err == nil {
				return dir
			}
		}
	}
	return ""
}

var releaseName = regexp.MustCompile(`(?:^|-)(\d+\.\d+(?:\.\d+)*)`)

// hipRelease finds the full version beside an include folder: in ROCm's own file, or in the name of
// the folder above.
func hipRelease(dir string) string {
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

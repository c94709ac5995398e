package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gpuevent/gpuevent/gen/emit"
	"github.com/gpuevent/gpuevent/gen/internal/cli"
)

func init() {
	register(cli.Command{
		Name:  "coverage",
		Args:  "[-specs dir] [-proved file] [-out dir] [-check]",
		Short: "write how much of each header version is bound and proved",
		Long: "-proved is a JSON file with the C names that the oracle has proved, by API, header " +
			"version and kind:\n" +
			"{\"toy\": {\"1.2\": {\"functions\": [\"toyInit\", ...], \"types\": [...], \"consts\": " +
			"[...]}, ...}, \"mini\": ...}.",
		Flags: func(fs *flag.FlagSet) func(*cli.Env, []string) error {
			specs := fs.String("specs", "specs", "`folder` of the specs and rules")
			proved := fs.String("proved", "", "`file` of the oracle")
			out := fs.String("out", ".", "the `folder` to write COVERAGE.md to; - is standard output")
			check := fs.Bool("check", false, "write nothing; fail if the file would change")
			return func(env *cli.Env, args []string) error {
				if len(args) > 0 {
					return cli.Usagef("unexpected %q", args)
				}
				return coverage(env, *specs, *proved, *out, *check)
			}
		},
	})
}

func coverage(env *cli.Env, specs, proved, out string, check bool) error {
	proofs, err := readProofs(proved)
	if err != nil {
		return err
	}
	apis, err := apisOf(specs, "")
	if err != nil {
		return err
	}
	var all []*emit.Coverage
	for _, api := range apis {
		p, err := plan(specs, api)
		if err != nil {
			return err
		}
		c, err := p.Cover(proofs[api])
		if err != nil {
			return err
		}
		all = append(all, c)
		n := c.Releases[0]
		env.Progressf("%s %s: %d of %d functions, %d of %d types, %d of %d constants bound", api,
			n.Version,
			n.Functions.Bound, n.Functions.Declared, n.Types.Bound, n.Types.Declared, n.Const.Bound,
			n.Const.Declared)
	}
	text := emit.Text(all)
	if out == "-" {
		_, err := fmt.Fprint(env.Stdout, text)
		return err
	}
	out = filepath.Join(out, "COVERAGE.md")
	if check {
		if old, err := os.ReadFile(out); err != nil || string(old) != text {
			return fmt.Errorf("%w: %s; run gen coverage and commit it", cli.ErrDrift, out)
		}
		return nil
	}
	if err := os.WriteFile(out, []byte(text), 0o644); err != nil {
		return err
	}
	env.Donef("%s written", out)
	return nil
}

// readProofs reads the oracle's list; without a file nothing is said about proofs.
func readProofs(file string) (map[string]emit.Proved, error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the oracle's list: %w", err)
	}
	var proofs map[string]emit.Proved
	if err := json.Unmarshal(data, &proofs); err != nil {
		return nil, fmt.Errorf("%s: not lists of names by API, version and kind: %w", file, err)
	}
	return proofs, nil
}

// Command apicheck checks the exported API of the module in the working directory, as it is in the
// working tree: that gorelease would release it, and what apidiff says about the changes since a
// base.
//
//	go run ./tools/apicheck [-base revision]
//
// Both tools are pinned in tools/go.mod. They get copies of the files, so nothing has to be
// committed, and the base comes from git, so no proxy has to know it.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	base := flag.String("base", "", "the git `revision` to compare with; the newest v* tag if empty")
	flag.Parse()
	if err := check(".", *base, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "apicheck:", err)
		os.Exit(1)
	}
}

// check checks the module in dir, the root of a git repository.
func check(dir, base string, out io.Writer) error {
	temp, err := os.MkdirTemp("", "apicheck-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	now := filepath.Join(temp, "now")
	if err := export(dir, "", now); err != nil {
		return err
	}
	module, err := run(now, "go", "list", "-m")
	if err != nil {
		return err
	}
	if err := releasable(now); err != nil {
		return err
	}
	if base == "" {
		if base, err = newestTag(dir); err != nil {
			return err
		}
	}
	if base == "" {
		fmt.Fprintln(out, "api: no v* tag in this repository, so there is no release to compare with; "+
			"gorelease finds the module fit to release. API_BASE=<revision> compares with any commit")
		return nil
	}
	then := filepath.Join(temp, "then")
	if err := export(dir, base, then); err != nil {
		return err
	}
	return compare(module, then, now, base, out)
}

// releasable has gorelease look for what keeps a module from being released: files that it can't
// hold, requirements that are missing or replaced. Even with -base=none it queries the proxy for
// the module's versions, which a module without a release does not have. Without a proxy it
// continues, but then the go.mod files of the whole module graph must be in the module cache.
func releasable(dir string) error {
	gorelease, err := tool("gorelease")
	if err != nil {
		return err
	}
	for _, fetch := range [][]string{{"mod", "download"}, {"list", "-m", "all"}} {
		if _, err := run(dir, "go", fetch...); err != nil {
			return err
		}
	}
	report, err := runWith([]string{"GOPROXY=off"}, dir, gorelease, "-base=none", "-version=v0.1.0")
	if err != nil {
		return fmt.Errorf("the module can't be released: %w\n%s", err, report)
	}
	return nil
}

// compare reports the incompatible changes. They are an error from v1 on; before, semantic
// versions allow them.
func compare(module, then, now, base string, out io.Writer) error {
	apidiff, err := tool("apidiff")
	if err != nil {
		return err
	}
	export := filepath.Join(filepath.Dir(then), "then.export")
	if _, err := run(then, apidiff, "-m", "-w", export, module); err != nil {
		return err
	}
	changes, err := run(now, apidiff, "-m", "-incompatible", export, module)
	if err != nil {
		return err
	}
	if changes == "" {
		fmt.Fprintf(out, "api: no incompatible change since %s\n", base)
		return nil
	}
	fmt.Fprintf(out, "api: incompatible changes since %s, which CHANGELOG.md has to name:\n%s\n",
		base, changes)
	if released := strings.HasPrefix(base, "v") && !strings.HasPrefix(base, "v0."); released {
		return fmt.Errorf("the API of %s must stay; undo the changes or make a new major version", base)
	}
	return nil
}

// newestTag is the newest release tag that HEAD descends from; "" if there is none, as in a shallow
// clone.
func newestTag(dir string) (string, error) {
	tags, err := run(dir, "git", "tag", "--merged", "HEAD", "--sort=-v:refname", "--list", "v[0-9]*")
	newest, _, _ := strings.Cut(tags, "\n")
	return newest, err
}

// export copies the files of a revision to a folder or, for "", those that git tracks or would
// track, as they are now. The repository's own index stays as it is.
func export(dir, revision, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	index := []string{"GIT_INDEX_FILE=" + to + ".index"}
	git := func(args ...string) error {
		_, err := runWith(index, dir, "git", args...)
		return err
	}
	if err := git("read-tree", cmp.Or(revision, "HEAD")); err != nil {
		return fmt.Errorf("no files of %s here: %w\n"+
			"In a shallow clone, git fetch --unshallow --tags brings them", revision, err)
	}
	if revision == "" {
		if err := git("add", "-A"); err != nil {
			return err
		}
	}
	return git("checkout-index", "--all", "--prefix="+filepath.ToSlash(to)+"/")
}

// tool is the path of a tool of the tools module.
func tool(name string) (string, error) { return run(".", "go", "tool", "-n", name) }

// run runs a command and returns what it writes to its standard output.
func run(dir, name string, args ...string) (string, error) {
	return runWith(nil, dir, name, args...)
}

func runWith(env []string, dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	if filepath.IsAbs(dir) { // a copy, whose workspace is not meant
		cmd.Env = append(cmd.Env, "GOWORK=off")
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s",
			filepath.Base(name), strings.Join(args, " "), err, errs.String())
	}
	return strings.TrimSpace(string(out)), err
}

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// repository is a git repository with a module in it.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T) repository {
	t.Helper()
	for _, name := range []string{"git", "go"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("no", name, "on PATH")
		}
	}
	r := repository{t, t.TempDir()}
	r.git("init", "-q")
	r.write("go.mod", "module example.org/m\n\ngo 1.26\n")
	return r
}

func (r repository) git(args ...string) {
	r.t.Helper()
	config := []string{"-c", "user.name=n", "-c", "user.email=e@example.org",
		"-c", "commit.gpgsign=false"}
	cmd := exec.Command("git", append(config, args...)...)
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	require.NoError(r.t, err, "%s", out)
}

func (r repository) write(name, text string) {
	r.t.Helper()
	require.NoError(r.t, os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600))
}

func (r repository) commit(source string) {
	r.t.Helper()
	r.write("m.go", source)
	r.git("add", "-A")
	r.git("commit", "-qm", "x")
}

func (r repository) check(base string) (string, error) {
	var out strings.Builder
	err := check(r.dir, base, &out)
	return out.String(), err
}

const (
	one = "// Package m is for a test.\npackage m\n\n// F does nothing.\nfunc F() {}\n"
	two = one + "\n// G does nothing.\nfunc G() {}\n"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.commit(two)
	said, err := r.check("")
	require.NoError(t, err)
	assert.Contains(t, said, "no v* tag in this repository")

	r.git("tag", "v0.1.0")
	said, err = r.check("")
	require.NoError(t, err)
	assert.Equal(t, "api: no incompatible change since v0.1.0\n", said)

	r.write("m.go", one) // not committed
	said, err = r.check("")
	require.NoError(t, err, "v0 may change")
	assert.Contains(t, said, "incompatible changes since v0.1.0")
	assert.Contains(t, said, "G: removed")

	r.git("tag", "v1.0.0")
	said, err = r.check("")
	assert.ErrorContains(t, err, "the API of v1.0.0 must stay")
	assert.Contains(t, said, "G: removed")

	said, err = r.check("HEAD")
	require.NoError(t, err, "a commit is no release")
	assert.Contains(t, said, "incompatible changes since HEAD")

	_, err = r.check("nothing")
	assert.ErrorContains(t, err, "git fetch --unshallow --tags")
}

func TestCheckOfAModuleThatCannotBeReleased(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.commit("package m\n\nvar x int = \"\"\n")
	_, err := r.check("")
	assert.ErrorContains(t, err, "can't be released")
}

// A clone without history has no tags.
func TestNewestTag(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.commit(two)
	for _, tag := range []string{"v0.9.0", "v0.10.0", "other"} {
		r.git("tag", tag)
	}
	r.commit(one)
	tag, err := newestTag(r.dir)
	require.NoError(t, err)
	assert.Equal(t, "v0.10.0", tag)

	shallow := repository{t, t.TempDir()}
	shallow.git("clone", "-q", "--depth", "1", "file://"+filepath.ToSlash(r.dir), ".")
	tag, err = newestTag(shallow.dir)
	require.NoError(t, err)
	assert.Empty(t, tag)
}

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/clib"
)

const toy = "testdata/new"

// newToy drafts the API of our own header.
func newToy(t *testing.T, specs string) (stderr string) {
	t.Helper()
	_, stderr = gen(t, 0, "new", "toy", "-I", filepath.Join(toy, "include"), "-header", "toy/toy.h",
		"-stub", "other.h=typedef struct other_st other_t;", "-specs", specs)
	return stderr
}

// edit changes a file as a person does who follows docs/add-an-api.md.
func edit(t *testing.T, file string, changes ...[2]string) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	text := string(data)
	for _, c := range changes {
		re := regexp.MustCompile(c[0])
		require.Regexp(t, re, text, "%s lacks what the guide changes", file)
		text = re.ReplaceAllString(text, c[1])
	}
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
}

// TestNewAPI goes through docs/add-an-api.md with a header that the generator has never seen, up to
// calls of its functions.
func TestNewAPI(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	t.Parallel()
	tmp := t.TempDir()
	specs := filepath.Join(tmp, "specs")
	said := newToy(t, specs)
	assert.Contains(t, said, "is TOY_VERSION the version")
	assert.Contains(t, said, ".headers/toy/")

	file := func(name string) string { return filepath.Join(specs, name) }
	edit(t, file("toy.toml"), [2]string{`format = \[1000, 10\]`, "format = [10_000, 100, 1]"})
	edit(t, file("toy.facts.toml"), [2]string{`(?m)^# ("\w+\.\w+" = .*)$`, "$1"},
		[2]string{`(toyEventCreate.event|toyEventGetInfo.info)" = "inout"`, `$1" = "out"`},
		[2]string{`toyGetName.name" = "buffer"`, `toyGetName.name" = "string:size"`},
		[2]string{`# (toyVisit = .*)"once"`, `$1"call"`})
	headers := filepath.Join(tmp, ".headers", "toy")
	include := filepath.Join(headers, "1.2.3", "include")
	require.NoError(t, os.CopyFS(include, os.DirFS(filepath.Join(toy, "include"))))
	gen(t, 0, "merge", "-api", "toy", "-specs", specs, "-dir", headers, "-o", file("toy.json"))

	emit := []string{"emit", "-specs", specs, "-out", tmp, "-api", "toy"}
	_, said = gen(t, 0, emit...)
	assert.Contains(t, said, "lacks a text for toyEventCreate", "what is still to be written is named")
	_, said = gen(t, 1, append(emit, "-strict")...)
	assert.Contains(t, said, "write the texts and facts that are missing")
	edit(t, file("toy.docs.toml"), [2]string{`= ""`, `= "does what it is called"`})
	edit(t, file("toy.errors.toml"), [2]string{`says = ""`, `says = "it failed"`},
		[2]string{`remedy = ""`, `remedy = "try something else"`})
	gen(t, 0, append(emit, "-strict")...)

	copyModule(t, tmp)
	test, err := os.ReadFile(filepath.Join(toy, "toy_test.go.txt"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(tmp, "toy", "toy_test.go"), test, 0o644))
	runGo(t, tmp, nil, "vet", "./toy", "./internal/testing/proof", "./internal/libs")

	cc, err := clib.Compiler()
	if errors.Is(err, clib.ErrNoCompiler) {
		t.Skipf("the functions are not called: %v", err)
	}
	require.NoError(t, err)
	stand := filepath.Join(tmp, "standins")
	require.NoError(t, os.MkdirAll(stand, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(stand, "other.h"),
		[]byte("typedef struct other_st other_t;\n"), 0o644))
	flags := []string{"-I", include, "-I", stand}
	library := filepath.Join(tmp, clib.SharedLibrary("toy"))
	require.NoError(t, clib.Build{Compiler: cc, Source: filepath.Join(toy, "toy.c"), Out: library,
		Flags: flags}.Run())
	if runtime.GOOS != "windows" { // where C compilers need the names to be exported
		runGo(t, tmp, []string{"TOY=" + library}, "test", "./toy")
	}

	oracles := filepath.Join(tmp, "oracles")
	gen(t, 0, "oracle", "-specs", specs, "-out", oracles, "-bindings", filepath.Join(tmp, "b.go"),
		"-headers", filepath.Join(tmp, "h.go"))
	require.NoError(t, clib.Build{Compiler: cc, Source: filepath.Join(oracles, "oracle_toy.c"),
		Out: filepath.Join(tmp, clib.SharedLibrary("oracle")), Number: 10203,
		Flags: append(flags, "-DORACLE_HEADER=<toy/toy.h>")}.Run(), "the proof against the header")
	list, err := os.ReadFile(filepath.Join(tmp, "b.go"))
	require.NoError(t, err)
	assert.Contains(t, string(list), "Load: toy.Load")
}

// copyModule copies what generated packages import.
func copyModule(t *testing.T, to string) {
	t.Helper()
	for _, dir := range []string{"internal/ccall", "internal/dl", "internal/callback",
		"internal/versions", "liberr"} {
		require.NoError(t, os.CopyFS(filepath.Join(to, dir), os.DirFS(filepath.Join("..", dir))))
	}
	for _, file := range []string{"go.mod", "go.sum", "internal/testing/proof/proof.go"} {
		data, err := os.ReadFile(filepath.Join("..", file))
		require.NoError(t, err)
		path := filepath.Join(to, file)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, data, 0o644))
	}
}

func runGo(t *testing.T, dir string, env []string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod"), env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "go %s:\n%s", strings.Join(args, " "), out)
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	specs, dir := t.TempDir(), t.TempDir()
	newToy(t, specs)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	plain := write("plain.h", "void plainRun(void);\n")
	foreign := write("foreign.h", "#include <nowhere.h>\nvoid foreignRun(void);\n")
	for _, tt := range []struct {
		name string
		code int
		says string
		args []string
	}{
		{"no name", 2, "are needed", nil},
		{"no header", 2, "are needed", []string{"mini"}},
		{"two names", 2, "unexpected", []string{"mini", "-header", plain, "more"}},
		{"a name that no package can have", 1, "lower-case", []string{"My-API", "-header", plain}},
		{"a folder of ours", 1, "none of", []string{"event", "-header", plain}},
		{"no such file", 1, "no header", []string{"mini", "-header", filepath.Join(dir, "absent.h")}},
		{"functions without a result", 1, "no enum", []string{"mini", "-header", plain}},
		{"a header from elsewhere", 1, "-stub", []string{"mini", "-header", foreign}},
		{"files that are there", 1, "toy.docs.toml", []string{"toy", "-I", filepath.Join(toy, "include"),
			"-header", "toy/toy.h", "-stub", "other.h=typedef struct other_st other_t;"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"new"}, tt.args...)
			_, said := gen(t, tt.code, append(args, "-specs", specs)...)
			assert.Contains(t, said, tt.says)
		})
	}
}

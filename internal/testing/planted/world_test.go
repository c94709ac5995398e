package planted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// world is the repository with mistakes: a copy in which the files that differ are other ones, and
// all the rest is linked, and an overlay by which the go command sees the same.
type world struct {
	root, dir string // the repository, and the folder of the copy
	text      map[string]string
	linked    string // the copy, once it is made
	refused   string // what the generator said, if it refused to go on
	command   string // of the generator, that did
}

// newWorld plants, generates what has to be generated, and makes the copy.
func newWorld(t *testing.T, root, gen string, ps []plant) *world {
	w := &world{root: root, dir: t.TempDir()}
	var err error
	w.text, err = changed(root, ps)
	require.NoError(t, err)
	if w.generates() {
		w.generate(t, gen, slices.ContainsFunc(ps, func(p plant) bool { return p.locked }))
	}
	return w
}

// generates reports whether a change is one of the generator's or of what it reads.
func (w *world) generates() bool {
	for file := range w.text {
		if under(file, "gen") || under(file, "specs") {
			return true
		}
	}
	return false
}

func under(file, folder string) bool { return strings.HasPrefix(file, folder+"/") }

// unlock drops all but the names from the locks.
func unlock(t *testing.T, specs string) {
	locks, err := filepath.Glob(filepath.Join(specs, "*.lock"))
	require.NoError(t, err)
	for _, file := range locks {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var b strings.Builder
		for line := range strings.Lines(string(text)) {
			if line[0] == '\t' {
				continue
			}
			if words := strings.Fields(line); len(words) > 3 && words[0] != "#" {
				line = strings.Join(words[:3], " ") + "\n"
			}
			b.WriteString(line)
		}
		require.NoError(t, write(file, b.String()))
	}
}

// generate runs the generator on the specs of this world, and adds the files that come out
// differently.
func (w *world) generate(t *testing.T, gen string, locked bool) {
	tmp := t.TempDir()
	specs, out := filepath.Join(tmp, "specs"), filepath.Join(tmp, "out")
	require.NoError(t, os.CopyFS(specs, os.DirFS(filepath.Join(w.root, "specs"))))
	if !locked {
		unlock(t, specs)
	}
	for file, text := range w.text {
		if under(file, "specs") {
			require.NoError(t, write(filepath.Join(tmp, file), text))
		}
		if under(file, "gen") {
			gen = ""
		}
	}
	if gen == "" {
		gen = w.build(t, tmp)
	}
	testing := filepath.Join(out, "internal", "testing")
	proof := filepath.Join(testing, "proof")
	for _, dir := range []string{"bindings", "clib"} {
		require.NoError(t, os.MkdirAll(filepath.Join(testing, dir), 0o755))
	}
	for _, args := range [][]string{
		{"emit", "-specs", specs, "-out", out},
		{"oracle", "-specs", specs, "-out", filepath.Join(proof, "testdata"),
			"-refs", filepath.Join(proof, "zrefs.go"),
			"-bindings", filepath.Join(testing, "bindings", "zbindings.go"),
			"-headers", filepath.Join(testing, "clib", "zheaders.go")},
	} {
		said, err := w.run(gen, args...)
		if err != nil {
			w.refused, w.command = said, "gen "+args[0]
			return
		}
	}
	w.collect(t, out, "")
	w.collect(t, specs, "specs")
}

// collect adds the files below a folder that differ from the repository's.
func (w *world) collect(t *testing.T, dir, as string) {
	require.NoError(t, filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		name := path.Join(as, filepath.ToSlash(rel))
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		old, err := os.ReadFile(filepath.Join(w.root, filepath.FromSlash(name)))
		if err != nil || !bytes.Equal(old, text) {
			w.text[name] = string(text)
		}
		return nil
	}))
}

// build makes the generator of this world.
func (w *world) build(t *testing.T, tmp string) string {
	program := filepath.Join(tmp, "gen"+exe())
	_, err := w.compile("-overlay", w.overlay(t, tmp), "-o", program)
	require.NoError(t, err, "the generator with the mistake must compile")
	return program
}

// compile builds the generator, which is a module of its own.
func (w *world) compile(flags ...string) (string, error) {
	return w.run("go", append(append([]string{"-C", filepath.Join(w.root, "gen"), "build"}, flags...),
		".")...)
}

func exe() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// overlay writes the go command's overlay.
func (w *world) overlay(t *testing.T, tmp string) string {
	replace := map[string]string{}
	for i, file := range slices.Sorted(maps.Keys(w.text)) {
		if !strings.HasSuffix(file, ".go") {
			continue
		}
		other := filepath.Join(tmp, fmt.Sprintf("overlay%d.go", i))
		require.NoError(t, write(other, w.text[file]))
		replace[filepath.Join(w.root, filepath.FromSlash(file))] = other
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	file := filepath.Join(tmp, "overlay.json")
	require.NoError(t, os.WriteFile(file, data, 0o644))
	return file
}

// run runs a command in the repository and returns what it says.
func (w *world) run(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = w.root
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return string(out), err
}

// copied makes the copy of the repository.
func (w *world) copied(t *testing.T) string {
	if w.linked == "" {
		w.linked = filepath.Join(w.dir, "repository")
		require.NoError(t, w.link(w.linked, ""))
	}
	return w.linked
}

// link makes the copy of one folder: files that differ are written, folders without any are linked.
func (w *world) link(dir, folder string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Join(w.root, filepath.FromSlash(folder)))
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, e := range entries {
		name := path.Join(folder, e.Name())
		there[name] = true
		to := filepath.Join(dir, e.Name())
		text, differs := w.text[name]
		switch {
		case differs:
			err = write(to, text)
		case e.IsDir() && w.differsBelow(name):
			err = w.link(to, name)
		default:
			err = os.Symlink(filepath.Join(w.root, filepath.FromSlash(name)), to)
		}
		if err != nil {
			return err
		}
	}
	for name, text := range w.text { // new files
		if path.Dir(name) == path.Clean("./"+folder) && !there[name] {
			if err := write(filepath.Join(dir, path.Base(name)), text); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *world) differsBelow(folder string) bool {
	for name := range w.text {
		if under(name, folder) {
			return true
		}
	}
	return false
}

func write(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// found runs a finder in this world and returns what it says; with specs, against headers too. It
// is an error if the finder finds nothing.
func (w *world) found(t *testing.T, finder string, specs bool) (string, error) {
	if w.refused != "" {
		return w.command + ": " + w.refused, nil
	}
	if command, ok := strings.CutPrefix(finder, "gen "); ok {
		return "", fmt.Errorf("gen %s finds nothing", command)
	}
	folder, test, ok := strings.Cut(finder, " ")
	if !ok || finder == "go build" {
		folder, test = ".", finder
	}
	tmp := t.TempDir()
	name := strings.NewReplacer(".", "_", "/", "_").Replace(folder) + ".test" + exe()
	binary := filepath.Join(w.dir, name)
	if _, err := os.Stat(binary); err != nil {
		module := w.root
		if under(folder, "gen") {
			module = filepath.Join(w.root, "gen")
		}
		cmd := exec.Command("go", "test", "-c", "-vet=off", "-overlay", w.overlay(t, tmp), "-o", binary,
			filepath.Join(w.root, folder))
		cmd.Dir = module
		if out, err := cmd.CombinedOutput(); err != nil {
			return "go build: " + string(out), nil
		}
	}
	args := []string{"-test.run", "^" + test + "$", "-test.v"}
	if test == "TestOracle" && !specs {
		args = append(args, "-oracle.union") // nothing of older releases is wrong
	}
	cmd := exec.Command(binary, args...)
	cmd.Dir = filepath.Join(w.copied(t), folder)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return "", fmt.Errorf("%s finds nothing", finder)
	}
	return string(out), nil
}

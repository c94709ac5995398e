package emit

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// planOf decides the bindings of the spec in a folder; with a lock, if lock is not "".
func planOf(t *testing.T, dir, lock string,
	change func(*model.Model, *rules.Rules)) (*Plan, error) {
	t.Helper()
	tmp := t.TempDir()
	require.NoError(t, os.CopyFS(tmp, os.DirFS(dir)))
	if lock != "" {
		require.NoError(t, os.WriteFile(filepath.Join(tmp, "mini.lock"), []byte(lock), 0o644))
	}
	m, err := model.Load(filepath.Join(tmp, "mini.json"))
	require.NoError(t, err)
	require.Empty(t, m.Check())
	r, err := rules.Load(tmp, "mini")
	require.NoError(t, err)
	if change != nil {
		change(m, r)
	}
	require.NoError(t, r.Check(m))
	return NewPlan(m, r)
}

func filesOf(t *testing.T, dir string) ([]File, *Plan) {
	t.Helper()
	p, err := planOf(t, dir, "", nil)
	require.NoError(t, err)
	files, err := p.Files()
	require.NoError(t, err)
	return append(files, File{"specs/mini.lock", rules.Encode(p.Names)}), p
}

// TestGolden compares all that is emitted for the specs of our own with what was looked at and
// found right.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"shapes", "versions"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, _ := filesOf(t, filepath.Join("testdata", name))
			var b strings.Builder
			for _, f := range files {
				b.WriteString("-- " + f.Path + " --\n" + string(f.Data))
			}
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err, "make the golden files with go test ./emit -update")
			assert.Equal(t, string(want), b.String())
		})
	}
}

func TestSameSpecsSameBytes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"shapes", "versions"} {
		first, _ := filesOf(t, filepath.Join("testdata", name))
		for range 3 {
			again, _ := filesOf(t, filepath.Join("testdata", name))
			require.Equal(t, first, again)
		}
	}
}

// TestGeneratedCode builds what is emitted for the shapes as a package of a copy of the module,
// vets it and runs its tests against a library of Go functions with C's calling convention.
func TestGeneratedCode(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	t.Parallel()
	root, tmp := filepath.Join("..", ".."), t.TempDir()
	for _, dir := range []string{"internal/ccall", "internal/dl", "internal/callback",
		"internal/versions", "liberr"} {
		require.NoError(t, os.CopyFS(filepath.Join(tmp, dir), os.DirFS(filepath.Join(root, dir))))
	}
	for _, file := range []string{"go.mod", "go.sum", "internal/testing/proof/proof.go"} {
		data, err := os.ReadFile(filepath.Join(root, file))
		require.NoError(t, err)
		require.NoError(t, writeFile(filepath.Join(tmp, file), data))
	}
	files, p := filesOf(t, "testdata/shapes")
	_, err := p.Apply(tmp, files, true)
	require.NoError(t, err)
	commands := [][]string{{"vet", "./mini", "./internal/testing/proof"}}
	if runtime.GOOS == "linux" {
		test, err := os.ReadFile("testdata/shapes/behaviour.go.txt")
		require.NoError(t, err)
		require.NoError(t, writeFile(filepath.Join(tmp, "mini", "mini_test.go"), test))
		commands = append(commands, []string{"test", "./mini"})
	}
	for _, args := range commands {
		cmd := exec.Command("go", args...)
		cmd.Dir = tmp
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "go %s:\n%s", strings.Join(args, " "), out)
	}
}

// A member whose name only looks reserved has a name in the rules.
func TestANamedFieldIsNotHidden(t *testing.T) {
	t.Parallel()
	for _, named := range []bool{false, true} {
		p, err := planOf(t, "testdata/shapes", "", func(_ *model.Model, r *rules.Rules) {
			if named {
				r.Binding.Names["miniNode.reserved"] = rules.Override{Go: "Reserved", Why: "test"}
			}
		})
		require.NoError(t, err)
		i := slices.IndexFunc(p.structs, func(s *structure) bool { return s.Name == "miniNode" })
		require.GreaterOrEqual(t, i, 0)
		ms := p.structs[i].members
		j := slices.IndexFunc(ms, func(m *member) bool { return m.c == "reserved" })
		require.GreaterOrEqual(t, j, 0)
		m := ms[j]
		assert.Equal(t, map[bool]string{false: "reserved", true: "Reserved"}[named], m.goName)
		assert.Equal(t, !named, m.hidden)
	}
}

func TestLockPinsNames(t *testing.T) {
	t.Parallel()
	_, p := filesOf(t, "testdata/versions")
	lock := string(rules.Encode(p.Names))

	t.Run("what is locked stays, also where the scheme would choose otherwise", func(t *testing.T) {
		t.Parallel()
		p, err := planOf(t, "testdata/versions",
			strings.Replace(lock, "Old func miniOld", "Ancient func miniOld", 1), nil)
		require.NoError(t, err)
		assert.Equal(t, "Ancient", p.namer.goOf[[2]string{"func", "miniOld"}])
	})
	t.Run("a rule can't rename", func(t *testing.T) {
		t.Parallel()
		_, err := planOf(t, "testdata/versions", lock, func(_ *model.Model, r *rules.Rules) {
			r.Binding.Names["miniOld"] = rules.Override{Go: "Other", Why: "test"}
		})
		assert.ErrorContains(t, err, `"Old func miniOld" would change to "Other func miniOld"`)
		assert.ErrorContains(t, err, "mini.lock:")
	})
	t.Run("nothing can vanish", func(t *testing.T) {
		t.Parallel()
		_, err := planOf(t, "testdata/versions", lock+"Zoo func miniZoo\n", nil)
		assert.ErrorContains(t, err, `"Zoo func miniZoo" would be dropped`)
	})
	t.Run("a new symbol can't take a locked name", func(t *testing.T) {
		t.Parallel()
		stolen := strings.Replace(lock, "Old func miniOld", "Add func miniOld", 1)
		stolen = regexp.MustCompile(`(?m)^Add func miniAdd .*\n(\t.*\n)*`).ReplaceAllString(stolen, "")
		p, err := planOf(t, "testdata/versions", stolen, nil)
		require.NoError(t, err)
		assert.Equal(t, "AddFunc", p.namer.goOf[[2]string{"func", "miniAdd"}])
	})
	t.Run("a new version adds lines only", func(t *testing.T) {
		t.Parallel()
		var kept []string
		keep := true
		for line := range strings.Lines(lock) {
			if line[0] != '\t' { // the items of a line follow it
				keep = !strings.Contains(line, "miniAdd")
			}
			if keep {
				kept = append(kept, line)
			}
		}
		p, err := planOf(t, "testdata/versions", strings.Join(kept, ""), nil)
		require.NoError(t, err)
		assert.Equal(t, lock, string(rules.Encode(p.Names)))
		var fresh []string
		for _, n := range p.Fresh {
			fresh = append(fresh, n.Go)
		}
		assert.ElementsMatch(t, []string{"Add", "AddHandler", "AddHandlerRef", "NewAddHandler"}, fresh)
	})
}

func TestUnboundIsNamed(t *testing.T) {
	t.Parallel()
	_, p := filesOf(t, "testdata/shapes")
	assert.Equal(t, []Unbound{
		{"function", "miniPrintf", "a variadic function"},
		{"function", "miniWave", "a floating-point result is not supported by the call path"},
	}, p.Unbound)
	c, err := p.Cover(Proved{"1.0": {Functions: []string{"miniCreate", "miniEvent"}}})
	require.NoError(t, err)
	assert.Equal(t, Count{Declared: 24, Bound: 22, Proved: 1}, c.Releases[0].Functions)
	text := Text([]*Coverage{c})
	assert.Contains(t, text, "- function `miniPrintf`: a variadic function\n")
	assert.Contains(t, text, "| 1.0 | 24 | 22 (91.7 %) | 1 (4.2 %) |")
	assert.Contains(t, text, "\n- 1.0: `MINI_CPU`, `MINI_DEFAULT_EVENT`, ")
}

func TestCoverageByVersion(t *testing.T) {
	t.Parallel()
	_, p := filesOf(t, "testdata/versions")
	c, err := p.Cover(nil)
	require.NoError(t, err)
	var declared []int
	for _, r := range c.Releases {
		declared = append(declared, r.Functions.Declared)
		assert.Equal(t, r.Functions.Declared, r.Functions.Bound)
		assert.Equal(t, r.Types.Declared, r.Types.Bound)
		assert.Equal(t, r.Const.Declared, r.Const.Bound)
	}
	assert.Equal(t, []int{4, 4, 4}, declared, "3.0, 2.0, 1.0")
	c2, err := p.Cover(Proved{"2.0": {Functions: []string{"miniCreate_v3"}}})
	require.NoError(t, err)
	var proved []int
	for _, r := range c2.Releases {
		proved = append(proved, r.Functions.Proved)
	}
	assert.Equal(t, []int{0, 1, 0}, proved, "a proof counts in its own version")
	assert.Equal(t, []string{"miniCreate_v3"}, c.Prototypes)
	assert.Equal(t, []string{"miniDesc_v2"}, c.Layouts)
}

func TestApply(t *testing.T) {
	t.Parallel()
	files, p := filesOf(t, "testdata/versions")
	root := t.TempDir()
	changes, err := p.Apply(root, files, true)
	require.NoError(t, err)
	assert.Len(t, changes, len(files))

	changes, err = p.Apply(root, files, true)
	require.NoError(t, err)
	assert.Empty(t, changes, "nothing to do the second time")

	stale := filepath.Join(root, "mini", "zstale.go")
	require.NoError(t, os.WriteFile(stale, []byte(p.header()+"\n\npackage mini\n"), 0o644))
	other := filepath.Join(root, "mini", "zone.go")
	require.NoError(t, os.WriteFile(other, []byte("package mini\n"), 0o644))
	changes, err = p.Apply(root, files, false)
	require.NoError(t, err)
	assert.Equal(t, []Change{{"mini/zstale.go", "removed"}}, changes)
	assert.FileExists(t, stale, "nothing was written")
	_, err = p.Apply(root, files, true)
	require.NoError(t, err)
	assert.NoFileExists(t, stale)
	assert.FileExists(t, other, "what the generator did not make stays")

	byHand := filepath.Join(root, "mini", "zresult.go")
	require.NoError(t, os.WriteFile(byHand, []byte("package mini\n"), 0o644))
	_, err = p.Apply(root, files, true)
	assert.ErrorContains(t, err, "not generated")
}

// TestLayoutsThatGoLacks: a struct that Go can't express keeps its size, and is named with the
// reason.
func TestLayoutsThatGoLacks(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*model.Struct)
		want   string
		size   int
	}{
		"packed": {func(s *model.Struct) { // numbers in packed structs are bound, structs are not
			s.Fields[0].Type, s.Fields[1].Type = "uint16_t", "miniId"
			s.Layouts[0].Offsets, s.Layouts[0].Size = []int{0, 2}, 10
		}, "in Go it has 12 bytes, in C 10", 10},
		"overlap": {func(s *model.Struct) { s.Layouts[0].Offsets = []int{0, 0}; s.Layouts[0].Size = 4 },
			"overlaps", 4},
		"by align": {func(s *model.Struct) { s.Layouts[0].Size = 9 }, "in Go it has 12 bytes, in C 9", 9},
		"no type":  {func(s *model.Struct) { s.Fields[0].Type = "long double" }, "long double", 8},
		"bits in a union": {func(s *model.Struct) {
			s.Union = true
			s.Fields[0].Bits, s.Fields[0].Type = 3, "uint16_t"
			s.Layouts[0].Offsets = []int{0, 0}
		},
			"bit-field a is not in one word", 8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := planOf(t, "testdata/shapes", "", func(m *model.Model, _ *rules.Rules) {
				i := slices.IndexFunc(m.Structs, func(s model.Struct) bool { return s.Name == "miniId" })
				odd := m.Structs[i]
				odd.Name = "miniIdOdd"
				odd.Layouts, odd.Fields = slices.Clone(odd.Layouts), slices.Clone(odd.Fields)
				tc.change(&odd)
				m.Structs = slices.Insert(m.Structs, i+1, odd)
			})
			require.NoError(t, err)
			require.Equal(t, "miniIdOdd", p.Unbound[0].C)
			assert.Contains(t, p.Unbound[0].Reason, tc.want)
			i := slices.IndexFunc(p.structs, func(s *structure) bool { return s.Name == "miniIdOdd" })
			size, _ := goSize(p.structs[i].members[0].typ, false)
			assert.Equal(t, tc.size, size)
			_, err = p.Files()
			assert.NoError(t, err)
		})
	}
}

// TestNothingRunsAtImport: all package variables are made of constants, so that the linker drops
// what is unused.
func TestNothingRunsAtImport(t *testing.T) {
	t.Parallel()
	files, p := filesOf(t, "testdata/shapes")
	for _, f := range files {
		if !strings.HasPrefix(f.Path, p.Rules.Binding.Package+"/") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Data, 0)
		require.NoError(t, err)
		for _, d := range parsed.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				assert.NotEqual(t, "init", d.Name.Name, f.Path)
			case *ast.GenDecl:
				ast.Inspect(d, func(n ast.Node) bool {
					if c, ok := n.(*ast.CallExpr); ok {
						id, ok := c.Fun.(*ast.Ident)
						assert.True(t, ok && id.Name == "Result", "%s: a package variable calls a function", f.Path)
					}
					return true
				})
			}
		}
	}
}

// TestTypedefThatMoved: a function that headers dropped takes what the typedef meant then.
func TestTypedefThatMoved(t *testing.T) {
	t.Parallel()
	_, p := filesOf(t, "testdata/versions")
	takes := map[string]string{}
	for _, f := range p.funcs {
		if strings.HasPrefix(f.Name, "miniFill") {
			takes[f.goName] = f.params[0].typ.elem.name
		}
	}
	assert.Equal(t, map[string]string{"Fill": "Item", "FillV2": "ItemV2"}, takes)
}

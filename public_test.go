package gpuevent_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPublicTypesArePublic looks through the exported names of every public package for types of
// internal ones: go doc would not show them to a user.
func TestPublicTypesArePublic(t *testing.T) {
	t.Parallel()
	exports := exportData(t)
	gc := compiled(exports)
	checked := 0
	for path := range exports {
		if !isPublic(path) {
			continue
		}
		pkg, err := gc.Import(path)
		require.NoError(t, err, path)
		checked++
		assert.Empty(t, hiddenTypes(pkg), path)
	}
	assert.Greater(t, checked, 12)
}

// planted has what TestPublicTypesArePublic must find, and what it must not.
const planted = `package planted

import (
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/kernel"
)

type Alias = kernel.Dim
type Embeds struct{ hidden }
type Func func(*driver.Info)
type Generic[T interface{ ~*kernel.Dim }] struct{ _ T }
type Interface interface{ M() kernel.Dim }
type Method struct{}
type Option interface{ apply(*driver.Info) }
type Struct struct{ Field []map[string]*kernel.Dim }
type Unexported struct{ field kernel.Dim }

func Call(options ...func(*driver.Info)) {}
func Chosen(options ...Option) error     { return nil }

func (Method) Of(kernel.Dim)   {}
func (Method) own(kernel.Dim)  {}
func (Unexported) size() error { return nil }

type hidden struct{ Dim kernel.Dim }

var Variable kernel.Dim
`

func TestHiddenTypesAreFound(t *testing.T) {
	t.Parallel()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "planted.go", planted, 0)
	require.NoError(t, err)
	config := types.Config{Importer: compiled(exportData(t))}
	pkg, err := config.Check(module+"/planted", files, []*ast.File{file}, nil)
	require.NoError(t, err)
	const dim, info = module + "/internal/kernel.Dim", module + "/internal/driver.Info"
	assert.Equal(t, []string{"Alias mentions " + dim, "Call mentions " + info,
		"Embeds mentions " + dim, "Func mentions " + info, "Generic mentions " + dim,
		"Interface mentions " + dim, "Method mentions " + dim, "Struct mentions " + dim,
		"Variable mentions " + dim}, hiddenTypes(pkg))
}

// compiled reads types from export data.
func compiled(exports map[string]string) types.Importer {
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	return importer.ForCompiler(token.NewFileSet(), "gc", open)
}

// exportData returns the files with the compiled types of the module's packages and of those that
// they import.
func exportData(t *testing.T) map[string]string {
	t.Helper()
	gotool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command on PATH to list packages with")
	}
	host, err := exec.CommandContext(t.Context(), gotool, "env", "GOHOSTARCH").Output()
	require.NoError(t, err)
	if strings.TrimSpace(string(host)) != runtime.GOARCH {
		t.Skip("this test is emulated, and types are the same on the machine's own target")
	}
	list := exec.CommandContext(t.Context(), gotool, "list", "-export", "-deps",
		"-json=ImportPath,Export", "./...")
	out, err := list.Output()
	require.NoError(t, err)
	exports := map[string]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct{ ImportPath, Export string }
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return exports
		}
		require.NoError(t, err)
		exports[p.ImportPath] = p.Export
	}
}

const module = "github.com/gpuevent/gpuevent"

func isInternal(path string) bool {
	return slices.Contains(strings.Split(path, "/"), "internal")
}

// isPublic reports whether a package is one of the module's that users import.
func isPublic(path string) bool {
	return strings.HasPrefix(path, module) && !isInternal(path) &&
		!strings.HasPrefix(path, module+"/examples/")
}

// hiddenTypes returns the exported names of a package that mention a type of an internal one.
func hiddenTypes(pkg *types.Package) (found []string) {
	for _, name := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		s := search{pkg: pkg, seen: map[types.Type]bool{}}
		if of, ok := o.(*types.TypeName); ok && !of.IsAlias() {
			s.definition(of.Type())
		} else {
			s.mention(o.Type())
		}
		slices.Sort(s.found)
		for _, hidden := range slices.Compact(s.found) {
			found = append(found, fmt.Sprintf("%s mentions %s", name, hidden))
		}
	}
	return found
}

// search walks through the types that go doc shows of an exported name.
type search struct {
	pkg   *types.Package
	seen  map[types.Type]bool
	found []string
}

// definition looks at what users see of a type that the package defines.
func (s *search) definition(t types.Type) {
	if s.seen[t] {
		return
	}
	s.seen[t] = true
	if named, ok := t.(*types.Named); ok {
		for p := range named.TypeParams().TypeParams() {
			s.mention(p)
		}
	}
	methods := types.NewMethodSet(types.NewPointer(t))
	if types.IsInterface(t) {
		methods = types.NewMethodSet(t)
	}
	for m := range methods.Methods() {
		if m.Obj().Exported() {
			s.mention(m.Type())
		}
	}
	if u := t.Underlying(); !types.IsInterface(u) {
		s.mention(u)
	}
}

// mention looks at a type that stands in a signature, a field or a variable.
func (s *search) mention(t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		s.mention(t.Rhs())
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			s.mention(a)
		}
		switch o := t.Obj(); {
		case o.Pkg() != nil && isInternal(o.Pkg().Path()) && strings.HasPrefix(o.Pkg().Path(), module):
			s.found = append(s.found, types.TypeString(t, nil))
		case o.Pkg() == s.pkg && !o.Exported():
			s.definition(t)
		}
	case *types.TypeParam:
		s.mention(t.Constraint())
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() || f.Embedded() {
				s.mention(f.Type())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if m.Exported() {
				s.mention(m.Type())
			}
		}
		for e := range t.EmbeddedTypes() {
			s.mention(e)
		}
	case *types.Union:
		for term := range t.Terms() {
			s.mention(term.Type())
		}
	case *types.Signature:
		for p := range t.TypeParams().TypeParams() {
			s.mention(p)
		}
		s.mention(t.Params())
		s.mention(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			s.mention(v.Type())
		}
	case *types.Map:
		s.mention(t.Key())
		s.mention(t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		s.mention(t.Elem())
	}
}

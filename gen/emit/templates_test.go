package emit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

// templated plans the small API with one template.
func templated(t *testing.T, template, words string) (*Plan, error) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "shapes"))))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "templates"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "templates", "x.go.tmpl"),
		[]byte(template), 0o644))
	path := filepath.Join(dir, "mini.toml")
	toml, err := os.ReadFile(path)
	require.NoError(t, err)
	toml = append(toml, "\n[templates]\nfiles = [\"x\"]\n[templates.words]\n"+words+"\n"...)
	require.NoError(t, os.WriteFile(path, toml, 0o644))
	m, err := model.Load(filepath.Join(dir, "mini.json"))
	require.NoError(t, err)
	r, err := rules.Load(dir, "mini")
	if err != nil {
		return nil, err
	}
	return NewPlan(m, r)
}

func TestTemplates(t *testing.T) {
	t.Parallel()
	p, err := templated(t, "package {{.package}}\nconst  {{.name}} = 1\n", `name = "X"`)
	require.NoError(t, err)
	files, err := p.templateFiles()
	require.NoError(t, err)
	require.Len(t, files, 1)
	assert.Equal(t, p.Rules.Binding.Package+"/zx.go", files[0].Path)
	assert.Equal(t, p.header()+"\n// The template is specs/templates/x.go.tmpl.\n\npackage "+
		p.Rules.Binding.Package+"\n\nconst X = 1\n", string(files[0].Data))
}

func TestBadTemplates(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct{ template, want string }{
		"a word that the API lacks": {"package {{.other}}", `no entry for key "other"`},
		"not a template":            {"package {{", "render"},
		"not Go":                    {"package 1", "zx.go: "},
	} {
		p, err := templated(t, x.template, `name = "X"`)
		require.NoError(t, err)
		_, err = p.templateFiles()
		assert.ErrorContains(t, err, x.want, name)
	}
}

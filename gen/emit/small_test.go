package emit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

// small is an API that a test declares in a few lines: a model, and rule files beside the ones that
// every API needs.
type small struct {
	*model.Model
	toml, facts, lock string
}

// newSmall begins an API with a result type and the versions named.
func newSmall(versions ...string) *small {
	s := &small{Model: &model.Model{API: "mini"}}
	s.Targets = []model.Target{{OS: "linux", Arch: "amd64"}}
	for i, v := range versions {
		s.Versions = append(s.Versions, model.Version{Name: v, Number: 10 * (i + 1)})
	}
	since := model.Span{Since: versions[0]}
	s.enum("miniResult", since, 0, 1)
	s.Enums[0].Values[0].Name, s.Enums[0].Values[1].Name = "MINI_OK", "MINI_ERROR_A"
	s.function("miniProbe", since)
	s.function("miniVersion", since, "int * version")
	return s
}

// span is the versions from one up to before another; "" for no end.
func span(since, removed string) model.Span { return model.Span{Since: since, Removed: removed} }

func (s *small) enum(name string, at model.Span, values ...int64) {
	e := model.Enum{Name: name, Span: at}
	for i, v := range values {
		e.Values = append(e.Values, model.EnumValue{Name: strings.ToUpper(name) + "_" +
			string(rune('A'+i)), Value: v, Span: at})
		e.Signed = e.Signed || v < 0
	}
	s.Enums = append(s.Enums, e)
}

// layout is a struct's size, alignment and offsets, and its fields as "type name".
type layout struct {
	size, align int
	offsets     []int
	fields      []string
}

func (l layout) body() ([]model.Layout, []model.Field) {
	var fields []model.Field
	for _, f := range l.fields {
		i := strings.LastIndexByte(f, ' ')
		fields = append(fields, model.Field{Name: f[i+1:], Type: model.Type(f[:i])})
	}
	return []model.Layout{{Targets: []string{"linux/amd64"}, Size: l.size, Align: l.align,
		Offsets: l.offsets}}, fields
}

func (s *small) structure(name string, at model.Span, l layout) *model.Struct {
	st := model.Struct{Name: name, Span: at}
	st.Layouts, st.Fields = l.body()
	s.Structs = append(s.Structs, st)
	return &s.Structs[len(s.Structs)-1]
}

// variant is how older versions lay a struct out.
func variant(from, to string, l layout) model.StructVariant {
	v := model.StructVariant{From: from, To: to}
	v.Layouts, v.Fields = l.body()
	return v
}

func (s *small) alias(name, to string, at model.Span) {
	s.Typedefs = append(s.Typedefs, model.Typedef{Name: name, Span: at, Kind: "alias",
		Type: model.Type(to)})
}

// function declares one that returns miniResult, with parameters as "type name".
func (s *small) function(name string, at model.Span, params ...string) *model.Function {
	f := model.Function{Name: name, Span: at, Ret: "miniResult"}
	for _, p := range params {
		i := strings.LastIndexByte(p, ' ')
		f.Params = append(f.Params, model.Param{Name: p[i+1:], Type: model.Type(p[:i])})
	}
	s.Functions = append(s.Functions, f)
	return &s.Functions[len(s.Functions)-1]
}

// plan decides the bindings.
func (s *small) plan(t *testing.T) (*Plan, error) {
	t.Helper()
	sortNames(s.Functions, func(f model.Function) string { return f.Name })
	sortNames(s.Enums, func(e model.Enum) string { return e.Name })
	sortNames(s.Structs, func(s model.Struct) string { return s.Name })
	sortNames(s.Typedefs, func(t model.Typedef) string { return t.Name })
	sortNames(s.Consts, func(k model.Const) string { return k.Name })
	require.Empty(t, s.Check())
	dir := t.TempDir()
	text, err := os.ReadFile("testdata/small/mini.toml")
	require.NoError(t, err)
	for name, data := range map[string]string{
		"mini.toml": string(text) + s.toml, "mini.facts.toml": s.facts, "mini.lock": s.lock,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600))
	}
	r, err := rules.Load(dir, "mini")
	require.NoError(t, err)
	if err := r.Check(s.Model); err != nil {
		return nil, err
	}
	return NewPlan(s.Model, r)
}

func sortNames[T any](list []T, name func(T) string) {
	slices.SortFunc(list, func(a, b T) int { return strings.Compare(name(a), name(b)) })
}

// shapes are the lines of the lock by C name, without constants.
func (s *small) shapes(t *testing.T) map[string]string {
	t.Helper()
	p, err := s.plan(t)
	require.NoError(t, err)
	return shapesOf(p)
}

func shapesOf(p *Plan) map[string]string {
	out := map[string]string{}
	for _, n := range p.Names {
		if n.Kind != "const" && n.C != "miniResult" && n.C != "miniProbe" &&
			n.C != "miniVersion" {
			out[n.C] = n.Go + " " + n.Shape
		}
	}
	return out
}

// source is the text of one of the files that a plan makes.
func source(t *testing.T, p *Plan, name string) string {
	t.Helper()
	files, err := p.Files()
	require.NoError(t, err)
	for _, f := range files {
		if f.Path == "mini/"+name {
			return string(f.Data)
		}
	}
	return ""
}

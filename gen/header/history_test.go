package header

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/model"
)

var historyVersions = []string{"1.0", "1.1", "1.10"}

func history(t *testing.T) []model.Release {
	t.Helper()
	var out []model.Release
	for _, v := range historyVersions {
		r, err := Parse(optionsOf(t, "cuda", filepath.Join(miniDir, "history", v, "include"), v))
		require.NoError(t, err)
		out = append(out, r)
	}
	return out
}

// TestMergeHistory merges three releases of one small API in which everything changes that can
// change.
func TestMergeHistory(t *testing.T) {
	t.Parallel()
	releases := history(t)
	m, err := model.Merge(releases)
	require.NoError(t, err)
	require.Empty(t, m.Check())
	got, err := m.Encode()
	require.NoError(t, err)
	compareGolden(t, filepath.Join("testdata", "history", "want.json"), got)
	sameViews(t, m, releases)

	back, err := model.Decode("want.json", got)
	require.NoError(t, err)
	again, err := back.Encode()
	require.NoError(t, err)
	assert.Equal(t, string(got), string(again), "decoded and encoded again")

	var views []model.Release
	for _, v := range historyVersions {
		r, err := back.Release(v)
		require.NoError(t, err)
		views = append(views, r)
	}
	remerged, err := model.Merge(views)
	require.NoError(t, err)
	again, err = remerged.Encode()
	require.NoError(t, err)
	assert.Equal(t, string(got), string(again), "merged again from its own views")
}

func TestDiffHistory(t *testing.T) {
	t.Parallel()
	releases := history(t)
	for i, name := range []string{"1.0-1.1.md", "1.1-1.10.md"} {
		page := model.Compare(releases[i], releases[i+1])
		compareGolden(t, filepath.Join("testdata", "history", name), []byte(page.Markdown()))
	}
	same := model.Compare(releases[0], releases[0])
	assert.True(t, same.Empty())
	assert.Equal(t, "cuda 1.0 and 1.0 declare the same.", same.Summary())
}

// sameViews asserts that each view that is taken out of a merged model is what the header of that
// version said.
func sameViews(t *testing.T, m *model.Model, releases []model.Release) {
	t.Helper()
	for _, r := range releases {
		view, err := m.View(r.Name())
		require.NoError(t, err)
		require.Empty(t, view.Check(), r.Name())
		for _, f := range view.Functions {
			for _, want := range r.Functions {
				if want.Name == f.Name {
					assert.LessOrEqual(t, model.CompareVersions(f.Since, r.Name()), 0, f.Name)
				}
			}
		}
		view = without(view, r)
		want, err := normal(r.Model).Encode()
		require.NoError(t, err)
		got, err := normal(view).Encode()
		require.NoError(t, err)
		if string(want) != string(got) { // the whole texts are too long to read
			t.Errorf("the view of %s is not what its header says: %s", r.Name(),
				firstDifference(string(want), string(got)))
		}
	}
}

// without takes out what the release's lacking headers declare and a merge takes from other
// releases.
func without(m *model.Model, r model.Release) *model.Model {
	out := *m
	out.Functions = declared(m.Functions, r, r.Functions,
		func(f model.Function) (string, string) { return f.Name, f.Header })
	out.Enums = declared(m.Enums, r, r.Enums,
		func(e model.Enum) (string, string) { return e.Name, e.Header })
	out.Structs = declared(m.Structs, r, r.Structs,
		func(s model.Struct) (string, string) { return s.Name, s.Header })
	out.Typedefs = declared(m.Typedefs, r, r.Typedefs,
		func(t model.Typedef) (string, string) { return t.Name, t.Header })
	out.Consts = declared(m.Consts, r, r.Consts,
		func(c model.Const) (string, string) { return c.Name, c.Header })
	return &out
}

func declared[T any](items []T, r model.Release, own []T, of func(T) (name, header string)) []T {
	return slices.DeleteFunc(slices.Clone(items), func(x T) bool {
		name, header := of(x)
		return slices.Contains(r.Versions[0].Lacks, header) &&
			!slices.ContainsFunc(own, func(y T) bool { n, _ := of(y); return n == name })
	})
}

// normal takes out what a merge keeps of the newest release only: parameter names and documented
// directions, groups, tags, the order of enumerators; and the introducing version, about which
// different releases know different things.
func normal(m *model.Model) *model.Model {
	out := *m
	out.Functions = append([]model.Function(nil), m.Functions...)
	for i := range out.Functions {
		f := &out.Functions[i]
		f.Group, f.Since, f.Exact, f.Header = "", m.Versions[0].Name, false, ""
		f.Params = anonymousParams(f.Params)
	}
	out.Typedefs = append([]model.Typedef(nil), m.Typedefs...)
	for i := range out.Typedefs {
		out.Typedefs[i].Header = ""
		out.Typedefs[i].Params = anonymousParams(out.Typedefs[i].Params)
	}
	out.Enums = append([]model.Enum(nil), m.Enums...)
	for i := range out.Enums {
		e := &out.Enums[i]
		e.Group, e.Tag, e.Bare, e.Header = "", "", false, ""
		e.Values = slices.SortedFunc(slices.Values(e.Values), func(a, b model.EnumValue) int {
			return strings.Compare(a.Name, b.Name)
		})
	}
	out.Structs = append([]model.Struct(nil), m.Structs...)
	for i := range out.Structs {
		out.Structs[i].Tag, out.Structs[i].Bare, out.Structs[i].Header = "", false, ""
	}
	out.Consts = append([]model.Const(nil), m.Consts...)
	for i := range out.Consts {
		out.Consts[i].Header = ""
	}
	return &out
}

func anonymousParams(ps []model.Param) []model.Param {
	var out []model.Param
	for _, p := range ps {
		out = append(out, model.Param{Type: p.Type})
	}
	return out
}

func firstDifference(want, got string) string {
	i := 0
	for i < len(want) && i < len(got) && want[i] == got[i] {
		i++
	}
	cut := func(s string) string { return s[max(0, min(i, len(s))-200):min(len(s), i+200)] }
	return "want …" + cut(want) + "…\ngot …" + cut(got) + "…"
}

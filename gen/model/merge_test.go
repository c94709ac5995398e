package model

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// release is a release of one function and nothing else.
func release(version string, fs ...Function) Release {
	return Release{Model: &Model{API: "cuda", Versions: []Version{{Name: version, Number: 1}},
		Functions: fs}}
}

func function(since, deprecated string) Function {
	return Function{Name: "cuOpen", Span: Span{Since: since, Deprecated: deprecated}, Ret: "int"}
}

// TestMergeSince shows when a version from a vendor's table counts: when no header that was fed in
// contradicts it.
func TestMergeSince(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		releases []Release
		want     string
	}{
		{"a later table names the oldest header", []Release{release("11.8", function("11.8", "")),
			release("12.0", function("11.8", ""))}, "11.8 exactly"},
		{"no table names the oldest header", []Release{release("11.8", function("11.8", "")),
			release("12.0", function("12.0", ""))}, "11.8"},
		{"older than all headers", []Release{release("11.8", function("3.2", "")),
			release("12.0", function("3.2", ""))}, "3.2"},
		{"the first header's table does not know it yet",
			[]Release{release("11.8", function("11.8", "")), release("12.0", function("3.2", ""))}, "3.2"},
		{"no table", []Release{release("11.8"), release("12.0", function("12.0", ""))}, "12.0"},
		{"between two headers", []Release{release("12.6"), release("12.8", function("12.7", ""))},
			"12.7"},
		{"a header of that version lacks it",
			[]Release{release("12.0"), release("12.8", function("12.0", ""))}, "12.8"},
		{"an older header lacks it", []Release{release("12.0"), release("12.8", function("11.0", ""))},
			"12.8"},
	}
	for _, tt := range tests {
		m, err := Merge(tt.releases)
		require.NoError(t, err, tt.name)
		require.Len(t, m.Functions, 1)
		since := m.Functions[0].Since
		if m.Functions[0].Exact {
			since += " exactly"
		}
		assert.Equal(t, tt.want, since, tt.name)
		assert.Empty(t, m.Check(), tt.name)
		for _, r := range tt.releases {
			view, err := m.View(r.Name())
			require.NoError(t, err)
			assert.Len(t, view.Functions, len(r.Functions), "%s: view of %s", tt.name, r.Name())
		}
	}
}

// TestMergeRenamed: a parameter's name is no part of the prototype, but facts go by it.
func TestMergeRenamed(t *testing.T) {
	t.Parallel()
	f := func(params ...Param) Function {
		return Function{Name: "cuOpen", Span: Span{}, Ret: "int", Params: params}
	}
	in := []Release{
		release("1.0", f(Param{Name: "p", Type: "int *"})), // another prototype
		release("1.1", f(Param{Name: "a", Type: "int"}, Param{Name: "x", Type: "int"})),
		release("1.2", f(Param{Name: "b", Type: "int"}, Param{Name: "x", Type: "int"})),
		release("1.3", f(Param{Name: "a", Type: "int"}, Param{Name: "x", Type: "int"})),
		release("1.4", f(Param{Name: "c", Type: "int"}, Param{Name: "x", Type: "int"})),
	}
	m, err := Merge(in)
	require.NoError(t, err)
	want := []Param{{Name: "c", Type: "int", Was: []Former{{"a", "1.1"}, {"b", "1.2"},
		{"a", "1.3"}}}, {Name: "x", Type: "int"}}
	assert.Equal(t, want, m.Functions[0].Params)
	require.Len(t, m.Functions[0].Variants, 1)
	assert.Empty(t, m.Check())

	var views []Release // a spec without headers remembers them
	for _, r := range in {
		v, err := m.Release(r.Name())
		require.NoError(t, err)
		views = append(views, v)
	}
	again, err := Merge(views)
	require.NoError(t, err)
	assert.Equal(t, m, again)
}

func TestMergeSpans(t *testing.T) {
	t.Parallel()
	in := func(deprecated string) []Function { return []Function{function("", deprecated)} }
	tests := []struct {
		name     string
		in       map[string][]Function // by version
		internal map[string]bool
		want     Function
	}{
		{"always there", map[string][]Function{"1.0": in(""), "1.1": in(""), "1.2": in("")}, nil,
			Function{Span: Span{Since: "1.0"}}},
		{"removed", map[string][]Function{"1.0": in(""), "1.1": in("")}, nil,
			Function{Span: Span{Since: "1.0", Removed: "1.2"}}},
		{
			"removed but kept inside", map[string][]Function{"1.0": in("")},
			map[string]bool{"1.1": true, "1.2": true},
			Function{Span: Span{Since: "1.0", Removed: "1.1"}, Internal: "1.1"},
		},
		{
			"inside before it was public", map[string][]Function{"1.1": in(""), "1.2": in("")},
			map[string]bool{"1.0": true},
			Function{Span: Span{Since: "1.1"}},
		},
		{
			"dropped and brought back", map[string][]Function{"1.0": in(""), "1.2": in("")}, nil,
			Function{Span: Span{Since: "1.0", Absent: []Range{{"1.1", "1.1"}}}},
		},
		{"deprecated", map[string][]Function{"1.0": in(""), "1.1": in("1.1"), "1.2": in("1.2")}, nil,
			Function{Span: Span{Since: "1.0", Deprecated: "1.1"}}},
		{
			"deprecation taken back", map[string][]Function{"1.0": in("1.0"), "1.1": in(""),
				"1.2": in("1.2")}, nil,
			Function{Span: Span{Since: "1.0", Deprecated: "1.2", WasDeprecated: []Range{{"1.0", "1.0"}}}},
		},
	}
	for _, tt := range tests {
		var releases []Release
		for _, v := range []string{"1.0", "1.1", "1.2"} {
			r := release(v, tt.in[v]...)
			if tt.internal[v] {
				r.Internal = []string{"cuOpen"}
			}
			releases = append(releases, r)
		}
		m, err := Merge(releases)
		require.NoError(t, err)
		require.Len(t, m.Functions, 1, tt.name)
		tt.want.Name, tt.want.Ret = "cuOpen", "int"
		assert.Equal(t, tt.want, m.Functions[0], tt.name)
		assert.Empty(t, m.Check(), tt.name)
		for v, fs := range tt.in {
			view, err := m.View(v)
			require.NoError(t, err)
			require.Len(t, view.Functions, 1, "%s: %s", tt.name, v)
			assert.Equal(t, fs[0].Deprecated, view.Functions[0].Deprecated, "%s: %s", tt.name, v)
		}
		for v := range tt.internal {
			r, err := m.Release(v)
			require.NoError(t, err)
			assert.Equal(t, m.Functions[0].Internal != "", len(r.Internal) == 1, "%s: %s", tt.name, v)
		}
	}
}

// TestMergeRenamedParameter shows that a new parameter name is no variant, and that the newest name
// is kept.
func TestMergeRenamedParameter(t *testing.T) {
	t.Parallel()
	with := func(v, name string, typ Type) Release {
		return release(v, Function{Name: "cuOpen", Ret: "int", Params: []Param{{Name: name, Type: typ}}})
	}
	m, err := Merge([]Release{with("1.0", "a", "int"), with("1.1", "b", "int"),
		with("1.2", "c", "long"), with("1.3", "d", "int")})
	require.NoError(t, err)
	f := m.Functions[0]
	assert.Equal(t, []Param{{Name: "d", Type: "int"}}, f.Params)
	assert.Equal(t, []Prototype{
		{"1.0", "1.1", "int", []Param{{Name: "b", Type: "int"}}},
		{"1.2", "1.2", "int", []Param{{Name: "c", Type: "long"}}},
	}, f.Variants)
}

// TestMergeInternalOnly shows that a symbol which was never public stays out.
func TestMergeInternalOnly(t *testing.T) {
	t.Parallel()
	r := release("1.0", function("", ""))
	r.Internal = []string{"cuSecret"}
	m, err := Merge([]Release{r})
	require.NoError(t, err)
	assert.Len(t, m.Functions, 1)
}

func TestMergeErrors(t *testing.T) {
	t.Parallel()
	other := release("1.1")
	other.API = "hip"
	targets := release("1.1")
	targets.Targets = []Target{{"linux", "amd64"}}
	two := release("1.1")
	two.Versions = append(two.Versions, Version{Name: "1.2", Number: 2})
	for name, rs := range map[string][]Release{
		"none":          nil,
		"other API":     {release("1.0"), other},
		"other targets": {release("1.0"), targets},
		"newest first":  {release("1.1"), release("1.0")},
		"version twice": {release("1.0"), release("1.0")},
		"not one alone": {two},
	} {
		_, err := Merge(rs)
		assert.ErrorIs(t, err, ErrMerge, name)
	}
	_, err := small().View("7.7")
	require.ErrorIs(t, err, ErrVersion)
	assert.ErrorContains(t, err, "it has 1.0 to 2.0")
}

// TestMergeLackingHeader shows that a release whose copy lacks an optional header says nothing
// about what that declares.
func TestMergeLackingHeader(t *testing.T) {
	t.Parallel()
	const header = "extra.h"
	gl := func(since, in string) Function {
		return Function{Name: "cuGL", Span: Span{Since: since, Header: in}, Ret: "int"}
	}
	lacking := func(version string) Release {
		r := release(version)
		r.Versions[0].Lacks = []string{header}
		return r
	}
	tests := []struct {
		name     string
		releases []Release
		want     Span
		there    []string // the versions whose view has the function
	}{
		{"in the middle", []Release{release("1.0", gl("1.0", header)), lacking("1.1"),
			release("1.2", gl("1.2", header))}, Span{Since: "1.0"}, []string{"1.0", "1.1", "1.2"}},
		{"the main header declared it once", []Release{release("1.0", gl("1.0", "")), lacking("1.1"),
			release("1.2", gl("1.2", header))}, Span{Since: "1.0"}, []string{"1.0", "1.1", "1.2"}},
		{"at the end", []Release{release("1.0", gl("1.0", header)), lacking("1.1"), lacking("1.2")},
			Span{Since: "1.0"}, []string{"1.0", "1.1", "1.2"}},
		{"at the beginning, too old", []Release{lacking("1.0"), release("1.1", gl("1.1", header))},
			Span{Since: "1.1"}, []string{"1.1"}},
		{"at the beginning, and a table says that it is old", []Release{lacking("1.0"), lacking("1.1"),
			release("1.2", gl("0.9", header))}, Span{Since: "0.9"}, []string{"1.0", "1.1", "1.2"}},
		{"the header is there and lacks it", []Release{release("1.0", gl("1.0", header)),
			release("1.1"), release("1.2", gl("1.2", header))},
			Span{Since: "1.0", Absent: []Range{{"1.1", "1.1"}}}, []string{"1.0", "1.2"}},
		{"withdrawn", []Release{release("1.0", gl("1.0", header)), lacking("1.1"), release("1.2")},
			Span{Since: "1.0", Removed: "1.2"}, []string{"1.0", "1.1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, err := Merge(tt.releases)
			require.NoError(t, err)
			require.Empty(t, m.Check())
			require.Len(t, m.Functions, 1)
			tt.want.Header = header
			assert.Equal(t, tt.want, m.Functions[0].Span)
			var there []string
			var views []Release
			for _, v := range m.Versions {
				r, err := m.Release(v.Name)
				require.NoError(t, err)
				views = append(views, r)
				if len(r.Functions) > 0 {
					there = append(there, v.Name)
				}
			}
			assert.Equal(t, tt.there, there)
			again, err := Merge(views)
			require.NoError(t, err)
			assert.Equal(t, m, again, "merged again from its own views")
		})
	}
}

package emit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/model"
)

// TestGuards: a function is refused in libraries that lay out a struct differently which it takes.
func TestGuards(t *testing.T) {
	t.Parallel()
	pair := layout{8, 4, []int{0, 4}, []string{"int a", "int b"}}
	swapped := layout{8, 4, []int{0, 4}, []string{"int b", "int a"}}
	larger := layout{12, 4, []int{0, 4, 8}, []string{"int a", "int b", "int c"}}
	reserved := layout{8, 4, []int{0, 4}, []string{"int a", "int reserved"}}
	changed := func(s *small, from, to layout) *model.Struct {
		st := s.structure("miniProp", span("1.0", ""), to)
		st.Variants = append(st.Variants, variant("1.0", "1.0", from))
		return st
	}
	for name, tc := range map[string]struct {
		make func(*small)
		want string // function: struct from
	}{
		"a struct that grew": {func(s *small) {
			changed(s, pair, larger)
			s.function("miniGet", span("1.0", ""), "miniProp * prop")
		}, "miniGet: miniProp 2.0"},
		"a struct that grew, read only": {func(s *small) {
			changed(s, pair, larger)
			s.function("miniSet", span("1.0", ""), "const miniProp * prop")
		}, "miniSet: miniProp 2.0"},
		"a struct that grew, by value": {func(s *small) {
			changed(s, pair, larger)
			s.function("miniSet", span("1.0", ""), "miniProp prop")
		}, "miniSet: miniProp 2.0"},
		"a struct whose members moved": {func(s *small) {
			changed(s, pair, swapped)
			s.function("miniGet", span("1.0", ""), "miniProp * prop")
		}, "miniGet: miniProp 2.0"},
		"a function that came with the layout": {func(s *small) {
			changed(s, pair, larger)
			s.function("miniGet", span("2.0", ""), "miniProp * prop")
		}, ""},
		"a function that is gone, with its layout": {func(s *small) {
			changed(s, pair, larger)
			s.function("miniGet", span("1.0", "2.0"), "miniProp * prop")
		}, ""},
		"reserved bytes that are used": {func(s *small) {
			changed(s, reserved, pair)
			s.function("miniGet", span("1.0", ""), "miniProp * prop")
		}, ""},
		"a member that is reserved now": {func(s *small) {
			changed(s, pair, reserved)
			s.function("miniGet", span("1.0", ""), "miniProp * prop")
		}, ""},
		"a member with another name": {func(s *small) {
			changed(s, layout{8, 4, []int{0, 4}, []string{"int a", "int c"}}, pair)
			s.function("miniGet", span("1.0", ""), "miniProp * prop")
		}, ""},
		"a union with more members at the same size": {func(s *small) {
			st := changed(s, layout{8, 4, []int{0}, []string{"int[2] a"}},
				layout{8, 4, []int{0, 0}, []string{"int[2] a", "float c"}})
			st.Union, st.Variants[0].Union = true, true
			s.function("miniGet", span("1.0", ""), "miniProp * prop")
		}, ""},
		"a struct in one that a union makes room for": {func(s *small) {
			changed(s, layout{4, 4, []int{0}, []string{"int a"}}, pair)
			s.structure("miniAny", span("1.0", ""), layout{16, 4, []int{0, 0},
				[]string{"miniProp prop", "int[4] room"}}).Union = true
			s.function("miniGet", span("1.0", ""), "miniAny * any")
		}, ""},
		"a struct in one that has no room": {func(s *small) {
			changed(s, layout{4, 4, []int{0}, []string{"int a"}}, pair)
			s.structure("miniTwo", span("1.0", ""), layout{12, 4, []int{0, 8},
				[]string{"miniProp prop", "int last"}}).Variants = []model.StructVariant{variant("1.0", "1.0",
				layout{8, 4, []int{0, 4}, []string{"miniProp prop", "int last"}})}
			s.function("miniGet", span("1.0", ""), "miniTwo * two")
		}, "miniGet: miniTwo 2.0"},
		"a struct behind a pointer in one": {func(s *small) {
			changed(s, pair, larger)
			s.structure("miniList", span("1.0", ""), layout{16, 8, []int{0, 8},
				[]string{"miniProp * props", "int n"}})
			s.function("miniSet", span("1.0", ""), "const miniList * list")
		}, "miniSet: miniProp 2.0"},
		"a struct that grew, and C is told its size": {func(s *small) {
			changed(s, pair, larger)
			s.function("miniInit", span("1.0", ""), "miniProp * prop")
			s.toml = "[layouts.grown]\nminiProp = \"its first member is its size\"\n"
		}, ""},
		"a struct that is said to have grown, and moved": {func(s *small) {
			changed(s, pair, swapped)
			s.function("miniInit", span("1.0", ""), "miniProp * prop")
			s.toml = "[layouts.grown]\nminiProp = \"its first member is its size\"\n"
		}, "miniInit: miniProp 2.0"},
		"an array that grows with a macro": {func(s *small) {
			changed(s, layout{3944, 4, []int{0, 4, 8}, []string{"int version", "int n", "int[984] metrics"}},
				layout{8424, 4, []int{0, 4, 8}, []string{"int version", "int n", "int[2104] metrics"}})
			s.function("miniGet", span("1.0", ""), "miniProp * prop")
		}, "miniGet: miniProp 2.0"},
		"a typedef that moves on to a larger struct": {func(s *small) {
			s.structure("miniInfo_v2", span("1.0", ""), pair)
			s.structure("miniInfo_v3", span("2.0", ""), larger)
			s.alias("miniInfo", "miniInfo_v3", span("1.0", ""))
			s.Typedefs[0].Variants = []model.TypedefVariant{{From: "1.0", To: "1.0", Kind: "alias",
				Type: "miniInfo_v2"}}
			s.function("miniGet", span("1.0", ""), "miniInfo * info")
		}, "miniGet: miniInfo 2.0"},
		"a struct that C passes to a callback": {func(s *small) {
			changed(s, pair, larger)
			s.Typedefs = append(s.Typedefs, model.Typedef{Name: "miniFn", Span: span("1.0", ""),
				Kind: "callback", Ret: "void", Params: []model.Param{{Name: "prop", Type: "const miniProp *"},
					{Name: "data", Type: "void *"}}})
			s.function("miniSubscribe", span("1.0", ""), "miniFn fn", "void * data")
		}, "miniSubscribe: miniProp 2.0"},
		"a parameter of another struct": {func(s *small) {
			s.structure("miniOld", span("1.0", ""), swapped)
			s.structure("miniNew", span("2.0", ""), pair)
			s.function("miniSet", span("1.0", ""), "const miniNew * params").Variants =
				[]model.Prototype{{From: "1.0", To: "1.0", Ret: "miniResult",
					Params: []model.Param{{Name: "params", Type: "const miniOld *"}}}}
		}, "miniSet: miniNew 2.0"},
		"libraries that lack the function as long as the struct is another": {func(s *small) {
			changed(s, pair, larger)
			s.function("miniGet", span("1.0", ""), "miniProp * prop")
			s.toml = "[missing]\nminiGet = { reason = \"came late\", until = \"2.0\" }\n"
		}, ""},
		"libraries of a newer major version": {func(s *small) {
			changed(s, pair, larger)
			s.function("miniGet", span("1.0", ""), "miniProp * prop")
			s.toml = "[layouts]\nmajors = true\n"
		}, "miniGet: miniProp 2 below 3"},
		"major versions, of which headers were not read between": {func(s *small) {
			changed(s, pair, pair)
			s.function("miniGet", span("1.0", ""), "miniProp * prop")
			s.function("miniNew", span("2.0", ""), "miniProp * prop")
			s.function("miniNone", span("1.0", ""), "int n")
			s.function("miniMode", span("1.0", ""), "miniResult mode")
			s.toml = "[layouts]\nmajors = true\n[layouts.functions]\nminiMode = \"miniResult\"\n"
		}, "miniGet: miniProp 1 below 3; miniMode: miniResult 2 below 3; miniNew: miniProp 2 below 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSmall("1.0", "2.0")
			tc.make(s)
			p, err := s.plan(t)
			require.NoError(t, err)
			var got []string
			for _, f := range p.funcs {
				if f.guard != nil {
					line := f.Name + ": " + f.guard.of + " " + f.guard.from
					if f.guard.below != "" {
						line += " below " + f.guard.below
					}
					got = append(got, line)
				}
			}
			assert.Equal(t, tc.want, strings.Join(got, "; "))
		})
	}
}

func TestGuardsInTheSource(t *testing.T) {
	t.Parallel()
	s := grownProp("1.0", "2.0")
	s.lock = ""
	s.toml = "[layouts]\nmajors = true\n"
	p, err := s.plan(t)
	require.NoError(t, err)
	layouts, functions := source(t, p, "zlayouts.go"), source(t, p, "zmisc.go")
	assert.Contains(t, layouts,
		`layoutProp2Below3 = dl.Layout{Struct: "miniProp", From: "2", Below: "3"}`)
	assert.Contains(t, layouts, "var ErrLayout = dl.ErrLayout")
	assert.Contains(t, functions,
		`Symbol: "miniGet", Since: "1.0 or earlier", Layout: &layoutProp2Below3}`)
	assert.Contains(t, strings.ReplaceAll(functions, "\n// ", " "), "In libraries older than 2, and "+
		"from 3 on, which lay [Prop] out differently, it returns [ErrLayout].")

	plain := newSmall("1.0")
	plain.function("miniDo", span("1.0", ""))
	p, err = plain.plan(t)
	require.NoError(t, err)
	assert.Empty(t, source(t, p, "zlayouts.go"), "no guard, no names for it")
}

func TestGuardsNeedTheLibrarysVersion(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"function", "differs"} {
		s := grownProp("1.0", "2.0")
		s.lock = ""
		m, err := s.plan(t)
		require.NoError(t, err)
		v := &m.Rules.Binding.Library.Version
		if rule == "function" {
			v.Function = ""
		} else {
			v.Differs = true
		}
		_, err = NewPlan(m.Model, m.Rules)
		assert.ErrorContains(t, err,
			"miniGet takes miniProp, whose layout before 2.0 is another one", rule)
		assert.ErrorContains(t, err, "[layouts.grown]", rule)
	}
}

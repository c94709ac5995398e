package emit

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

// A function takes what its types mean in the newest version that has it.
func TestNamesThatChangeTheirKind(t *testing.T) {
	t.Parallel()
	word := layout{4, 4, []int{0}, []string{"int x"}}
	pair := layout{16, 8, []int{0, 8}, []string{"size_t a", "size_t b"}}
	for name, tc := range map[string]struct {
		make func(*small)
		want map[string]string
	}{
		"a union becomes an alias": {func(s *small) {
			s.structure("miniValue", span("1.0", "2.0"), word).Union = true
			s.structure("miniBig", span("1.0", ""), pair)
			s.alias("miniValue", "miniBig", span("2.0", ""))
			s.function("miniGet", span("1.0", ""), "miniValue * pValue")
		}, map[string]string{"miniBig": "Big struct 16/8", "miniValue": "Value = Big",
			"miniGet": "Get func() (Big, error)"}},
		"an alias becomes a struct": {func(s *small) {
			s.structure("miniBig", span("1.0", ""), pair)
			s.alias("miniValue", "miniBig", span("1.0", "2.0"))
			s.structure("miniValue", span("2.0", ""), word)
			s.function("miniGet", span("1.0", ""), "miniValue * pValue")
			s.function("miniGone", span("1.0", "2.0"), "const miniValue * value")
		}, map[string]string{"miniBig": "Big struct 16/8", "miniValue": "Value struct 4/4",
			"miniGet": "Get func() (Value, error)", "miniGone": "Gone func(*Big) error"}},
		"the old struct is bound where a function that is gone takes it": {func(s *small) {
			s.structure("miniValue", span("1.0", "2.0"), word)
			s.structure("miniBig", span("1.0", ""), pair)
			s.alias("miniValue", "miniBig", span("2.0", ""))
			s.function("miniGet", span("1.0", ""), "miniValue * pValue")
			s.function("miniGone", span("1.0", "2.0"), "const miniValue * value")
		}, map[string]string{"miniBig": "Big struct 16/8", "miniValue": "Value = Big",
			"miniValue@1.0": "ValueUntil10 struct 4/4", "miniGet": "Get func() (Big, error)",
			"miniGone": "Gone func(*ValueUntil10) error"}},
		"an enum becomes a typedef": {func(s *small) {
			s.enum("miniOption", span("1.0", "2.0"), 1)
			s.enum("miniChoice", span("2.0", ""), 2)
			s.alias("miniOption", "miniChoice", span("2.0", ""))
			s.function("miniSet", span("1.0", ""), "miniOption option")
		}, map[string]string{"miniChoice": "Choice enum uint32", "miniOption": "Option = Choice",
			"miniSet": "Set func(Choice) error"}},
		"a typedef moves to a tagged struct of another version": {func(s *small) {
			s.structure("miniConfig_v1", span("1.0", ""), word)
			s.structure("miniConfig_v2", span("2.0", ""), pair)
			s.alias("miniConfig", "miniConfig_v2", span("1.0", ""))
			s.Typedefs[0].Variants = []model.TypedefVariant{{From: "1.0", To: "1.0", Kind: "alias",
				Type: "miniConfig_v1"}}
			s.function("miniInit", span("1.0", ""), "const miniConfig * config")
			s.function("miniGone", span("1.0", "2.0"), "const miniConfig * config")
		}, map[string]string{"miniConfig_v1": "Config struct 4/4",
			"miniConfig_v2": "ConfigV2 struct 16/8", "miniInit": "Init func(*ConfigV2) error",
			"miniGone": "Gone func(*Config) error"}},
		"a struct grows": {func(s *small) {
			st := s.structure("miniProp", span("1.0", ""), pair)
			st.Variants = append(st.Variants, variant("1.0", "1.0", word))
			s.function("miniGet", span("1.0", ""), "miniProp * pProp")
			s.function("miniGone", span("1.0", "2.0"), "miniProp * pProp")
		}, map[string]string{"miniProp": "Prop struct 16/8", "miniGet": "Get func() (Prop, error)",
			"miniProp@1.0": "PropUntil10 struct 4/4", "miniGone": "Gone func() (PropUntil10, error)"}},
		"a struct with a member of a type that is gone": {func(s *small) {
			s.structure("miniValue", span("1.0", "2.0"), word)
			s.structure("miniOuter", span("1.0", "2.0"), layout{8, 4, []int{0, 4},
				[]string{"miniValue value", "int more"}})
			s.structure("miniBig", span("1.0", ""), pair)
			s.alias("miniValue", "miniBig", span("2.0", ""))
			s.function("miniGone", span("1.0", "2.0"), "const miniOuter * outer")
		}, map[string]string{"miniBig": "Big struct 16/8", "miniValue": "Value = Big",
			"miniOuter": "Outer struct 8/4", "miniValue@1.0": "ValueUntil10 struct 4/4",
			"miniGone": "Gone func(*Outer) error"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSmall("1.0", "2.0")
			tc.make(s)
			assert.Equal(t, tc.want, s.shapes(t))
		})
	}
}

// TestLayoutsOfOneSize: each of several layouts has a Go type of its own where something uses it,
// and keeps its name when a header in between is read.
func TestLayoutsOfOneSize(t *testing.T) {
	t.Parallel()
	made := func(between bool) *small {
		s := newSmall("1.0", "1.5", "2.0", "3.0")
		ab := layout{8, 4, []int{0, 4}, []string{"int a", "int b"}}
		ba := layout{8, 4, []int{0, 4}, []string{"int b", "int a"}}
		wide := layout{8, 8, []int{0}, []string{"size_t a"}}
		st := s.structure("miniProp", span("1.0", ""), wide)
		first := "1.0"
		if between {
			first = "1.5"
		}
		st.Variants = []model.StructVariant{variant("1.0", first, ab), variant("2.0", "2.0", ba)}
		s.function("miniFirst", span("1.0", map[bool]string{false: "1.5", true: "2.0"}[between]),
			"const miniProp * prop")
		s.function("miniSecond", span("1.0", "3.0"), "const miniProp * prop")
		s.function("miniThird", span("1.0", ""), "const miniProp * prop")
		return s
	}
	p, err := made(false).plan(t)
	require.NoError(t, err)
	want := map[string]string{"miniProp": "Prop struct 8/8", "miniProp@1.0": "PropUntil10 struct 8/4",
		"miniProp@2.0": "PropUntil20 struct 8/4", "miniFirst": "First func(*PropUntil10) error",
		"miniSecond": "Second func(*PropUntil20) error", "miniThird": "Third func(*Prop) error"}
	assert.Equal(t, want, shapesOf(p))
	_, err = p.Files()
	require.NoError(t, err)

	again := made(true)
	again.lock = string(rules.Encode(p.Names))
	assert.Equal(t, want, again.shapes(t))
}

// grownProp is an API whose struct has another layout in the newest version, and the lock of the
// version before.
func grownProp(versions ...string) *small {
	s := newSmall(versions...)
	st := s.structure("miniProp", span("1.0", ""), layout{1472, 8, []int{0, 1464},
		[]string{"char[1464] name", "size_t memory"}})
	st.Variants = append(st.Variants, variant("1.0", "1.0", layout{792, 8, []int{0, 784},
		[]string{"char[784] name", "size_t memory"}}))
	s.function("miniGet", span("1.0", ""), "miniProp * prop")
	s.facts = "[direction]\n\"miniGet.prop\" = \"out\"\n"
	s.lock = "Prop type miniProp struct 792/8\n"
	return s
}

func TestLockedTypeThatGrows(t *testing.T) {
	t.Parallel()
	t.Run("is an error that names the rule", func(t *testing.T) {
		t.Parallel()
		_, err := grownProp("1.0", "2.0").plan(t)
		require.Error(t, err)
		for _, want := range []string{"mini.lock:1: the type Prop (miniProp) would change from " +
			`"struct 792/8" to "struct 1472/8"`, `[names] "miniProp@<version>"`, `[changed] "miniProp"`} {
			assert.ErrorContains(t, err, want)
		}
	})
	t.Run("becomes a new Go name by a rule", func(t *testing.T) {
		t.Parallel()
		s := grownProp("1.0", "2.0")
		s.toml = "\"miniProp@2.0\" = { go = \"PropV2\", why = \"a new layout\" }\n"
		want := map[string]string{"miniProp": "Prop struct 792/8", "miniProp@2.0": "PropV2 struct 1472/8",
			"miniGet": "Get func() (PropV2, error)"}
		p, err := s.plan(t)
		require.NoError(t, err)
		assert.Equal(t, want, shapesOf(p))
		text := source(t, p, "zstructs.go")
		assert.Contains(t, text, "This is its layout up to Mini 1.0.")
		assert.Contains(t, text, "Name   [784]byte\n\tMemory uintptr\n")
		assert.Contains(t, text, "Name   [1464]byte\n\tMemory uintptr\n")

		s.lock = string(rules.Encode(p.Names))
		assert.Equal(t, want, s.shapes(t), "with both in the lock")
	})
	t.Run("may change if a rule says so", func(t *testing.T) {
		t.Parallel()
		s := grownProp("1.0", "2.0")
		s.toml = "[changed]\nminiProp = { to = \"struct 1472/8\", why = \"a test\" }\n"
		assert.Equal(t, map[string]string{"miniProp": "Prop struct 1472/8",
			"miniGet": "Get func() (Prop, error)"}, s.shapes(t))
	})
	t.Run("keeps its name when the C name becomes an alias", func(t *testing.T) {
		t.Parallel()
		s := newSmall("1.0", "2.0")
		s.structure("miniProp", span("1.0", "2.0"), layout{4, 4, []int{0}, []string{"int x"}})
		s.structure("miniPropR2", span("2.0", ""), layout{8, 8, []int{0}, []string{"size_t x"}})
		s.alias("miniProp", "miniPropR2", span("2.0", ""))
		s.function("miniGet", span("1.0", "2.0"), "miniProp * pProp")
		s.function("miniGetR2", span("2.0", ""), "miniProp * pProp")
		s.lock = "Prop type miniProp struct 4/4\nGet func miniGet func() (Prop, error)\n"
		assert.Equal(t, map[string]string{"miniProp": "Prop struct 4/4",
			"miniPropR2": "PropR2 struct 8/8", "miniGet": "Get func() (Prop, error)",
			"miniGetR2": "GetR2 func() (PropR2, error)"}, s.shapes(t))
	})
}

func TestSignaturesAreLocked(t *testing.T) {
	t.Parallel()
	made := func(direction, toml string) *small {
		s := newSmall("1.0")
		s.function("miniMemInfo", span("1.0", ""), "size_t * free", "size_t * total")
		s.facts = "[direction]\n\"miniMemInfo.free\" = \"out\"\n\"miniMemInfo.total\" = \"" + direction +
			"\"\n"
		s.lock = "MemInfo func miniMemInfo func() (uintptr, uintptr, error)\n"
		s.toml = toml
		return s
	}
	_, err := made("out", "").plan(t)
	require.NoError(t, err)
	for name, tc := range map[string]struct{ toml, want string }{
		"a changed fact": {"", "the signature of MemInfo (miniMemInfo) would change from " +
			"func() (uintptr, uintptr, error) to func(*uintptr) (uintptr, error)"},
		"an acknowledgement of something else": {
			"[changed]\nminiMemInfo = { to = \"func() error\", why = \"x\" }\n",
			`[changed] miniMemInfo says "func() error", but it is "func(*uintptr) (uintptr, error)" now`},
		"an acknowledgement without a reason": {
			"[changed]\nminiMemInfo = { to = \"func(*uintptr) (uintptr, error)\" }\n",
			"[changed] miniMemInfo needs a reason"},
		"an acknowledgement for nothing": {"[changed]\nminiNone = { to = \"x\", why = \"x\" }\n",
			"[changed] miniNone: no function and no type has that name"},
	} {
		_, err := made("in", tc.toml).plan(t)
		assert.ErrorContains(t, err, tc.want, name)
	}
	acknowledged := made("in",
		"[changed]\nminiMemInfo = { to = \"func(*uintptr) (uintptr, error)\", why = \"C reads it\" }\n")
	assert.Equal(t, map[string]string{
		"miniMemInfo": "MemInfo func(*uintptr) (uintptr, error)"}, acknowledged.shapes(t))
}

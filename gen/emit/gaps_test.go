package emit

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/model"
)

// withInPlace is an API with a struct that declares another one in place, as a type of its own
// field: "struct", "struct[3]", "struct *".
func withInPlace(typ model.Type, offsets []int, size int) *small {
	s := newSmall("1.0")
	inner := &model.Struct{}
	inner.Layouts, inner.Fields = layout{16, 8, []int{0, 8},
		[]string{"size_t from", "int count"}}.body()
	st := s.structure("miniList", span("1.0", ""), layout{size, 8, offsets,
		[]string{"int n", "struct ranges", "int last"}})
	st.Fields[1] = model.Field{Name: "ranges", Type: typ, Inner: inner}
	s.function("miniShow", span("1.0", ""), "const miniList * list")
	return s
}

func TestStructsDeclaredInPlace(t *testing.T) {
	t.Parallel()
	for typ, tc := range map[model.Type]struct {
		offsets []int
		size    int
		want    string
	}{
		"struct":       {[]int{0, 8, 24}, 32, "Ranges ListRanges"},
		"struct[3]":    {[]int{0, 8, 56}, 64, "Ranges [3]ListRanges"},
		"struct[2][3]": {[]int{0, 8, 104}, 112, "Ranges [2][3]ListRanges"},
		"struct *":     {[]int{0, 8, 16}, 24, "Ranges *ListRanges"},
	} {
		p, err := withInPlace(typ, tc.offsets, tc.size).plan(t)
		require.NoError(t, err, typ)
		assert.Empty(t, p.Unbound, typ)
		assert.Contains(t, source(t, p, "zstructs.go"), "\t"+tc.want+"\n", typ)
	}
}

// TestLostFields: padding that is as large as the next alignment is a field that was lost.
func TestLostFields(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		make func(*small)
		want string
	}{
		"the length of an array": {func(s *small) {
			*s = *withInPlace("struct", []int{0, 8, 56}, 64)
		}, "miniList in 1.0: bytes that no field covers: 32 bytes in front of the field last"},
		"a field in front": {func(s *small) {
			s.structure("miniA", span("1.0", ""), layout{8, 4, []int{4}, []string{"int b"}})
		}, "miniA in 2.0: bytes that no field covers: 4 bytes in front of the field b"},
		"the last field": {func(s *small) {
			s.structure("miniA", span("1.0", ""), layout{8, 4, []int{0}, []string{"int a"}})
		}, "4 bytes after the last field of a struct aligned to 4"},
		"a field of an older layout": {func(s *small) {
			st := s.structure("miniA", span("1.0", ""),
				layout{8, 4, []int{0, 4}, []string{"int a", "int b"}})
			st.Variants = append(st.Variants, variant("1.0", "1.0", layout{12, 4, []int{0, 8},
				[]string{"int a", "int c"}}))
		}, "miniA in 1.0: bytes that no field covers: 4 bytes in front of the field c"},
		"a member that the union has no room for": {func(s *small) {
			s.structure("miniA", span("1.0", ""), layout{4, 4, []int{0}, []string{"int[2] a"}}).Union = true
		}, "the member a has 8 bytes, the union 4"},
	} {
		s := newSmall("1.0", "2.0")
		tc.make(s)
		_, err := s.plan(t)
		assert.ErrorContains(t, err, tc.want, name)
	}
}

func TestPaddingOfStructsWhoseFieldsAreTheOutersOwn(t *testing.T) {
	t.Parallel()
	s := newSmall("1.0")
	inner := &model.Struct{}
	inner.Layouts, inner.Fields = layout{16, 8, []int{0, 8}, []string{"char tag", "double x"}}.body()
	tail := &model.Struct{}
	tail.Layouts, tail.Fields = layout{16, 8, []int{0, 8}, []string{"double y", "char end"}}.body()
	st := s.structure("miniA", span("1.0", ""), layout{48, 8, []int{0, 8, 24, 40},
		[]string{"int a", "struct s", "struct t", "char z"}})
	st.Fields[1] = model.Field{Type: "struct", Inner: inner}
	st.Fields[2] = model.Field{Type: "struct", Inner: tail}
	p, err := s.plan(t)
	require.NoError(t, err)
	assert.Empty(t, p.Unbound)
}

package emit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

// TestOddLayouts emits what few headers have: packed structs, enums of 64 bits, result codes that
// need the 32nd bit, bit-fields of a union, times, and constants without the API's prefix.
func TestOddLayouts(t *testing.T) {
	t.Parallel()
	since := model.Span{Since: "1.0"}
	layout := func(size, align int, offsets ...int) []model.Layout {
		return []model.Layout{{Targets: []string{"linux/amd64"}, Size: size, Align: align,
			Offsets: offsets}}
	}
	bits := []model.Field{{Name: "low", Type: "uint64_t", Bits: 3},
		{Name: "high", Type: "uint64_t", Bits: 61, BitOffset: 3}}
	p, err := planOf(t, "testdata/versions", "", func(m *model.Model, r *rules.Rules) {
		r.Binding.Prefixes.Bare = "Plain"
		for i := range m.Enums {
			if m.Enums[i].Name == "miniResult" {
				m.Enums[i].Values = append(m.Enums[i].Values,
					model.EnumValue{Name: "MINI_ERROR_OTHER", Value: 0xffffffff, Span: since})
			}
		}
		m.Enums = append(m.Enums, model.Enum{Name: "miniWide", Span: since, Wide: true,
			Values: []model.EnumValue{{Name: "MINI_WIDE_ALL", Value: -1, Span: since},
				{Name: "SOLO", Value: 1 << 40, Span: since}}})
		m.Structs = append(m.Structs,
			model.Struct{Name: "miniPacked", Span: since, Layouts: layout(22, 1, 0, 1, 2, 6, 14),
				Fields: []model.Field{{Name: "a", Type: "char"}, {Name: "odd", Type: "uint8_t"},
					{Name: "number_b", Type: "uint32_t"}, {Name: "c", Type: "uint64_t"},
					{Name: "d", Type: "uint16_t[4]"}}},
			model.Struct{Name: "miniPlace", Union: true, Span: since, Layouts: layout(8, 8, 0, 0),
				Fields: []model.Field{{Type: "struct", Inner: &model.Struct{Layouts: layout(8, 8, 0, 0),
					Fields: bits}}, {Name: "all", Type: "uint64_t"}}},
			model.Struct{Name: "miniTimed", Span: since, Layouts: layout(16, 8, 0),
				Fields: []model.Field{{Name: "when", Type: "struct timespec"}}})
	})
	require.NoError(t, err)
	assert.Empty(t, p.Unbound)
	files, err := p.Files()
	require.NoError(t, err)
	var b strings.Builder
	for _, f := range files {
		b.Write(f.Data)
	}
	text := strings.Join(strings.Fields(b.String()), " ") // whatever gofmt aligned
	for _, want := range []string{
		"type Result uint32",
		"ErrOther Result = 4294967295 // MINI_ERROR_OTHER",
		"type Wide uint64",
		"WideAll Wide = 0xffffffffffffffff // MINI_WIDE_ALL",
		"PlainSolo Wide = 1099511627776 // SOLO",
		"type Packed struct { A byte Odd uint8 numberB [4]uint8 // number_b c [8]uint8 d [8]uint8 }",
		"func (s *Packed) NumberB() (v uint32)",
		"func (s *Packed) SetNumberB(v uint32)",
		"func (s *Packed) C() (v uint64)",
		"func (s *Packed) D() (v [4]uint16)",
		"func (s *Place) Low() uint64 { return uint64(s.data[0] & 0x7) }",
		"func (s *Place) High() uint64 { return uint64(s.data[0] >> 3 & 0x1fffffffffffffff) }",
		"type Timed struct { When Timespec }",
	} {
		assert.True(t, strings.Contains(text, want), want)
	}
}

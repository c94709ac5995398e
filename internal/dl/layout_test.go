package dl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The library of these tests is 12.4.
func TestLayoutsAreCheckedAtTheLookup(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		layout Layout
		right  bool
	}{
		"the same version":    {Layout{From: "12.4"}, true},
		"an older one":        {Layout{From: "9.8"}, true},
		"a major version":     {Layout{From: "12"}, true},
		"a newer one":         {Layout{From: "12.10"}, false},
		"within":              {Layout{From: "12.1", Below: "13"}, true},
		"at the end":          {Layout{From: "12.1", Below: "12.4"}, false},
		"beyond the end":      {Layout{From: "11", Below: "12"}, false},
		"just in front of it": {Layout{From: "11", Below: "12.4.1"}, true},
	} {
		l := library()
		lookups := 0
		symbols := map[string]uintptr{"f": 8, "version": version()}
		l.Install("fake", func(s string) uintptr { lookups++; return symbols[s] })
		p := Proc{Lib: l, Symbol: "f", Since: "11.0", Layout: &tc.layout}
		addr, err := p.Addr()
		assert.Equal(t, tc.right, err == nil, name)
		assert.Equal(t, tc.right, addr == 8, name)
		first := lookups
		_, again := p.Addr()
		assert.Equal(t, err, again, name)
		assert.Equal(t, first, lookups, "%s: nothing is asked twice", name)
	}
}

func TestLayoutError(t *testing.T) {
	t.Parallel()
	refused := func(layout Layout, symbols map[string]uintptr) *LayoutError {
		l := library()
		symbols["f"] = 8
		l.Install("fake", table(symbols))
		_, err := (&Proc{Lib: l, Symbol: "f", Since: "11.0", Layout: &layout}).Addr()
		require.ErrorIs(t, err, ErrLayout)
		require.NotErrorIs(t, err, ErrSymbolNotFound)
		var e *LayoutError
		require.ErrorAs(t, err, &e)
		return e
	}
	told := map[string]uintptr{"version": version()}
	e := refused(Layout{Struct: "prop_t", From: "13.1"}, told)
	assert.Equal(t, LayoutError{Symbol: "f", Struct: "prop_t", From: "13.1", API: "CUDA",
		Library: "fake", Version: "12.4", Update: "update it"}, *e)
	assert.Equal(t, "struct has another layout: f takes prop_t, which in Go is right from CUDA 13.1 "+
		"on, but fake is CUDA 12.4; update it", e.Error())

	e = refused(Layout{Struct: "prop_t", From: "11.2", Below: "12"}, told)
	assert.Equal(t, "struct has another layout: f takes prop_t, which in Go is right for CUDA 11.2 "+
		"and newer, below 12, but fake is CUDA 12.4; update this program's bindings", e.Error())

	e = refused(Layout{Struct: "prop_t", From: "11.2"}, map[string]uintptr{})
	assert.Contains(t, e.Error(), "but fake is of unknown version; update it")
}

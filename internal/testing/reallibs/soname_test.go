package reallibs_test

import (
	"debug/elf"
	"path"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/bindings"
)

// TestSonames: packages find each library under the name that the vendor gave it.
func TestSonames(t *testing.T) {
	m := open(t)
	for i := range m.Libraries {
		l := &m.Libraries[i]
		b, bound := bindings.Named(l.API)
		if !bound {
			continue
		}
		t.Run(l.API+" "+l.Version, func(t *testing.T) {
			t.Parallel()
			f, err := elf.Open(l.Path())
			require.NoError(t, err)
			defer f.Close()
			names, err := f.DynString(elf.DT_SONAME)
			require.NoError(t, err)
			require.Len(t, names, 1)
			searched := b.Library.Search.Linux.Names
			assert.True(t, slices.ContainsFunc(searched, func(pattern string) bool {
				ok, err := path.Match(pattern, names[0])
				return ok && err == nil
			}), "the library is %s, the names that are searched for are %q", names[0], searched)
		})
	}
}

package gpuevent_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/clib"
	"github.com/gpuevent/gpuevent/internal/testing/proof"
)

// headersOf is where a release's headers are, "" if this checkout lacks them.
func (a api) headersOf(version string) string {
	dir := filepath.Join(".headers", a.Name, version, "include")
	if _, err := os.Stat(dir); err != nil {
		return ""
	}
	return dir
}

// TestSymbols finds every symbol in the headers of each release that the spec says has it, and no
// other. The headers are read by the C compiler's preprocessor.
func TestSymbols(t *testing.T) {
	t.Parallel()
	cc, err := clib.Compiler()
	if err != nil {
		t.Skip(err)
	}
	for _, a := range apis {
		s := a.spec(t)
		for _, v := range s.Versions {
			t.Run(a.Name+" "+v.Name, func(t *testing.T) {
				t.Parallel()
				include := a.headersOf(v.Name)
				if include == "" {
					t.Skip("no vendor header here; make headers fetches it")
				}
				text, err := clib.Build{Compiler: cc, Include: include, API: a.Name}.Preprocess()
				require.NoError(t, err)
				r := proof.Symbols(a.API, s, v.Name, text)
				assert.NotZero(t, r.Functions)
				for _, f := range r.Findings {
					t.Error(f)
				}
			})
		}
	}
}

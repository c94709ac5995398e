package header

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/model"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden reads each small header under testdata, one per language feature, and compares all
// that it declares.
func TestGolden(t *testing.T) {
	t.Parallel()
	dirs, err := filepath.Glob(filepath.Join(miniDir, "*", "include"))
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	for _, dir := range dirs {
		feature := filepath.Base(filepath.Dir(dir))
		t.Run(feature, func(t *testing.T) {
			t.Parallel()
			r := parseTestdata(t, dir)
			got, err := r.Encode()
			require.NoError(t, err)
			if len(r.Internal) > 0 {
				got = append(got, "internal: "+strings.Join(r.Internal, " ")+"\n"...)
			}
			compareGolden(t, filepath.Join("testdata", feature, "want.json"), got)
		})
	}
}

func parseTestdata(t *testing.T, dir string) model.Release {
	t.Helper()
	api := "cuda"
	if _, err := os.Stat(filepath.Join(dir, "hip")); err == nil {
		api = "hip"
	}
	r, err := Parse(optionsOf(t, api, dir, ""))
	require.NoError(t, err)
	return r
}

func compareGolden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "%s; go test ./header -update writes it anew", file)
}

package gpuevent_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/bindings"
)

// byData are the folders that learn of APIs from the specs.
var byData = []string{"gen", "tools", "internal/dl", "internal/testing/proof",
	"internal/testing/clib", "internal/testing/bindings"}

// ofAnAPI reports whether a file in those folders is data, a test, or made from the specs. The
// benchmarks and the GPU kit are about calls of one driver, simlib builds the vendors' libraries,
// and cudacore runs a vendor's tests on them.
func ofAnAPI(path string) bool {
	name := filepath.Base(path)
	return strings.HasSuffix(name, "_test.go") || strings.Contains(path, "/testdata/") ||
		strings.HasPrefix(name, "z") || strings.HasPrefix(path, "tools/callbench/") ||
		strings.HasPrefix(path, "tools/simlib/") || strings.HasPrefix(path, "tools/cudacore/") ||
		strings.HasPrefix(path, "tools/gpukit/") ||
		slices.Contains([]string{"tools/pins.toml", "gen/go.sum", "tools/go.sum"}, path)
}

// TestCodeNamesNoAPI looks for names of APIs, packages and vendors in code that must do without.
func TestCodeNamesNoAPI(t *testing.T) {
	t.Parallel()
	words := []string{"cuda", "nvidia", "rocm", "amdhip"}
	for _, b := range bindings.All {
		words = append(words, b.Name)
	}
	for i, w := range words {
		words[i] = regexp.QuoteMeta(w)
	}
	// In any case, as a word or as the first part of one: hip, hipInit, HIP_VERSION, not "ship".
	names := regexp.MustCompile(`(?i)(?:^|[^a-z])(?:` + strings.Join(words, "|") + `)(?:[^a-z]|$)|` +
		`(?:^|[^a-zA-Z])(?i:` + strings.Join(words, "|") + `)[A-Z]`)
	require.Regexp(t, names, "_cudaInit")
	require.Regexp(t, names, `"hip"`)
	require.NotRegexp(t, names, "ownership")
	for _, folder := range byData {
		look := func(path string, d fs.DirEntry, err error) error {
			slashed := filepath.ToSlash(path)
			if err != nil || d.IsDir() || ofAnAPI(slashed) {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line := 0
			for l := range strings.Lines(string(text)) {
				line++
				assert.NotRegexp(t, names, l, "%s:%d: data says this, in specs/ or tools/pins.toml", slashed,
					line)
			}
			return nil
		}
		require.NoError(t, filepath.WalkDir(filepath.FromSlash(folder), look))
	}
}

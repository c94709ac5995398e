package header

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

// headersDir is where "make headers" puts the vendors' headers, one folder per release.
var headersDir = filepath.Join("..", "..", ".headers")

// TestRealHeaders reads every vendor header that was fetched, merges them, takes each one's view
// out again, and compares with the committed spec.
func TestRealHeaders(t *testing.T) {
	t.Parallel()
	for _, apiName := range rules.APIs(specsDir) {
		t.Run(apiName, func(t *testing.T) {
			t.Parallel()
			entries, err := os.ReadDir(filepath.Join(headersDir, apiName))
			if err != nil {
				t.Skipf("the vendor's headers are not there, make headers fetches them: %v", err)
			}
			entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { // what a supplement is from
				_, err := os.Stat(filepath.Join(headersDir, apiName, e.Name(), "include"))
				return err != nil
			})
			releases := realReleases(t, apiName, entries)
			checkKnown(t, apiName, releases)
			m, err := model.Merge(releases)
			require.NoError(t, err)
			require.Empty(t, m.Check())
			sameViews(t, m, releases)
			sameAsSpec(t, apiName, releases)
		})
	}
}

// parsed keeps what was read, for tests may run many times in one process.
var parsed sync.Map

func realReleases(t *testing.T, apiName string, entries []os.DirEntry) []model.Release {
	t.Helper()
	if rs, ok := parsed.Load(apiName); ok {
		return rs.([]model.Release)
	}
	if raceEnabled && len(entries) > 2 {
		// The race detector makes parsing ten times slower, and one release is as concurrent as twenty.
		entries = []os.DirEntry{entries[0], entries[len(entries)-1]}
	}
	var releases []model.Release
	for _, e := range entries {
		start := time.Now()
		r, err := Parse(optionsOf(t, apiName, filepath.Join(headersDir, apiName, e.Name(), "include"),
			e.Name()))
		require.NoError(t, err)
		t.Logf("%s %s: %d functions in %v", apiName, e.Name(), len(r.Functions),
			time.Since(start).Round(time.Millisecond))
		releases = append(releases, r)
	}
	slices.SortFunc(releases, func(a, b model.Release) int {
		return model.CompareVersions(a.Name(), b.Name())
	})
	parsed.Store(apiName, releases)
	return releases
}

// known are counts that were found by other means: with gcc from the same headers.
var known = map[string]int{
	"cuda 11.8": 368 + 3, // cuda.h and cudaProfiler.h
	"cuda 12.4": 429 + 3,
	"cuda 12.9": 452 + 3,
	"cuda 13.0": 449 + 3,
	"hip 6.4.3": 466 + 3, // hip_runtime_api.h and amd_hip_gl_interop.h
	"hip 7.2.4": 498 + 3,
}

func checkKnown(t *testing.T, apiName string, releases []model.Release) {
	t.Helper()
	for _, r := range releases {
		want, ok := known[apiName+" "+r.Name()]
		if !ok {
			continue
		}
		n := 0
		for _, f := range r.Functions {
			if !strings.HasPrefix(f.Name, "_") { // the compiler's own entry points
				n++
			}
		}
		assert.Equal(t, want, n, "functions of %s %s", apiName, r.Name())
	}
}

// sameAsSpec compares with the committed spec, version by version: the spec may know releases whose
// headers are not available here.
func sameAsSpec(t *testing.T, apiName string, releases []model.Release) {
	t.Helper()
	spec, err := model.Load(filepath.Join("..", "..", "specs", apiName+".json"))
	require.NoError(t, err)
	var known []model.Release
	for _, r := range releases {
		if slices.ContainsFunc(spec.Versions, func(v model.Version) bool { return v.Name == r.Name() }) {
			known = append(known, r)
		}
	}
	require.NotEmpty(t, known)
	sameViews(t, spec, known)
}

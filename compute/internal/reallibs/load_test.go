package reallibs_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute/internal/cache"
)

func init() { tasks["load"] = testLoad }

// texts are the different ones that are compiled.
const texts = 20

// each is how often each of two processes compiles, all at once.
func each() int {
	if testing.Short() {
		return 100
	}
	return 500
}

// loaded is what one process got.
type loaded struct {
	Digests  map[int]string // of an image of each text
	Counters cache.Counters
}

// TestLoad has two processes compile 1,000 times at once through one cache: all get the images that
// they asked for, and a text is compiled at most once in a process.
func TestLoad(t *testing.T) {
	for _, l := range compilers(t) {
		program, folder := program(t, l), t.TempDir()
		var results [2]loaded
		var errs [2]error
		var wg sync.WaitGroup
		for i := range results {
			wg.Go(func() { errs[i] = run(t, l, program, "load", folder, &results[i]) })
		}
		wg.Wait()
		var stored uint64
		for i, r := range results {
			require.NoError(t, errs[i])
			n := r.Counters
			assert.EqualValues(t, each(), n.Hits+n.Misses+n.Joined)
			assert.LessOrEqual(t, n.Misses, uint64(texts))
			assert.Equal(t, n.Misses, n.Stored)
			assert.Zero(t, n.Dropped+n.Unstored+n.Evicted+n.Uncacheable+n.Stale)
			assert.Len(t, r.Digests, texts)
			stored += n.Stored
			t.Logf("%s %s, process %d: %+v", l.API, l.Version, i, n)
		}
		if l.API == "nvrtc" { // hipRTC's images depend on what the process compiled before
			assert.Equal(t, results[0].Digests, results[1].Digests)
		}
		assert.GreaterOrEqual(t, stored, uint64(texts))
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		assert.Len(t, entries, texts, "no temporary file is left")
	}
}

func testLoad(t *testing.T) {
	v := current()
	c := cache.Open(os.Getenv(folder), 0)
	got := loaded{Digests: map[int]string{}}
	different := map[string]bool{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range each() {
		wg.Go(func() {
			r := request(v.targets[0])
			r.Text += fmt.Sprintf("__constant__ int which%d = %d;\n", i%texts, i%texts)
			r.Names = append(r.Names, fmt.Sprintf("&which%d", i%texts))
			result, err := v.cached(c, t.Context(), r)
			if !assert.NoError(t, err) {
				return
			}
			assert.Equal(t, fmt.Sprintf("which%d", i%texts), result.Lowered[r.Names[2]])
			digest := fmt.Sprintf("%x", sha256.Sum256(result.Image))
			mu.Lock()
			defer mu.Unlock()
			if got.Digests[i%texts] == "" {
				got.Digests[i%texts] = digest
			}
			if v.nvidia {
				assert.Equal(t, got.Digests[i%texts], digest)
			}
			assert.True(t, bytes.Contains(result.Image, []byte(fmt.Sprintf("which%d\x00", i%texts))))
			different[got.Digests[i%texts]] = true
		})
	}
	wg.Wait()
	assert.Len(t, different, texts)
	got.Counters = c.Counters()
	tell(t, got)
}

package cache

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute/internal/compiler"
)

// worker makes this program one of several that share a cache: the variable is its folder.
const worker = "GPUEVENT_TEST_CACHE_WORKER"

func TestMain(m *testing.M) {
	dir := os.Getenv(worker)
	if dir == "" {
		os.Exit(m.Run())
	}
	if err := work(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// made is what the pretended compiler makes of a text.
func made(text string) compiler.Result {
	return compiler.Result{Image: []byte("image of " + text), Kind: compiler.Cubin, Target: "sm_90",
		Lowered: map[string]string{"f<int>": "_Zf" + text, "&v": "v"}, Log: "a warning of " + text,
		Compiler: "pretended 1.0"}
}

// pretended is a compiler that has no library.
func pretended(compile func(context.Context, compiler.Request) (compiler.Result, error)) *backend {
	if compile == nil {
		compile = func(_ context.Context, r compiler.Request) (compiler.Result, error) {
			return made(r.Text), nil
		}
	}
	return &backend{"pretended", compile,
		func() (compiler.Identity, error) { return compiler.Identity{Name: "p", Key: "p 1"}, nil },
		compiler.CUDACacheable, make(chan struct{}, 1)}
}

const (
	processes, each, texts = 2, 500, 50
)

// work compiles many times at once, in a cache that has no room for all.
func work(dir string) error {
	size := int64(len(encode(Key{}, ptr(made("text 10")))))
	c := Open(dir, size*texts/2)
	b := pretended(nil)
	errs := make(chan error, each)
	var wg sync.WaitGroup
	for i := range each {
		wg.Go(func() {
			text := fmt.Sprint("text ", 10+i%texts)
			got, err := c.compile(context.Background(), b, compiler.Request{Text: text})
			if err != nil || !assert.ObjectsAreEqual(made(text), got) {
				errs <- fmt.Errorf("%s: %v, %+v", text, err, got)
			}
		})
	}
	wg.Wait()
	close(errs)
	if err := <-errs; err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(c.Counters())
}

func ptr[T any](v T) *T { return &v }

// Two processes compile 1,000 times in one folder, write the same entries, and remove them for want
// of room.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "folder to be made")
	self, err := os.Executable()
	require.NoError(t, err)
	var out [processes][]byte
	var errs [processes]error
	var wg sync.WaitGroup
	for i := range processes {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, self)
			cmd.Env = append(os.Environ(), worker+"="+dir)
			cmd.Stderr = os.Stderr
			out[i], errs[i] = cmd.Output()
		})
	}
	wg.Wait()
	var evicted uint64
	for i := range processes {
		require.NoError(t, errs[i])
		var n Counters
		require.NoError(t, json.Unmarshal(out[i], &n))
		assert.EqualValues(t, each, n.Hits+n.Misses+n.Joined)
		assert.Equal(t, n.Misses, n.Stored+n.Unstored)
		assert.Zero(t, n.Unstored+n.Dropped+n.Uncacheable+n.Stale)
		evicted += n.Evicted
	}
	assert.NotZero(t, evicted)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		assert.True(t, isEntry(e.Name()), e.Name())
	}
	assert.Less(t, len(entries), texts)
}

package cache

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute/internal/compiler"
)

// Goroutines that want one result compile it once, and none gets memory of another.
func TestOneCompilation(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		c := Open(dir, 0)
		gate := make(chan struct{})
		var compiled atomic.Int32
		b := pretended(func(_ context.Context, r compiler.Request) (compiler.Result, error) {
			compiled.Add(1)
			<-gate
			return made(r.Text), nil
		})
		const callers = 10
		var results [callers]compiler.Result
		var wg sync.WaitGroup
		for i := range callers {
			wg.Go(func() {
				r, err := c.compile(t.Context(), b, compiler.Request{Text: "x"})
				assert.NoError(t, err)
				assert.Equal(t, made("x"), r)
				results[i] = r
			})
		}
		synctest.Wait()
		close(gate)
		wg.Wait()
		assert.EqualValues(t, 1, compiled.Load())
		assert.Equal(t, Counters{Misses: 1, Joined: callers - 1, Stored: 1}, c.Counters())
		results[0].Image[0], results[0].Lowered["f<int>"] = 0, ""
		assert.Equal(t, made("x"), results[1])
	})
}

// Who leaves takes the compilation along only if nobody else waits for it.
func TestWaitersLeave(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		c := Open(dir, 0)
		gate := make(chan struct{})
		cancelled := 0
		b := pretended(func(ctx context.Context, r compiler.Request) (compiler.Result, error) {
			select {
			case <-gate:
				return made(r.Text), nil
			case <-ctx.Done():
				cancelled++
				return compiler.Result{}, ctx.Err()
			}
		})
		start := func(ctx context.Context) chan error {
			done := make(chan error, 1)
			go func() {
				_, err := c.compile(ctx, b, compiler.Request{Text: "x", Target: "sm_90"})
				done <- err
			}()
			synctest.Wait()
			return done
		}
		ctx, cancel := context.WithCancel(t.Context())
		first := start(ctx)
		second := start(t.Context())
		cancel()
		err := <-first
		require.ErrorIs(t, err, context.Canceled)
		assert.ErrorContains(t, err, "compile kernel.cu for sm_90 with p")
		gate <- struct{}{}
		require.NoError(t, <-second, "the first one's context was not the compilation's")

		ctx, cancel = context.WithCancel(t.Context())
		c = Open(t.TempDir(), 0)
		alone := start(ctx)
		cancel()
		require.ErrorIs(t, <-alone, context.Canceled)
		synctest.Wait()
		assert.Equal(t, 1, cancelled)
		later := start(t.Context()) // it does not join what was cancelled
		gate <- struct{}{}
		require.NoError(t, <-later)
		assert.Empty(t, c.flying.now)
	})
}

// A process that waits for its turn finds what another has stored meanwhile.
func TestStoredMeanwhile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		c := Open(dir, 0)
		b := pretended(nil)
		b.turn <- struct{}{}
		done := make(chan error)
		go func() {
			_, err := c.compile(t.Context(), b, compiler.Request{Text: "x"})
			done <- err
		}()
		synctest.Wait()
		Open(dir, 0).store(key("x"), ptr(made("x")))
		<-b.turn
		require.NoError(t, <-done)
		assert.Equal(t, Counters{Hits: 1}, c.Counters())
	})
}

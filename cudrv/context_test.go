package cudrv_test

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// contexts installs a driver that keeps a current context for each thread.
func contexts(t *testing.T) *fake.Current {
	lib := fake.CUDA(t, "12.4").Install(t, &dl.CUDA)
	c := new(fake.Current)
	lib.Handle("cuCtxGetCurrent", c.Get64)
	lib.Handle("cuCtxSetCurrent", c.Set)
	return c
}

var errOfF = errors.New("the function's own error")

func TestDo(t *testing.T) {
	t.Parallel()
	set := func(c cudrv.Context) func() error { return func() error { return cudrv.CtxSetCurrent(c) } }
	for name, c := range map[string]struct {
		run   func() error
		start uintptr
		fail  map[int]int32
		want  []string // the driver's calls
		errs  []error  // what the error is; none: nil
		text  []string // what it says
		ran   bool     // f
	}{
		"enters and restores": {start: 0, ran: true,
			want: []string{"get", "set 1", "f", "get", "set 0"}},
		"restores another context": {start: 7, ran: true,
			want: []string{"get", "set 1", "f", "get", "set 7"}},
		"is in the context already": {start: 1, ran: true,
			want: []string{"get", "f", "get"}},
		"f's error": {ran: true, run: func() error { return errOfF },
			want: []string{"get", "set 1", "f", "get", "set 0"}, errs: []error{errOfF}},
		"f changes the context": {start: 7, ran: true, run: set(3),
			want: []string{"get", "set 1", "f", "set 3", "get", "set 7"}},
		"f changes it in the context already": {start: 1, ran: true, run: set(3),
			want: []string{"get", "f", "set 3", "get", "set 1"}},
		"f restores by itself": {start: 7, ran: true, run: set(7),
			want: []string{"get", "set 1", "f", "set 7", "get"}},
		"asking fails": {fail: map[int]int32{0: 3},
			want: []string{"get fails with 3"}, errs: []error{cudrv.ErrNotInitialized}, text: []string{"enter CUDA context 0x1: "}},
		"entering fails": {fail: map[int]int32{1: 709},
			want: []string{"get", "set 1 fails with 709"}, errs: []error{cudrv.ErrContextIsDestroyed}, text: []string{"enter CUDA context 0x1: "}},
		"restoring fails": {start: 7, ran: true, fail: map[int]int32{3: 201},
			want: []string{"get", "set 1", "f", "get", "set 7 fails with 201"}, errs: []error{cudrv.ErrInvalidContext}, text: []string{"restore CUDA context 0x7: "}},
		"f and restoring fail": {start: 7, ran: true, run: func() error { return errOfF }, fail: map[int]int32{3: 201},
			want: []string{"get", "set 1", "f", "get", "set 7 fails with 201"}, errs: []error{errOfF, cudrv.ErrInvalidContext}, text: []string{"restore CUDA context 0x7: "}},
		"asking fails at the end": {start: 7, ran: true, fail: map[int]int32{2: 999},
			want: []string{"get", "set 1", "f", "get fails with 999", "set 7"}},
	} {
		t.Run(name, func(t *testing.T) {
			current := contexts(t)
			current.Start, current.Fail = c.start, c.fail
			before := -1
			err := cudrv.Context(1).Do(func() error {
				before = len(current.Log())
				if c.run != nil {
					return c.run()
				}
				return nil
			})
			log := current.Log()
			if before >= 0 {
				log = append(log[:before:before], append([]string{"f"}, log[before:]...)...)
			}
			assert.Equal(t, c.want, log)
			assert.Equal(t, c.ran, before >= 0)
			if len(c.errs) == 0 {
				assert.NoError(t, err)
			}
			for _, want := range c.errs {
				assert.ErrorIs(t, err, want)
			}
			for _, want := range c.text {
				assert.ErrorContains(t, err, want)
			}
			if len(c.fail) == 0 {
				assert.Empty(t, current.Left())
			}
		})
	}
}

func TestDoRefusesANilContext(t *testing.T) {
	t.Parallel()
	current := contexts(t)
	err := cudrv.Context(0).Do(func() error { t.Error("it ran"); return nil })
	assert.ErrorIs(t, err, cudrv.ErrInvalidContext)
	assert.ErrorContains(t, err, "the handle is 0")
	assert.Empty(t, current.Log(), "the driver was not asked")
}

func TestDoRestoresWhenFPanics(t *testing.T) {
	t.Parallel()
	current := contexts(t)
	assert.PanicsWithValue(t, "of f", func() {
		_ = cudrv.Context(1).Do(func() error { panic("of f") })
	})
	assert.Equal(t, []string{"get", "set 1", "get", "set 0"}, current.Log())
}

func TestDoRestoresWhenFLeavesTheGoroutine(t *testing.T) {
	t.Parallel()
	current := contexts(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = cudrv.Context(1).Do(func() error { runtime.Goexit(); return nil })
	}()
	<-done
	assert.Equal(t, []string{"get", "set 1", "get", "set 0"}, current.Log())
}

func TestDoNests(t *testing.T) {
	t.Parallel()
	current := contexts(t)
	require.NoError(t, cudrv.Context(1).Do(func() error {
		return cudrv.Context(2).Do(func() error {
			return cudrv.Context(2).Do(func() error {
				now, err := cudrv.CtxGetCurrent()
				assert.Equal(t, cudrv.Context(2), now)
				return err
			})
		})
	}))
	assert.Equal(t, []string{"get", "set 1", "get", "set 2", "get", "get", "get", "get", "set 1", "get", "set 0"}, current.Log())
	assert.Equal(t, 1, current.Threads())
}

// Goroutines that change threads as often as they can: each stays in its own context while it is in Do, and no thread keeps one.
func TestDoOnManyGoroutines(t *testing.T) {
	t.Parallel()
	current := contexts(t)
	const goroutines, rounds = 16, 20
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for range rounds {
				runtime.Gosched()
				mine, inner := cudrv.Context(g+1), cudrv.Context(100+g)
				var thread uintptr
				check := func(want cudrv.Context) error {
					for range 3 {
						runtime.Gosched()
						now, err := cudrv.CtxGetCurrent()
						if err != nil {
							return err
						}
						assert.Equal(t, want, now)
						assert.Equal(t, thread, fake.ThreadID(), "the goroutine moved")
					}
					return nil
				}
				assert.NoError(t, mine.Do(func() error {
					thread = fake.ThreadID()
					return errors.Join(check(mine), inner.Do(func() error { return check(inner) }), check(mine))
				}))
			}
		})
	}
	wg.Wait()
	assert.Empty(t, current.Left(), "threads that were left in a context")
}

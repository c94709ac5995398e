package cudrv_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// contexts installs a driver that keeps a stack of contexts for each thread.
func contexts(t *testing.T) *fake.Contexts {
	c := new(fake.Contexts)
	c.Handle(fake.New("contexts").Install(t, &libs.CUDA))
	return c
}

var errOfF = errors.New("the function's own error")

func TestDo(t *testing.T) {
	t.Parallel()
	type words = []string
	for name, c := range map[string]struct {
		run   func() error
		start []uintptr
		fail  map[int]int32
		want  words       // the driver's calls
		errs  []error     // what the error is; none: nil
		text  []string    // what it says
		left  [][]uintptr // what threads keep beyond their contexts
	}{
		"enters and restores": {
			want: words{"get", "push 1", "f", "get", "pop", "get"}},
		"restores another context": {start: []uintptr{7},
			want: words{"get", "pop", "get", "push 1", "f", "get", "pop", "get", "push 7"}},
		"restores a stack": {start: []uintptr{5, 6, 7},
			want: words{"get", "pop", "get", "pop", "get", "pop", "get", "push 1", "f",
				"get", "pop", "get", "push 5", "push 6", "push 7"}},
		"is in the context already": {start: []uintptr{1},
			want: words{"get", "pop", "get", "push 1", "f", "get", "pop", "get", "push 1"}},
		"f's error": {run: func() error { return errOfF }, errs: []error{errOfF},
			want: words{"get", "push 1", "f", "get", "pop", "get"}},
		"asking fails": {fail: map[int]int32{0: 3},
			want: words{"get fails with 3"}, errs: []error{cudrv.ErrNotInitialized},
			text: words{"enter CUDA context 0x1: "}},
		"entering fails": {fail: map[int]int32{1: 709}, errs: []error{cudrv.ErrContextIsDestroyed},
			text: words{"enter CUDA context 0x1: "},
			want: words{"get", "push 1 fails with 709", "get"}},
		"entering fails in another context": {start: []uintptr{7}, fail: map[int]int32{3: 709},
			errs: []error{cudrv.ErrContextIsDestroyed},
			want: words{"get", "pop", "get", "push 1 fails with 709", "get", "push 7"}},
		"a pop that works and fails for earlier work": {start: []uintptr{7}, fail: map[int]int32{1: 700},
			want: words{"get", "pop fails with 700", "get", "set 0", "get", "get", "push 1", "f", "get",
				"pop", "get", "push 7"}},
		"restoring fails": {start: []uintptr{7}, fail: map[int]int32{7: 201},
			errs: []error{cudrv.ErrInvalidContext}, text: words{"restore CUDA context 0x7: ",
				"; no context is current on the thread now"},
			want: words{"get", "pop", "get", "push 1", "f", "get", "pop", "get", "push 7 fails with 201",
				"get"}, left: [][]uintptr{{}}},
		"f and restoring fail": {start: []uintptr{6, 7}, run: func() error { return errOfF },
			fail: map[int]int32{9: 201},
			errs: []error{errOfF, cudrv.ErrInvalidContext},
			text: words{"restore CUDA context 0x6: ", "; context 0x7 is current on the thread now"},
			want: words{"get", "pop", "get", "pop", "get", "push 1", "f", "get", "pop", "get",
				"push 6 fails with 201", "push 7", "get"},
			left: [][]uintptr{{7}}},
		"asking fails at the end": {start: []uintptr{7}, fail: map[int]int32{4: 999},
			errs: []error{cudrv.ErrUnknown}, text: words{"pop the remaining CUDA contexts: ",
				"; context 0x7 is current on the thread now"},
			want: words{"get", "pop", "get", "push 1", "f", "get fails with 999", "set 7", "get"}},
		"nothing works at the end": {fail: map[int]int32{2: 4, 3: 4, 4: 4},
			errs: []error{cudrv.ErrDeinitialized},
			text: words{"; what is current on the thread now is unknown: "},
			want: words{"get", "push 1", "f", "get fails with 4", "set 0 fails with 4", "get fails with 4"},
			left: [][]uintptr{{1}}},
	} {
		t.Run(name, func(t *testing.T) {
			driver := contexts(t)
			driver.Start, driver.Fail = c.start, c.fail
			before := -1
			err := cudrv.Context(1).Do(func() error {
				before = len(driver.Log())
				if c.run != nil {
					return c.run()
				}
				return nil
			})
			log := driver.Log()
			if before >= 0 {
				log = slices.Insert(log, before, "f")
			}
			assert.Equal(t, c.want, log)
			if len(c.errs) == 0 {
				assert.NoError(t, err)
			}
			for _, want := range c.errs {
				assert.ErrorIs(t, err, want)
			}
			for _, want := range c.text {
				assert.ErrorContains(t, err, want)
			}
			assert.Equal(t, c.left, driver.Left())
		})
	}
}

// must stops at an error: in the functions of tests that return none.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Whatever f does to the thread's contexts, the thread has those from before afterwards, and as
// many.
func TestDoRestoresTheStack(t *testing.T) {
	t.Parallel()
	const c = cudrv.Context(1)
	create := func() cudrv.Context { return must(cudrv.CtxCreate(0, 0)) }
	destroy := func(c cudrv.Context) { must(0, cudrv.CtxDestroy(c)) }
	push := func(c cudrv.Context) { must(0, cudrv.CtxPushCurrent(c)) }
	pop := func() { must(cudrv.CtxPopCurrent()) }
	set := func(c cudrv.Context) { must(0, cudrv.CtxSetCurrent(c)) }
	nested := func() error { create(); return nil }
	for name, f := range map[string]struct {
		do      func()
		entered bool // c is destroyed, and can't be put back
	}{
		"does nothing":                  {do: func() {}},
		"creates":                       {do: func() { create() }},
		"creates twice":                 {do: func() { create(); create() }},
		"creates and pops":              {do: func() { create(); pop() }},
		"creates and destroys":          {do: func() { destroy(create()) }},
		"creates, destroys the entered": {do: func() { create(); destroy(c) }, entered: true},
		"creates, destroys both":        {do: func() { destroy(create()); destroy(c) }, entered: true},
		"destroys the entered":          {do: func() { destroy(c) }, entered: true},
		"pops":                          {do: pop},
		"pops, pushes another":          {do: func() { pop(); push(3) }},
		"pushes the same":               {do: func() { push(c) }},
		"pushes what was current":       {do: func() { push(7) }},
		"pushes several":                {do: func() { push(7); push(c); push(7); push(c) }},
		"sets another":                  {do: func() { set(3) }},
		"sets what was current":         {do: func() { set(7) }},
		"sets none":                     {do: func() { set(0) }},
		"sets none, and another":        {do: func() { set(0); set(3) }},
		"sets none, and creates":        {do: func() { set(0); create() }},
		"nests":                         {do: func() { must(0, cudrv.Context(2).Do(nested)) }},
	} {
		for from, start := range map[string][]uintptr{"none": nil, "another": {7}, "the same": {1},
			"several": {7, 1, 7}} {
			if f.entered && slices.Contains(start, 1) {
				continue
			}
			for how, end := range map[string]func() error{
				"returns": func() error { return nil },
				"panics":  func() error { panic(errOfF) },
				"leaves":  func() error { runtime.Goexit(); return nil },
			} {
				t.Run(fmt.Sprintf("%s, %s, from %s", name, how, from), func(t *testing.T) {
					driver := contexts(t)
					driver.Start = start
					done := make(chan error, 1)
					go func() {
						var err error
						defer func() {
							if v := recover(); v != nil && v != errOfF {
								err = fmt.Errorf("panic: %v", v)
							}
							done <- err
						}()
						err = c.Do(func() error { f.do(); return end() })
					}()
					assert.NoError(t, <-done)
					assert.Empty(t, driver.Left())
				})
			}
		}
	}
}

func TestDoSaysWhatItCannotPutBack(t *testing.T) {
	t.Parallel()
	driver := contexts(t)
	driver.Start = []uintptr{6, 7}
	err := cudrv.Context(1).Do(func() error { return cudrv.CtxDestroy(7) })
	assert.ErrorIs(t, err, cudrv.ErrInvalidContext)
	assert.ErrorContains(t, err, "restore CUDA context 0x7: ")
	assert.ErrorContains(t, err, "; context 0x6 is current on the thread now")
	assert.Equal(t, [][]uintptr{{6}}, driver.Left())
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
	assert.Equal(t, []string{"get", "push 1", "get", "pop", "get"}, current.Log())
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
	assert.Equal(t, []string{"get", "push 1", "get", "pop", "get"}, current.Log())
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
	assert.Empty(t, current.Left())
	assert.Equal(t, 1, current.Threads())
}

// Goroutines that change threads as often as they can: each stays in its own context while it is in
// Do, and no thread keeps one.
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

package eventtest

import (
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/event"
)

// heard is a test that records how it failed.
type heard struct{ text string }

func (h *heard) Helper() {}

func (h *heard) Fatal(args ...any) {
	h.text = fmt.Sprint(args...)
	runtime.Goexit()
}

// fails runs checks on a goroutine of their own, as Fatal ends it, and returns what failed.
func fails(f func(checks)) string {
	h, done := new(heard), make(chan struct{})
	go func() {
		defer close(done)
		f(checks{h})
	}()
	<-done
	return h.text
}

func TestChecksThatHold(t *testing.T) {
	t.Parallel()
	a, b := new(int), new(int)
	assert.Empty(t, fails(func(c checks) {
		c.NoError(nil)
		c.Error(event.ErrClosed)
		c.ErrorIs(fmt.Errorf("x: %w", event.ErrClosed), event.ErrClosed)
		c.NotErrorIs(nil, event.ErrClosed)
		c.ErrorAs(&event.Error{}, new(*event.Error))
		c.ErrorContains(errors.New("it is closed"), "closed")
		c.True(true)
		c.False(false)
		c.Equal([]int{1}, []int{1})
		c.NotEqual(1, uint64(1))
		c.EqualValues(1, uint64(1))
		c.Same(a, a)
		c.NotSame(a, b)
		c.Zero(uintptr(0))
		c.Zero(nil)
		c.NotZero(1)
		c.Nil((*int)(nil))
		c.Nil(nil)
		c.Len([]int{1, 2}, 2)
		c.Empty("")
		c.Empty([]int(nil))
		c.Empty(make(chan int, 1))
		c.Empty(nil)
		c.NotEmpty(map[int]int{1: 1})
		c.Contains("an event", "event")
		c.Contains([]*int{a, b}, b)
		c.NotContains("an event", "stream")
		c.Regexp(regexp.MustCompile(`^\d$`), "1")
		c.Positive(time.Nanosecond)
		c.GreaterOrEqual(time.Second, time.Second)
		c.LessOrEqual(-1, 0)
		c.IsIncreasing([]int{1, 2, 5})
		c.NotPanics(func() {})
	}))
}

func TestChecksSayWhatCame(t *testing.T) {
	t.Parallel()
	closed := errors.New("it is closed")
	for _, c := range []struct {
		check func(checks)
		want  string
	}{
		{func(c checks) { c.NoError(closed) }, `want no error, got the error "it is closed"`},
		{func(c checks) { c.NoError(closed, "close it twice") }, "close it twice: want no error"},
		{func(c checks) { c.NoError(closed, "stream %d", 3) }, "stream 3: want no error"},
		{func(c checks) { c.Error(nil) }, "want an error, got none"},
		{func(c checks) { c.ErrorIs(closed, event.ErrClosed) }, `got the error "it is closed"`},
		{func(c checks) { c.ErrorIs(nil, event.ErrClosed) }, "got nil"},
		{func(c checks) { c.NotErrorIs(closed, closed) }, `want no error that is "it is closed"`},
		{func(c checks) { c.ErrorAs(closed, new(*event.Error)) }, "want an error of type *event.Error"},
		{func(c checks) { c.ErrorContains(closed, "open") }, `want an error that says "open"`},
		{func(c checks) { c.ErrorContains(nil, "open") }, "got nil"},
		{func(c checks) { c.True(false) }, "want true, got false"},
		{func(c checks) { c.False(true) }, "want false, got true"},
		{func(c checks) { c.Equal(1, uint64(1)) }, "want 1, got 0x1"},
		{func(c checks) { c.Equal(event.Done, event.Pending) }, "got pending (event.State)"},
		{func(c checks) { c.NotEqual(1, 1) }, "want anything but 1"},
		{func(c checks) { c.EqualValues(1, uint64(2)) }, "want 1, got 0x2"},
		{func(c checks) { c.EqualValues(1, nil) }, "want 1, got nil"},
		{func(c checks) { c.Same(new(int), new(int)) }, "want the same pointer"},
		{func(c checks) { c.NotSame(t, t) }, "want another pointer"},
		{func(c checks) { c.Zero(3) }, "want the zero value, got 3"},
		{func(c checks) { c.NotZero(0) }, "want another value than zero, got 0"},
		{func(c checks) { c.Nil(new(int)) }, "want nil"},
		{func(c checks) { c.Len([]int{1}, 2) }, "want 2 elements, got 1: []int{1}"},
		{func(c checks) { c.Empty([]int{1}) }, "want it empty, got []int{1}"},
		{func(c checks) { c.NotEmpty("") }, `want it not empty, got ""`},
		{func(c checks) { c.Contains("event", "stream") }, `want "stream" in "event"`},
		{func(c checks) { c.NotContains([]int{1}, 1) }, "want no 1 in []int{1}"},
		{func(c checks) { c.Regexp(regexp.MustCompile("^a"), "b") }, `matches "^a", got "b"`},
		{func(c checks) { c.Positive(0) }, "want more than 0, got 0"},
		{func(c checks) { c.GreaterOrEqual(time.Second, time.Minute) }, "want at least 1m0s"},
		{func(c checks) { c.LessOrEqual(2, 1) }, "want at most 1, got 2"},
		{func(c checks) { c.IsIncreasing([]int{1, 1}) }, "want element 1 to be more than element 0"},
		{func(c checks) { c.NotPanics(func() { panic("no") }) }, `want no panic, got one with "no"`},
		{func(c checks) { c.FailNow("the wait did not happen") }, "the wait did not happen"},
	} {
		assert.Contains(t, fails(c.check), c.want)
	}
	assert.Contains(t, fails(func(c checks) { c.True(false) }), "fails(func(c checks)",
		"the statement is quoted")
}

package driver

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/poll"
)

var errBroken = errors.New("broken")

func receive[T any](t *testing.T, what string, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(20 * time.Second):
		require.FailNow(t, what+" did not happen")
	}
	return v
}

// rest waits until nothing is polled.
func rest(t *testing.T, p polling) {
	t.Helper()
	require.Eventually(t, func() bool { return !p.Busy() }, 20*time.Second, time.Millisecond)
}

func TestAwait(t *testing.T) {
	t.Parallel()
	p := newPolling(func() {})
	for _, want := range []error{nil, errBroken} {
		for _, order := range []poll.Order{{}, {Lane: "lane", Begin: 1, End: 1}} {
			left := 3
			err := p.await(order, func() (bool, error) {
				left--
				return left == 0 && want == nil, failAt(left, want)
			})
			assert.ErrorIs(t, err, want)
			assert.Zero(t, left, "nobody asks after that")
		}
	}
	rest(t, p)
}

func failAt(left int, err error) error {
	if left > 0 {
		return nil
	}
	return err
}

// A task ends while a query of it hangs: its object may be destroyed when await returns, so await
// has to wait for the query.
func TestAwaitOutlivesItsQuestion(t *testing.T) {
	t.Parallel()
	p := newPolling(func() {})
	entered, gate := make(chan struct{}), make(chan struct{})
	var inside atomic.Bool
	returned := make(chan bool)
	go func() {
		err := p.await(poll.Order{Lane: "lane", Begin: 1, End: 1}, func() (bool, error) {
			inside.Store(true)
			defer inside.Store(false)
			close(entered)
			<-gate
			return false, nil
		})
		assert.NoError(t, err)
		returned <- inside.Load()
	}()
	receive(t, "the question", entered)
	p.Passed("lane", 2)
	select {
	case <-returned:
		require.Fail(t, "the question is still under way")
	default:
	}
	close(gate)
	assert.False(t, receive(t, "the return", returned))
	rest(t, p)
}

func TestSpin(t *testing.T) {
	t.Parallel()
	left := 3
	assert.NoError(t, Spin(func() (bool, error) { left--; return left == 0, nil }))
	assert.Zero(t, left)
	assert.ErrorIs(t, Spin(func() (bool, error) { return false, errBroken }), errBroken)
}

package compiler

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/nvrtc"
)

// When the context ends, the caller is free while the library still works; the next one waits for
// its turn, and its own context ends that.
func TestCallIsLeftBehind(t *testing.T) {
	l := fakeHIPRTC(t, "fake.so")
	begun, gate := make(chan struct{}), make(chan struct{})
	var compiling, most atomic.Int32
	l.compile = func([]string) int32 {
		most.Store(max(most.Load(), compiling.Add(1)))
		defer compiling.Add(-1)
		begun <- struct{}{}
		<-gate
		return 0
	}
	r := Request{Text: "x", Target: "gfx90a"}
	why := errors.New("the user has left")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-begun; cancel(why) }()
	_, err := HIP(ctx, r)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, why)
	assert.ErrorContains(t, err, "compile kernel.cu for gfx90a with hipRTC")

	ended, stop := context.WithDeadline(t.Context(), time.Now())
	defer stop()
	_, err = HIP(ended, r)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	done := make(chan error)
	go func() { _, err := HIP(t.Context(), r); done <- err }()
	gate <- struct{}{} // the first one returns
	<-begun            // the next one has its turn
	gate <- struct{}{}
	require.NoError(t, <-done)
	assert.EqualValues(t, 1, most.Load())
	assert.Zero(t, l.live)
}

// Who waits for a turn may leave, and no turn is lost.
func TestTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns, j := newTurn(), newJob(&Request{Target: "sm_80"})
		gate := make(chan struct{})
		start := func(ctx context.Context, f func() (Result, error)) chan error {
			done := make(chan error, 1)
			go func() { _, err := turns.do(ctx, j, "NVRTC 12.3", f); done <- err }()
			synctest.Wait()
			return done
		}
		works := func() (Result, error) { <-gate; return Result{}, nil }
		first := start(t.Context(), works)
		ctx, leave := context.WithCancel(t.Context())
		second := start(ctx, func() (Result, error) { panic("this is not its turn") })
		third := start(t.Context(), func() (Result, error) { return Result{}, ErrSource })
		leave()
		require.EqualError(t, <-second, "compile kernel.cu for sm_80 with NVRTC 12.3: context canceled")
		gate <- struct{}{}
		require.NoError(t, <-first)
		require.ErrorIs(t, <-third, ErrSource)
	})
}

// The caller may change its request while its call is left behind.
func TestJobsOwnTheirMemory(t *testing.T) {
	t.Parallel()
	r := Request{Options: []string{"-G"}, Names: []string{"f"}, Headers: map[string]string{"h": "x"}}
	j, c := newJob(&r), r.Clone()
	r.Options[0], r.Names[0], r.Headers["h"] = "changed", "changed", "changed"
	assert.Equal(t, []string{"-G", "f", "h", "x"},
		[]string{j.options[0], j.names[0], j.headerNames[0], j.headerTexts[0]})
	assert.Equal(t, []string{"-G", "f", "x"}, []string{c.Options[0], c.Names[0], c.Headers["h"]})
}

// NVRTC asks whether to go on, on a thread of its own.
func TestCompilerAsksForTheContext(t *testing.T) {
	l := fakeNVRTC(t, "libnvrtc.so.test")
	var answers []int32
	asked := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	finished := make(chan struct{})
	l.compile = func([]string) int32 {
		defer close(finished)
		ask := func() int32 {
			answer := make(chan int32)
			go func() { // which is on another thread
				call := ccall.Regs{Fn: l.flow[1]}
				call.A[0] = l.flow[2]
				answer <- call.Call()
			}()
			return <-answer
		}
		answers = append(answers, ask())
		close(asked)
		<-ctx.Done()
		if answers = append(answers, ask()); answers[1] == 1 {
			return int32(nvrtc.ErrCancelled)
		}
		return 0
	}
	go func() { <-asked; cancel() }()
	_, err := CUDA(ctx, Request{Text: "x", Target: "sm_80"})
	require.ErrorIs(t, err, context.Canceled)
	<-finished
	assert.Equal(t, []int32{0, 1}, answers)

	l.compile = nil
	_, err = CUDA(t.Context(), Request{Text: "x", Target: "sm_80"})
	require.NoError(t, err)
	assert.Zero(t, l.live)

	// When the program is gone, nothing is registered any more.
	told := make(chan any, 1)
	nvrtc.SetPanicHandler(func(_ string, value any, _ []byte) { told <- value })
	defer nvrtc.SetPanicHandler(nil)
	call := ccall.Regs{Fn: l.flow[1]}
	call.A[0] = l.flow[2]
	assert.Zero(t, call.Call())
	assert.Contains(t, <-told, "has ended")
}

// A context that cannot end, or a library that cannot ask: nothing is asked.
func TestNothingToAsk(t *testing.T) {
	l := fakeNVRTC(t, "libnvrtc.so.test")
	_, err := CUDA(context.Background(), Request{Text: "x", Target: "sm_80"})
	require.NoError(t, err)
	assert.NotContains(t, l.called(), "SetFlowCallback")
}

func TestOldLibraryCannotAsk(t *testing.T) {
	fakeNVRTC(t, "libnvrtc.so.test", "SetFlowCallback")
	_, err := CUDA(t.Context(), Request{Text: "x", Target: "sm_80"})
	require.NoError(t, err)
}

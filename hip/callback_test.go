package hip_test

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/callback"
	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// here calls a C function on the thread that called into the runtime.
func here(fn, arg uintptr) {
	r := ccall.Regs{Fn: fn, A: [ccall.MaxRegs]uintptr{arg}}
	r.Call()
}

// A runtime runs host functions on the caller's thread or on its own.
func TestHostFunctionRuns(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(fn, arg uintptr){
		"on the caller's thread":     here,
		"on a thread of the runtime": fake.OnThread,
	} {
		t.Run(name, func(t *testing.T) {
			lib := install(t, "6.4")
			lib.Handle("hipLaunchHostFunc", func(a fake.Args) int32 {
				assert.EqualValues(t, 5, a[0])
				run(a[1], a[2])
				return 0
			})
			ran := 0
			var thread uintptr
			require.NoError(t, hip.LaunchHostFunc(5, func() {
				ran++
				thread = fake.ThreadID()
				runtime.GC()
			}))
			assert.Equal(t, 1, ran)
			assert.NotZero(t, thread)
		})
	}
}

func TestStreamCallbackGetsItsArguments(t *testing.T) {
	t.Parallel()
	lib := install(t, "6.4")
	lib.Handle("hipStreamAddCallback", func(a fake.Args) int32 {
		r := ccall.Regs{Fn: a[1], A: [ccall.MaxRegs]uintptr{a[0], 719, a[2]}}
		r.Call()
		return int32(a[3])
	})
	var stream hip.Stream
	var status hip.Result
	require.NoError(t,
		hip.StreamAddCallback(77, func(s hip.Stream, r hip.Result) { stream, status = s, r }, 0))
	assert.Equal(t, hip.Stream(77), stream)
	assert.Equal(t, hip.ErrLaunchFailure, status)
}

func TestNilCallbackIsNilToC(t *testing.T) {
	t.Parallel()
	lib := install(t, "6.4")
	lib.Handle("hipLaunchHostFunc", func(a fake.Args) int32 { return int32(a[1] | a[2]) })
	assert.NoError(t, hip.LaunchHostFunc(0, nil))
	assert.NoError(t, hip.LaunchHostFuncRef(0, nil))
	var ref *hip.HostFnRef
	ref.Release()
}

// panics collects the calls of the panic handler, which is one for the process: tests that set it
// are not parallel.
func panics(t *testing.T) func() []string {
	var mu sync.Mutex
	var told []string
	callback.SetPanicHandler(func(name string, value any, stack []byte) {
		mu.Lock()
		defer mu.Unlock()
		s, _ := value.(string)
		if err, ok := value.(error); ok {
			s = err.Error()
		}
		told = append(told, name+": "+s)
	})
	t.Cleanup(func() { callback.SetPanicHandler(nil) })
	return func() []string { mu.Lock(); defer mu.Unlock(); return told }
}

func TestPanicInACallbackStopsBeforeC(t *testing.T) {
	for name, run := range map[string]func(fn, arg uintptr){
		"on the caller's thread":     here,
		"on a thread of the runtime": fake.OnThread,
	} {
		t.Run(name, func(t *testing.T) {
			told := panics(t)
			lib := install(t, "6.4")
			lib.Handle("hipLaunchHostFunc", func(a fake.Args) int32 { run(a[1], a[2]); return 0 })
			assert.NoError(t, hip.LaunchHostFunc(0, func() { panic("in a text") }))
			assert.NoError(t, hip.LaunchHostFunc(0, func() { panic(errors.New("in an error")) }))
			ran := false
			assert.NoError(t, hip.LaunchHostFunc(0, func() { ran = true }), "later callbacks run")
			assert.True(t, ran)
			assert.Equal(t, []string{"hipHostFn_t: in a text", "hipHostFn_t: in an error"}, told())
		})
	}
}

// FailNow of a test in a host function is the usual case.
func TestGoexitInACallbackEndsTheFunctionOnly(t *testing.T) {
	for name, run := range map[string]func(fn, arg uintptr){
		"on the caller's thread":     here,
		"on a thread of the runtime": fake.OnThread,
	} {
		t.Run(name, func(t *testing.T) {
			told := panics(t)
			lib := install(t, "6.4")
			lib.Handle("hipLaunchHostFunc", func(a fake.Args) int32 { run(a[1], a[2]); return 0 })
			deferred, ran := false, false
			assert.NoError(t,
				hip.LaunchHostFunc(0, func() { defer func() { deferred = true }(); runtime.Goexit() }))
			assert.True(t, deferred)
			assert.NoError(t, hip.LaunchHostFunc(0, func() { ran = true }), "later callbacks run")
			assert.True(t, ran)
			assert.Equal(t, []string{"hipHostFn_t: " + callback.ErrLeft.Error()}, told())
		})
	}
}

func TestLivesOfCallbacks(t *testing.T) {
	var fn, word uintptr
	keep := func(t *testing.T, code int32) func() []string {
		told := panics(t)
		lib := install(t, "6.4")
		lib.Handle("hipLaunchHostFunc", func(a fake.Args) int32 { fn, word = a[1], a[2]; return code })
		return told
	}
	ran := 0
	count := func() { ran++ }

	t.Run("once", func(t *testing.T) {
		told := keep(t, 0)
		ran = 0
		require.NoError(t, hip.LaunchHostFunc(0, count))
		here(fn, word)
		assert.Equal(t, 1, ran)
		assert.Empty(t, told())
		here(fn, word)
		assert.Equal(t, 1, ran, "C called a second time")
		require.Len(t, told(), 1)
		assert.Contains(t, told()[0], "has ended")
	})
	t.Run("until the call fails", func(t *testing.T) {
		told := keep(t, int32(hip.ErrInvalidHandle))
		ran = 0
		assert.ErrorIs(t, hip.LaunchHostFunc(0, count), hip.ErrInvalidHandle)
		here(fn, word)
		assert.Zero(t, ran)
		assert.Len(t, told(), 1)
	})
	t.Run("until its owner releases it", func(t *testing.T) {
		told := keep(t, 0)
		ran = 0
		ref := hip.NewHostFn(count)
		require.NoError(t, hip.LaunchHostFuncRef(0, ref))
		assert.Equal(t, ref.Fn(), fn)
		assert.Equal(t, ref.UserData(), word)
		for range 3 {
			here(fn, word)
		}
		assert.Equal(t, 3, ran)
		assert.Empty(t, told())
		ref.Release()
		ref.Release()
		here(fn, word)
		assert.Equal(t, 3, ran)
		assert.Len(t, told(), 1)
	})
	t.Run("of a missing symbol: none", func(t *testing.T) {
		fake.New("empty").Install(t, &libs.HIP)
		assert.ErrorIs(t, hip.LaunchHostFunc(0, count), hip.ErrSymbolNotFound)
	})
}

func TestCallbacksOnManyThreads(t *testing.T) {
	t.Parallel()
	lib := install(t, "6.4")
	lib.Handle("hipLaunchHostFunc", func(a fake.Args) int32 { fake.OnThread(a[1], a[2]); return 0 })
	const goroutines, rounds = 8, 10
	var mu sync.Mutex
	ran := map[int]int{}
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for range rounds {
				assert.NoError(t, hip.LaunchHostFunc(0, func() { mu.Lock(); ran[g]++; mu.Unlock() }))
			}
		})
	}
	wg.Wait()
	for g := range goroutines {
		assert.Equal(t, rounds, ran[g])
	}
}

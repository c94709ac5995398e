package cudrv_test

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/callback"
	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// here calls a C function on the thread that called into the driver.
func here(fn, arg uintptr) {
	r := ccall.Regs{Fn: fn, A: [ccall.MaxRegs]uintptr{arg}}
	r.Call()
}

// A driver runs host functions on the caller's thread or on its own.
func TestHostFunctionRuns(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(fn, arg uintptr){
		"on the caller's thread":    here,
		"on a thread of the driver": fake.OnThread,
	} {
		t.Run(name, func(t *testing.T) {
			lib := fake.CUDA(t, "12.4").Install(t, &libs.CUDA)
			lib.Handle("cuLaunchHostFunc", func(a fake.Args) int32 {
				assert.EqualValues(t, 5, a[0])
				run(a[1], a[2])
				return 0
			})
			ran := 0
			var thread uintptr
			require.NoError(t, cudrv.LaunchHostFunc(5, func() {
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
	lib := fake.CUDA(t, "12.4").Install(t, &libs.CUDA)
	lib.Handle("cuStreamAddCallback", func(a fake.Args) int32 {
		r := ccall.Regs{Fn: a[1], A: [ccall.MaxRegs]uintptr{a[0], 719, a[2]}}
		r.Call()
		return int32(a[3])
	})
	var stream cudrv.Stream
	var status cudrv.Result
	require.NoError(t,
		cudrv.StreamAddCallback(77, func(s cudrv.Stream, r cudrv.Result) { stream, status = s, r }, 0))
	assert.Equal(t, cudrv.Stream(77), stream)
	assert.Equal(t, cudrv.ErrLaunchFailed, status)
}

func TestNilCallbackIsNilToC(t *testing.T) {
	t.Parallel()
	lib := fake.CUDA(t, "12.4").Install(t, &libs.CUDA)
	lib.Handle("cuLaunchHostFunc", func(a fake.Args) int32 { return int32(a[1] | a[2]) })
	assert.NoError(t, cudrv.LaunchHostFunc(0, nil))
	assert.NoError(t, cudrv.LaunchHostFuncRef(0, nil))
	var ref *cudrv.HostFnRef
	ref.Release()
}

// A callback function without a word of the user's serves calls that last as long as C may use it;
// such calls may nest.
func TestCallbackWithoutUserData(t *testing.T) {
	t.Parallel()
	lib := fake.CUDA(t, "12.4").Install(t, &libs.CUDA)
	lib.Handle("cuOccupancyMaxPotentialBlockSize", func(a fake.Args) int32 {
		f := ccall.New(a[3])
		defer f.Free()
		f.Int(128)
		f.Call()
		a.Put32(0, int32(f.R0))
		a.Put32(1, 32)
		return 0
	})
	inner := func(block int32) uintptr { return uintptr(block) * 2 }
	outer := func(block int32) uintptr {
		grid, _, err := cudrv.OccupancyMaxPotentialBlockSize(1, inner, 0, 0)
		assert.NoError(t, err)
		return uintptr(grid) + uintptr(block)
	}
	grid, block, err := cudrv.OccupancyMaxPotentialBlockSize(1, outer, 0, 0)
	require.NoError(t, err)
	assert.EqualValues(t, 384, grid)
	assert.EqualValues(t, 32, block)
}

// occupancy installs a driver that calls the callback of cuOccupancyMaxPotentialBlockSize with 128
// and answers with its result.
func occupancy(t *testing.T) {
	lib := fake.CUDA(t, "12.4").Install(t, &libs.CUDA)
	lib.Handle("cuOccupancyMaxPotentialBlockSize", func(a fake.Args) int32 {
		f := ccall.New(a[3])
		defer f.Free()
		f.Int(128)
		f.Call()
		a.Put32(0, int32(f.R0))
		return 0
	})
}

// Calls that wait for a callback of their own can't be told to wait for one another.
func TestCallbacksWithoutUserDataNestDeeply(t *testing.T) {
	t.Parallel()
	occupancy(t)
	var below func(n int) cudrv.OccupancyB2DSize
	below = func(n int) cudrv.OccupancyB2DSize {
		return func(int32) uintptr {
			if n == 0 {
				return 1
			}
			size, _, err := cudrv.OccupancyMaxPotentialBlockSize(1, below(n-1), 0, 0)
			assert.NoError(t, err)
			return uintptr(size) + 1
		}
	}
	size, _, err := cudrv.OccupancyMaxPotentialBlockSize(1, below(63), 0, 0)
	require.NoError(t, err)
	assert.EqualValues(t, 64, size)
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
		"on the caller's thread":    here,
		"on a thread of the driver": fake.OnThread,
	} {
		t.Run(name, func(t *testing.T) {
			told := panics(t)
			lib := fake.CUDA(t, "12.4").Install(t, &libs.CUDA)
			lib.Handle("cuLaunchHostFunc", func(a fake.Args) int32 { run(a[1], a[2]); return 0 })
			assert.NoError(t, cudrv.LaunchHostFunc(0, func() { panic("in a text") }))
			assert.NoError(t, cudrv.LaunchHostFunc(0, func() { panic(errors.New("in an error")) }))
			ran := false
			assert.NoError(t, cudrv.LaunchHostFunc(0, func() { ran = true }), "later callbacks run")
			assert.True(t, ran)
			assert.Equal(t, []string{"CUhostFn: in a text", "CUhostFn: in an error"}, told())
		})
	}
}

// FailNow of a test in a host function is the usual case.
func TestGoexitInACallbackEndsTheFunctionOnly(t *testing.T) {
	for name, run := range map[string]func(fn, arg uintptr){
		"on the caller's thread":    here,
		"on a thread of the driver": fake.OnThread,
	} {
		t.Run(name, func(t *testing.T) {
			told := panics(t)
			lib := fake.CUDA(t, "12.4").Install(t, &libs.CUDA)
			lib.Handle("cuLaunchHostFunc", func(a fake.Args) int32 { run(a[1], a[2]); return 0 })
			deferred, ran := false, false
			assert.NoError(t,
				cudrv.LaunchHostFunc(0, func() { defer func() { deferred = true }(); runtime.Goexit() }))
			assert.True(t, deferred)
			assert.NoError(t, cudrv.LaunchHostFunc(0, func() { ran = true }), "later callbacks run")
			assert.True(t, ran)
			assert.Equal(t, []string{"CUhostFn: " + callback.ErrLeft.Error()}, told())
		})
	}
}

func TestPanicInACallbackWithoutUserData(t *testing.T) {
	told := panics(t)
	lib := fake.CUDA(t, "12.4").Install(t, &libs.CUDA)
	lib.Handle("cuOccupancyMaxPotentialBlockSize", func(a fake.Args) int32 {
		f := ccall.New(a[3])
		defer f.Free()
		f.Int(128)
		f.Call()
		a.Put32(0, int32(f.R0))
		return 0
	})
	grid, _, err := cudrv.OccupancyMaxPotentialBlockSize(1, func(int32) uintptr { panic("no size") },
		0, 0)
	assert.NoError(t, err)
	assert.Zero(t, grid, "C got 0")
	assert.Equal(t, []string{"CUoccupancyB2DSize: no size"}, told())
}

func TestLivesOfCallbacks(t *testing.T) {
	var fn, word uintptr
	install := func(t *testing.T, code int32) func() []string {
		told := panics(t)
		lib := fake.CUDA(t, "12.4").Install(t, &libs.CUDA)
		lib.Handle("cuLaunchHostFunc", func(a fake.Args) int32 { fn, word = a[1], a[2]; return code })
		return told
	}
	ran := 0
	count := func() { ran++ }

	t.Run("once", func(t *testing.T) {
		told := install(t, 0)
		ran = 0
		require.NoError(t, cudrv.LaunchHostFunc(0, count))
		here(fn, word)
		assert.Equal(t, 1, ran)
		assert.Empty(t, told())
		here(fn, word)
		assert.Equal(t, 1, ran, "C called a second time")
		require.Len(t, told(), 1)
		assert.Contains(t, told()[0], "has ended")
	})
	t.Run("until the call fails", func(t *testing.T) {
		told := install(t, int32(cudrv.ErrInvalidHandle))
		ran = 0
		assert.ErrorIs(t, cudrv.LaunchHostFunc(0, count), cudrv.ErrInvalidHandle)
		here(fn, word)
		assert.Zero(t, ran)
		assert.Len(t, told(), 1)
	})
	t.Run("until its owner releases it", func(t *testing.T) {
		told := install(t, 0)
		ran = 0
		ref := cudrv.NewHostFn(count)
		require.NoError(t, cudrv.LaunchHostFuncRef(0, ref))
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
		fake.New("empty").Install(t, &libs.CUDA)
		assert.ErrorIs(t, cudrv.LaunchHostFunc(0, count), cudrv.ErrSymbolNotFound)
	})
}

func TestCallbacksOnManyThreads(t *testing.T) {
	t.Parallel()
	lib := fake.CUDA(t, "12.4").Install(t, &libs.CUDA)
	lib.Handle("cuLaunchHostFunc", func(a fake.Args) int32 { fake.OnThread(a[1], a[2]); return 0 })
	const goroutines, rounds = 8, 10
	var mu sync.Mutex
	ran := map[int]int{}
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for range rounds {
				assert.NoError(t, cudrv.LaunchHostFunc(0, func() { mu.Lock(); ran[g]++; mu.Unlock() }))
			}
		})
	}
	wg.Wait()
	for g := range goroutines {
		assert.Equal(t, rounds, ran[g])
	}
}

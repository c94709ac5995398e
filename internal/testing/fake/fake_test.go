package fake

import (
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/libs"
)

// api is a vendor API of the tests' own.
func api() *dl.Library {
	return &dl.Library{
		Name: "test library", API: "CUDA", Env: "GPUEVENT_FAKE_LIBRARY", Remedy: "install it",
		Version: dl.Version{Symbol: "cuDriverGetVersion", Format: []int{1000, 10}},
	}
}

func call(t *testing.T, l *dl.Library, symbol string, args ...uintptr) int32 {
	t.Helper()
	addr, err := (&dl.Proc{Lib: l, Symbol: symbol}).Addr()
	require.NoError(t, err)
	r := ccall.Regs{Fn: addr}
	copy(r.A[:], args)
	return r.Call()
}

func TestSymbolsAnswerAndRecord(t *testing.T) {
	t.Parallel()
	lib := api()
	l := New("one", "a", "b", "c").Install(t, lib)
	l.Handle("b", func(a Args) int32 { return int32(a[0]) + int32(a[5]) })
	l.Drop("c")
	assert.Equal(t, []string{"a", "b"}, l.Symbols())

	assert.Zero(t, call(t, lib, "a"))
	l.Answer(-7)
	assert.EqualValues(t, -7, call(t, lib, "a"))
	assert.EqualValues(t, 42, call(t, lib, "b", 40, 0, 0, 0, 0, 2))
	assert.Equal(t, []Call{{"b", Args{40, 0, 0, 0, 0, 2}}}, l.Calls())
	assert.Equal(t, 2, l.Hits())
	_, err := (&dl.Proc{Lib: lib, Symbol: "c"}).Addr()
	assert.ErrorIs(t, err, dl.ErrSymbolNotFound)
}

func TestOutParameters(t *testing.T) {
	t.Parallel()
	lib := api()
	l := New("outs").Install(t, lib)
	l.Handle("f", func(a Args) int32 { a.Put32(0, -5); a.Put64(1, 1<<40); a.Put32(2, 1); return 0 })
	out := ccall.NewOut()
	defer out.Free(2)
	assert.Zero(t, call(t, lib, "f", out.Word(0), out.Word(1), 0))
	assert.Equal(t, int32(-5), *(*int32)(out.At(0)))
	assert.Equal(t, uint64(1)<<40, out.W[1])
}

// Far more libraries than C functions: those of closed libraries serve again.
func TestFunctionsAreReused(t *testing.T) {
	t.Parallel()
	for range 10 * maxSlots {
		l := New("short-lived", "a")
		l.Handle("b", func(Args) int32 { return 0 })
		l.Handle("b", func(Args) int32 { return 1 })
		l.Close()
		l.Close()
	}
	slots.Lock()
	defer slots.Unlock()
	assert.LessOrEqual(t, slots.made, maxSlots)
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		profile           func(testing.TB, string) *Library
		version           string
		has, lacks        []string
		symbol, formatted string
	}{
		"CUDA 11.8": {CUDA, "11.8", []string{"cuEventCreate", "cuGetProcAddress"},
			[]string{"cuGetProcAddress_v2", "cuEventElapsedTime_v2"}, "cuDriverGetVersion", "11.8"},
		"CUDA 12.4": {CUDA, "12.4", []string{"cuGetProcAddress_v2", "cuGetProcAddress"},
			[]string{"cuEventElapsedTime_v2"}, "cuDriverGetVersion", "12.4"},
		"CUDA 13.0": {CUDA, "13.0", []string{"cuEventElapsedTime_v2", "cuEventElapsedTime"},
			[]string{"cuLaunchHostFunc_v2"}, "cuDriverGetVersion", "13.0"},
		"ROCm 5.2": {HIP, "5.2", []string{"hipEventCreate"},
			[]string{"hipGetDevicePropertiesR0600", "hipEventRecordWithFlags"}, "hipRuntimeGetVersion",
			"5.2"},
		"ROCm 7.2": {HIP, "7.2", []string{"hipEventRecordWithFlags", "hipGetDevicePropertiesR0600"},
			[]string{"hipNoSuchThing"}, "hipDriverGetVersion", "7.2"},
	} {
		t.Run(name, func(t *testing.T) {
			lib := api()
			l := want.profile(t, want.version).Install(t, lib)
			for _, s := range want.has {
				assert.True(t, lib.Has(s), s)
			}
			for _, s := range want.lacks {
				assert.False(t, lib.Has(s), s)
			}
			assert.True(t, slices.Contains(l.Symbols(), want.symbol))
			out := ccall.NewOut()
			defer out.Free(1)
			require.Zero(t, call(t, lib, want.symbol, out.Word(0)))
			api := &libs.CUDA
			if want.symbol != "cuDriverGetVersion" {
				api = &libs.HIP
			}
			assert.Contains(t, api.Version.Text(int(*(*int32)(out.At(0)))), want.formatted)
		})
	}
}

func TestAbsent(t *testing.T) {
	lib := api()
	defer lib.Install("there", func(string) uintptr { return 1 })()
	t.Run("while", func(t *testing.T) {
		t.Setenv(lib.Env, "/not/asked")
		Absent(t, lib, "/no/such/library")
		err := lib.Load()
		assert.ErrorIs(t, err, dl.ErrLibraryNotFound)
		assert.ErrorContains(t, err, "/no/such/library")
		assert.NotContains(t, err.Error(), "/not/asked")
	})
	assert.True(t, lib.Has("anything"))
}

func TestNewer(t *testing.T) {
	t.Parallel()
	assert.True(t, Newer("12.10", "12.9"))
	assert.True(t, Newer("13", "12.9"))
	assert.True(t, Newer("5.2.3", "5.2"))
	assert.False(t, Newer("12.9", "12.10"))
	assert.False(t, Newer("12.0", "12"))
}

func TestThreads(t *testing.T) {
	t.Parallel()
	lib := api()
	l := New("threads").Install(t, lib)
	var mu sync.Mutex
	seen := map[uintptr]uintptr{}
	l.Handle("enter", func(a Args) int32 { mu.Lock(); seen[a[0]] = ThreadID(); mu.Unlock(); return 0 })
	fn, err := (&dl.Proc{Lib: lib, Symbol: "enter"}).Addr()
	require.NoError(t, err)
	here := make(chan uintptr)
	go func() { OnThread(fn, 1); here <- ThreadID() }()
	<-here
	assert.NotZero(t, seen[1], "C on a thread of its own called Go")
}

func TestCurrentIsPerThread(t *testing.T) {
	t.Parallel()
	// or this goroutine could go on in a thread with the number of one that has ended
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	lib := api()
	l := New("current").Install(t, lib)
	c := &Current{Start: 3, Fail: map[int]int32{3: 9}}
	l.Handle("get", c.Get32)
	l.Handle("set", c.Set)
	out := ccall.NewOut()
	defer out.Free(1)
	set, err := (&dl.Proc{Lib: lib, Symbol: "set"}).Addr()
	require.NoError(t, err)

	OnThread(set, 5)
	assert.Zero(t, call(t, lib, "get", out.Word(0)))
	assert.EqualValues(t, 3, *(*int32)(out.At(0)), "another thread's object is not ours")
	OnThread(set, 3)
	assert.EqualValues(t, 9, call(t, lib, "set", 7))
	assert.Equal(t, []string{"set 5", "get", "set 3", "set 7 fails with 9"}, c.Log())
	assert.GreaterOrEqual(t, c.Threads(), 2)
}
